"""How much a message matters, and why."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences

from ricordo.language.annotations import NEUTRAL
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo.memory.importance import Importance, importance, meaningfulness, rating_of_ten

TABLE = Path(__file__).with_name("importance.toml")


def rate(said: str, language: str) -> Importance:
    return importance(Document(said, language), estimate(Document(said, language)))


def reasons(said: str, language: str) -> set[str]:
    return {one.reason for one in rate(said, language).contributions}


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "turns_of_a_life_matter"))
def test_turns_of_a_life_matter(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if rate(text, language).value < 0.7] == []
    assert [text for text in texts if "life_event" not in reasons(text, language)] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "gravest_and_profound_matter"))
def test_what_is_grave_or_profound_matters_whatever_is_felt(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if importance(Document(text, language), NEUTRAL).value < 0.7] == []


@pytest.mark.parametrize(
    ("language", "texts"), sentences(TABLE, "small_talk_does_not", "courtesies_matter_little")
)
def test_small_talk_and_courtesies_matter_little(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if rate(text, language).value > 0.3] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "what_only_sounds_so_does_not"))
def test_what_only_sounds_grave_does_not_matter(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if importance(Document(text, language), NEUTRAL).value > 0.3] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "own_feelings_count_beside_courtesies"))
def test_own_feelings_count_beside_courtesies(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if "feeling" not in reasons(text, language)] == []


@pytest.mark.parametrize(
    ("language", "expected"), sentences(TABLE, "words_of_death_are_felt_where_somebody_died")
)
def test_words_of_death_are_felt_where_somebody_died(language: str, expected: dict[str, bool]) -> None:
    assert {text: "feeling" in reasons(text, language) for text in expected} == expected


def test_both_scales_add_up() -> None:
    said = "I feel so scared, it is an important decision that I have to make this very week about my future."
    rated = rate(said, "en")
    # 2/9 at the start, three weighty words, feeling, disclosure.
    assert rated.value == pytest.approx(2 / 9 + 3 * 0.5 / 9 + 1 / 4 + 1 / 4)


def test_length_counts_twice() -> None:
    long = "the road goes on " * 20
    assert rate(long, "en").value == pytest.approx(3 / 9)
    assert rate(long * 2, "en").value == pytest.approx(4 / 9)


@given(st.text(max_size=700), st.sampled_from(["it", "en", "xx"]))
def test_importance_is_bounded_and_explained(said: str, language: str) -> None:
    rated = rate(said, language)
    assert 0 <= rated.value <= 1
    assert rated.value == pytest.approx(min(1, sum(each.amount for each in rated.contributions)))


def test_one_importance_has_three_scales() -> None:
    assert (rating_of_ten(0), rating_of_ten(1)) == (1, 10)
    assert (meaningfulness(0), meaningfulness(1)) == (1, 5)


@pytest.mark.parametrize(
    "said", ["Sono al settimo  cielo oggi", "Sono al settimo\ncielo oggi", "Sono **felice** oggi"]
)
def test_a_feeling_counts_however_it_is_set(said: str) -> None:
    assert "feeling" in reasons(said, "it")
