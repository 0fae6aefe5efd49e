"""Sessions, summaries of them, and the sentences that these are made of."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.factories import TENANT, at, memory, unit_vector

from ricordo.language.annotations import Emotion, MemoryKind, Role
from ricordo.memory.model import KeyTopic, Memory, derived_id
from ricordo.memory.salience import LONGEST, Text, salient
from ricordo.memory.summaries import SILENCE, Condensed, SessionTurn, key_topics, split_sessions, summarise

SAID = memory("m-1")


def _turns(*minutes: float) -> list[SessionTurn]:
    return [SessionTurn(replace(SAID, created_at=at(minute))) for minute in minutes]


def _instants(*minutes: float) -> list[datetime]:
    return [at(minute) for minute in minutes]


def _cut(*minutes: float, ends: tuple[float, ...] = (), most: int = 5_000) -> list[list[datetime]]:
    found = split_sessions(_turns(*minutes), map(at, ends), most=most)
    return [[one.created_at for one in session] for session in found]


def test_a_pause_of_half_an_hour_is_within_a_session() -> None:
    assert _cut(0, 30, 60) == [_instants(0, 30, 60)]
    assert _cut(0, 31, 32) == [_instants(0), _instants(31, 32)]


def test_what_was_said_until_the_end_belongs_to_the_session_that_ended() -> None:
    assert _cut(0, 1, 2, ends=(1,)) == [_instants(0, 1), _instants(2)]
    assert _cut(0, 1, 2, ends=(1.5, 1.2, 9)) == [_instants(0, 1), _instants(2)]


def test_an_endless_session_is_cut() -> None:
    assert _cut(0, 1, 2, 3, 4, most=2) == [_instants(0, 1), _instants(2, 3), _instants(4)]


@given(minutes=st.lists(st.integers(0, 500), max_size=40), ends=st.lists(st.integers(0, 500), max_size=4))
def test_every_turn_is_in_one_session(minutes: list[int], ends: list[int]) -> None:
    turns = _turns(*sorted(minutes))
    found = split_sessions(turns, map(at, ends))
    assert [turn for one in found for turn in one] == turns
    assert all(found)
    for one in found:
        instants = [turn.created_at for turn in one]
        pauses = [later - earlier for earlier, later in pairwise(instants)]
        assert max(pauses, default=timedelta()) <= SILENCE
        assert not any(instants[0] <= at(end) < instants[-1] for end in ends)


JOY = Emotion(valence=0.8, arousal=0.7, dominance=0.6, primary="joy")
FEAR = Emotion(valence=-0.7, arousal=0.8, dominance=0.2, primary="fear")


def _said(
    minute: int,
    content: str,
    *,
    importance: float = 0.4,
    role: Role = Role.USER,
    emotion: Emotion | None = None,
    topics: tuple[str, ...] = (),
    language: str = "en",
    speaker: str = "",
) -> Memory:
    made = memory(f"m-{minute}", content=content, created_at=at(minute), importance=importance)
    return replace(
        made, role=role, topics=topics, language=language, speaker=speaker, emotion=emotion or made.emotion
    )


def _summary(*memories: Memory, condensed: Condensed | None = None) -> Memory:
    return summarise([SessionTurn(one) for one in memories], condensed)


def test_it_stands_for_its_session() -> None:
    first, last = _said(0, "I adopted a dog called Max."), _said(5, "He is three years old.")
    made = _summary(first, last)
    assert made.id == derived_id(TENANT, MemoryKind.SUMMARY, [first.id, last.id])
    assert (made.kind, made.source_ids) == (MemoryKind.SUMMARY, (first.id, last.id))
    assert (made.created_at, made.event_start) == (last.created_at, first.created_at)
    assert made.message_id is None
    assert made.content == "I adopted a dog called Max. He is three years old."


def test_the_feeling_is_the_users() -> None:
    made = _summary(
        _said(0, "I am afraid that I shall lose my job.", emotion=FEAR),
        _said(1, "Cheer up!", role=Role.ASSISTANT, emotion=JOY),
        _said(2, "The bus was late."),
    )
    assert made.emotion.primary == "fear"
    assert made.emotion.keywords == ("fear",)
    assert made.emotion.valence < -0.4


def test_key_topics_have_importance_and_feeling() -> None:
    found = key_topics(
        [
            _said(0, "x", topics=("whales",), importance=0.8, emotion=JOY),
            _said(1, "x", topics=("holiday",), importance=0.4),
            *(_said(n, "x", topics=("bus",), importance=0.05) for n in range(2, 5)),
            _said(6, "x", topics=("bread",), importance=0.1),
        ]
    )
    assert found == (
        KeyTopic(topic="whales", importance="high", user_emotion="joy"),
        KeyTopic(topic="holiday", importance="medium"),
        KeyTopic(topic="bus", importance="medium"),
        KeyTopic(topic="bread", importance="low"),
    )


def test_what_a_model_says_takes_the_place_of_what_follows_from_the_turns() -> None:
    whole = Condensed(
        text="They adopted Max.",
        key_topics=(KeyTopic(topic="dog", importance="high"),),
        emotions=("joy", "pride"),
        importance=0.75,
    )
    turns = (_said(0, "I adopted a dog.", topics=("pet",)), _said(1, "His name is Max."))
    made = _summary(*turns, condensed=whole)
    assert (made.content, made.topics, made.importance) == ("They adopted Max.", ("dog",), 0.75)
    assert (made.emotion.primary, made.emotion.keywords) == ("joy", ("joy", "pride"))
    assert _summary(*turns, condensed=Condensed(text="They adopted Max.")).topics == ("pet",)


@given(
    said=st.lists(
        st.tuples(
            st.text(min_size=1, max_size=200),
            st.floats(0, 1),
            st.sampled_from(Role),
            st.floats(-1, 1),
            st.floats(0, 1),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_was_said_it_is_in_range(said: list[tuple[str, float, Role, float, float]]) -> None:
    made = _summary(
        *(
            _said(n, text, importance=weight, role=role, emotion=Emotion(valence=valence, arousal=arousal))
            for n, (text, weight, role, valence, arousal) in enumerate(said)
        )
    )
    assert 0 <= made.importance <= 1
    assert -1 <= made.emotion.valence <= 1
    assert 0 <= made.emotion.arousal <= 1


@pytest.mark.parametrize(("language", "most", "said", "chosen"), table(__file__, "salient"))
def test_what_matters_is_chosen_once_and_told_in_order(
    language: str, most: int, said: tuple[tuple[str, float], ...], chosen: tuple[str, ...]
) -> None:
    found = salient([Text(text, language, weight) for text, weight in said], most)
    assert tuple(sentence for _, sentence in found) == chosen


@given(
    said=st.lists(st.tuples(st.text(max_size=300), st.floats(0, 1), st.booleans()), max_size=12),
    most=st.integers(0, 4),
    language=st.sampled_from(["it", "en", "de", ""]),
)
def test_it_takes_any_text(said: list[tuple[str, float, bool]], most: int, language: str) -> None:
    texts = [
        Text(text, language, weight, unit_vector(place) if encoded else None)
        for place, (text, weight, encoded) in enumerate(said)
    ]
    chosen = salient(texts, most)
    assert len(chosen) <= most
    assert [place for place, _ in chosen] == sorted(place for place, _ in chosen)
    assert all(0 < len(sentence) <= LONGEST for _, sentence in chosen)
    assert salient(texts, most) == chosen
