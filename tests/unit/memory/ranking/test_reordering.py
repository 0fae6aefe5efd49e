"""What follows a ranking: corrections, future events, words that lead on, and repetitions."""

import datetime as dt
import re
from collections.abc import Mapping
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.fusion import order_by_event_time, order_corrections, remaining_span
from ricordo.memory.ranking.linking_words import linking_words, words_of_memory
from ricordo.memory.ranking.repetitions import CandidateText, Repetitions
from ricordo.memory.ranking.signals import Interval


def ranked(*places: int) -> list[Ranked]:
    return [Ranked(UUID(int=one), 1.0 - at / 10) for at, one in enumerate(places)]


def corrected(*pairs: tuple[int, list[int]]) -> dict[UUID, list[UUID]]:
    return {UUID(int=one): [UUID(int=each) for each in others] for one, others in pairs}


def ids(found: list[Ranked]) -> list[int]:
    return [one.id.int for one in found]


def test_it_comes_right_before_what_it_corrects_with_its_score() -> None:
    found = order_corrections(ranked(1, 2, 3, 4), corrected((2, [4])))
    assert ids(found) == [1, 4, 2, 3]
    assert [one.score for one in found] == [1.0, 0.9, 0.9, 0.8]


def test_one_that_comes_first_stays() -> None:
    assert order_corrections(ranked(4, 1, 2), corrected((2, [4]))) == ranked(4, 1, 2)


def test_one_that_was_not_found_joins_and_the_last_gives_way() -> None:
    found = order_corrections(ranked(1, 2, 3), corrected((1, [9])), 3)
    assert ids(found) == [9, 1, 2]
    assert found[0].score == 1.0


def test_corrections_of_corrections_come_before_these() -> None:
    chain = corrected((1, [9, 8]), (8, [9]))
    assert ids(order_corrections(ranked(2, 1, 8), chain)) == [2, 9, 8, 1]
    assert ids(order_corrections(ranked(2, 1), chain)) == [2, 9, 8, 1]


@given(
    st.permutations(range(1, 8)),
    st.dictionaries(st.integers(1, 8), st.lists(st.integers(1, 12), max_size=3), max_size=6),
    st.integers(0, 9),
)
def test_scores_descend_nothing_is_doubled_and_the_rest_keeps_its_order(
    places: list[int], pairs: dict[int, list[int]], limit: int
) -> None:
    before = ranked(*places)
    found = order_corrections(before, corrected(*pairs.items()))
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids(found))) == len(found)
    assert set(places) <= set(ids(found))
    correcting = {each for others in pairs.values() for each in others}
    assert [one for one in ids(found) if one not in correcting] == [
        one for one in places if one not in correcting
    ]
    assert order_corrections(before, corrected(*pairs.items()), limit) == found[:limit]


NOW = dt.datetime(2026, 11, 10, 9, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = 24 * HOUR


def times(*days: float) -> list[EventTime]:
    return [EventTime(NOW + day * DAY, NOW + day * DAY + HOUR) for day in days]


def scored(*scores: float) -> list[Ranked]:
    return [Ranked(UUID(int=place), score) for place, score in enumerate(scores)]


def test_what_happens_in_the_time_comes_first_and_in_its_order() -> None:
    held = {UUID(int=1): times(9), UUID(int=3): times(40, 4), UUID(int=4): times(60)}
    found = order_by_event_time(scored(0.9, 0.5, 0.4, 0.2, 0.1), held, Interval(NOW, NOW + 30 * DAY))
    assert [one.id.int for one in found] == [3, 1, 0, 2, 4]
    assert [one.score for one in found] == pytest.approx([0.9, 0.9, 0.9, 0.4, 0.1])
    assert found[0].score > found[1].score > found[2].score


DAYS = st.lists(st.integers(-40, 40), max_size=3)


@given(st.lists(st.tuples(st.floats(0, 1), DAYS), max_size=12))
def test_nothing_is_lost_scores_descend_and_none_is_lowered(told: list[tuple[float, list[int]]]) -> None:
    before = scored(*sorted((score for score, _ in told), reverse=True))
    held = {UUID(int=place): times(*days) for place, (_, days) in enumerate(told)}
    after = order_by_event_time(before, held, Interval(NOW, NOW + 30 * DAY))
    scores = [one.score for one in after]
    assert sorted(one.id.int for one in after) == list(range(len(told)))
    assert scores == sorted(scores, reverse=True)
    own = {one.id: one.score for one in before}
    assert all(one.score >= own[one.id] for one in after)


def test_what_is_over_is_not_to_come() -> None:
    month = Interval(NOW - 9 * DAY, NOW + 20 * DAY)
    today = Interval(NOW - 9 * HOUR, NOW + 15 * HOUR)
    assert remaining_span(month, NOW) == Interval(NOW, month.end)
    assert remaining_span(today, NOW) == today
    assert remaining_span(Interval(NOW - DAY, NOW), NOW) is None


@pytest.mark.parametrize(("text", "question", "expected"), table(__file__, "names_lead"))
def test_names_lead_and_words_of_the_question_do_not(
    text: str, question: str, expected: Mapping[str, float]
) -> None:
    found = linking_words(text, (), question)
    assert {word: found.get(word) for word in expected} == expected
    assert all(share < 1 for word, share in found.items() if word not in expected)


def test_names_of_people_lead_unless_the_question_has_them() -> None:
    assert linking_words("", ("Ada", "Bo"), "what did Ada do?") == {"bo": 1.0}
    assert linking_words("", ("Ada", "Bo"), "what did she do?", ("Bo",)) == {"ada": 1.0}


@given(st.text(max_size=200), st.text(max_size=60))
def test_only_words_of_the_text_that_the_question_lacks_lead(text: str, question: str) -> None:
    found = linking_words(text, (), question)
    assert all(word in text.casefold() for word in found)
    assert found.keys().isdisjoint(words_of_memory(question, ()))
    assert all(0 < share <= 1 for share in found.values())


def test_a_text_that_is_not_known_is_found_by_whom_it_is_about() -> None:
    assert {"anna", "rossi"} <= {*words_of_memory("", ("Anna Rossi",))}


WORDS = st.sampled_from(
    ["run", "Run", "runn", "park", "Rome", "every", "morning", "morning,", "not", "2", "3", "-2"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def merged(*texts: tuple[str, str]) -> dict[int, list[int]]:
    """Return which of the texts, best first, are shown, and what each stands for."""
    candidates = [CandidateText(UUID(int=n), text, by) for n, (text, by) in enumerate(texts)]
    ranked = [Ranked(candidate.id, 1.0) for candidate in candidates]
    found = Repetitions(candidates).merge(ranked)
    return {shown.id.int: [other.int for other in others] for shown, others in found}


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["Anna", "Davide"])), max_size=12))
def test_each_text_is_shown_or_stood_for_once_and_nothing_else_is_lost(texts: list[tuple[str, str]]) -> None:
    found = merged(*texts)
    assert list(found) == sorted(found), "in their order"
    assert sorted([*found, *(other for others in found.values() for other in others)]) == [*range(len(texts))]
    for shown, others in found.items():
        for other in others:
            (text, by), (another, whose) = texts[shown], texts[other]
            assert by == whose
            for kept in (r"-?\d", r"\bnot\b", r"\bRome\b"):
                assert sorted(re.findall(kept, text)) == sorted(re.findall(kept, another))
            assert len(text.split()) == len(another.split())
    folded = {(text.casefold().replace(",", ""), by) for text, by in texts}
    assert len(found) <= len(folded), "equal texts are shown once"


SAME = "I go running in the park every morning."


@pytest.mark.parametrize(("text", "same"), table(__file__, "variants").items())
def test_what_counts_as_the_same(text: str, *, same: bool) -> None:
    assert merged((SAME, ""), (text, "")) == ({0: [1]} if same else {0: [], 1: []})


@pytest.mark.parametrize("texts", table(__file__, "others").values(), ids=table(__file__, "others"))
def test_what_says_something_else_is_kept(texts: tuple[str, ...]) -> None:
    assert merged(*((text, "") for text in texts)) == {place: [] for place in range(len(texts))}


@pytest.mark.parametrize("texts", table(__file__, "signs").values(), ids=table(__file__, "signs"))
def test_signs_of_no_script_count(texts: tuple[str, ...]) -> None:
    assert merged(*((text, "") for text in texts)) == {0: [*range(1, len(texts))]}
