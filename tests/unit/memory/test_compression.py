"""What is condensed, what goes together, and what syntheses say of it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, memory, unit_vector, unit_vectors

from ricordo.language.annotations import Emotion, MemoryKind, MemorySource, Role
from ricordo.memory.compression import (
    ALIKE,
    FEWEST,
    MOST,
    CompressionCandidate,
    budget_score,
    group_memories,
    is_weak,
    is_worth_condensing,
)
from ricordo.memory.model import Memory, derived_id
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import max_length, synthesise

_NOW = START + dt.timedelta(days=200)
_EIGHT = unit_vectors(8, 12, seed=3)


def _old(**fields: object) -> Memory:
    return replace(memory(importance=0.1), **fields)  # type: ignore[arg-type]  # each test names its own


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned": True},
        {"verified": True},
        {"compressed": True},
        {"source": MemorySource.USER_CORRECTION},
        {"message_id": None, "kind": MemoryKind.SYNTHESIS},
        {"message_id": None, "kind": MemoryKind.EXTRACT},
        {"expires_at": _NOW},
        {"importance": 0.6},
        {"access_count": 40},
        {"created_at": _NOW - dt.timedelta(days=90)},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_held_on_to_or_strong_or_young_is_left_alone(fields: dict[str, object]) -> None:
    assert is_weak(_old(), _NOW)
    assert not is_weak(_old(**fields), _NOW)


def test_the_worth_is_the_budget_score() -> None:
    one = _old(access_count=10, token_count=50)
    assert budget_score(one, _NOW) == pytest.approx(0.3 * (10 - 200 / 30) + 0.4 + 0.4 * 1.9 - 0.01)


def _weak(
    number: int, vector: NDArray[np.float32], day: float = 0.0, *names: str, language: str = "en"
) -> CompressionCandidate:
    return CompressionCandidate(UUID(int=number), START + dt.timedelta(days=day), language, names, vector)


def _numbers(found: Sequence[Sequence[CompressionCandidate]]) -> list[list[int]]:
    return [[one.id.int for one in group] for group in found]


def test_those_about_the_same_person_go_together() -> None:
    same = unit_vector(1)
    told = [_weak(n, same, n, "anna") for n in range(4)]
    told += [_weak(4, same, 4, "marco", "anna"), *(_weak(n, same, n, "marco") for n in (5, 6, 7))]
    assert _numbers(group_memories(told)) == [[0, 1, 2, 3, 4], [5, 6, 7]]


def test_those_of_a_quarter_go_first_and_the_rest_finds_company_farther_away() -> None:
    same = unit_vector(1)
    told = [_weak(n, same, day) for n, day in enumerate((0, 1, 2, 120, 400, 401))]
    assert _numbers(group_memories(told)) == [[0, 1, 2], [3, 4, 5]]


@given(
    kinds=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 500), st.integers(0, 3)), max_size=60),
    shuffled=st.randoms(use_true_random=False),
    done=st.integers(0, 5),
)
def test_the_groups_follow_from_the_set(
    kinds: list[tuple[int, int, int]], shuffled: Random, done: int
) -> None:
    names = ("", "anna", "marco", "anna")
    told = [
        _weak(n, _near(kind, n), day, *filter(None, [names[who]]), language="it" if who == 3 else "en")
        for n, (kind, day, who) in enumerate(kinds)
    ]
    found = group_memories(told)
    mixed = list(told)
    shuffled.shuffle(mixed)
    assert _numbers(group_memories(mixed)) == _numbers(found)
    condensed = {one.id for group in found[:done] for one in group}
    rest = group_memories(one for one in told if one.id not in condensed)
    assert sorted(_numbers(rest)) == sorted(_numbers(found[done:]))
    every = [one.id for group in found for one in group]
    assert len(every) == len(set(every))
    for group in found:
        assert FEWEST <= len(group) <= MOST
        assert len({(one.language, one.about) for one in group}) == 1
        cosines = np.stack([one.vector for one in group]) @ np.stack([one.vector for one in group]).T
        assert cosines.min(axis=1).max() >= ALIKE - 0.001  # some middle one is near to all


def _near(kind: int, number: int) -> NDArray[np.float32]:
    vector = _EIGHT[kind] + 0.4 * unit_vector(number, 12)
    near: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return near


def test_small_talk_tells_nothing_however_much_there_is_of_it() -> None:
    assert not is_worth_condensing([("Sounds good.", "en"), ("Va bene, a presto!", "it"), ("Capisco.", "it")])
    assert is_worth_condensing(
        [("Sounds good.", "en"), ("Anna lent me her drill.", "en"), ("Ho pagato il dentista.", "it")]
    )
    assert not is_worth_condensing([])


_DAY = dt.timedelta(days=1)
_ITALIAN = table(__file__, "italian")


def _told(texts: Sequence[str], language: str = "it", days: int = 20, **fields: object) -> list[SessionTurn]:
    return [
        SessionTurn(
            replace(
                memory(f"m-{n}", content=text, created_at=START + n * days * _DAY, importance=0.1 + n / 100),
                language=language,
                **fields,  # type: ignore[arg-type]  # each test names its own
            )
        )
        for n, text in enumerate(texts)
    ]


def _made(texts: Sequence[str], language: str = "it", days: int = 20, **fields: object) -> Memory:
    return synthesise(_told(texts, language, days, **fields))


def test_it_says_when_and_about_whom() -> None:
    made = _made(_ITALIAN, participants=("Davide", "Anna"), speaker="Davide")
    assert made.content.startswith("Tra gennaio e marzo 2026, su Anna: ")
    assert "20 euro" in made.content
    assert made.title == "Tra gennaio e marzo 2026, su Anna"


@pytest.mark.parametrize(("days", "language", "opening"), table(__file__, "the_time_is_said_as_one_would"))
def test_the_time_is_said_as_one_would(days: int, language: str, opening: str) -> None:
    said = ["The blue bicycle needs a new chain.", "The red one has a flat tyre.", "I sold the oldest."]
    made = _made([*said, "I bought two helmets for the children."], language, days)
    assert made.content.removeprefix(opening) in made.content
    assert made.content.startswith(opening or made.content[:1])
    assert opening or not made.content.startswith(("In ", "Between "))


def test_it_has_what_its_sources_come_to() -> None:
    told = _told(_ITALIAN, participants=("Anna",), topics=("caffè", "cinema"), tags=("a", "b"))
    told[1] = SessionTurn(replace(told[1].memory, confidence=0.5, trust=0.0, tags=("b",), topics=("cinema",)))
    told[2] = SessionTurn(replace(told[2].memory, emotion=Emotion(valence=0.8, arousal=0.8, primary="joy")))
    made = synthesise(told[::-1])
    sources = [one.memory for one in told]
    assert made == synthesise(told)
    assert (made.kind, made.source, made.message_id) == (
        MemoryKind.SYNTHESIS,
        MemorySource.SLEEP_CONSOLIDATION,
        None,
    )
    assert made.id == derived_id(made.tenant, MemoryKind.SYNTHESIS, made.source_ids)
    assert made.source_ids == tuple(one.id for one in sources)
    assert (made.confidence, made.trust) == (0.5, 0.0)
    assert made.importance == pytest.approx(0.13)
    assert (made.created_at, made.event_start) == (sources[-1].created_at, sources[0].created_at)
    assert made.event_end == sources[-1].created_at + dt.timedelta(seconds=1)
    assert (made.participants, made.topics, made.tags) == (("Anna",), ("cinema", "caffè"), ("b",))
    assert 0 < made.emotion.valence < 0.8
    assert made.emotion.primary == "joy"


def test_of_several_voices_each_is_named() -> None:
    told = _told(_ITALIAN, speaker="Davide")
    told[1] = SessionTurn(replace(told[1].memory, role=Role.ASSISTANT, speaker=""))
    made = synthesise(told)
    assert made.speaker == ""
    assert "Davide: " in made.content


@given(st.lists(st.text(min_size=1, max_size=60).filter(lambda text: text.strip()), min_size=3, max_size=20))
def test_it_is_never_longer_than_its_sources_and_never_empty(texts: list[str]) -> None:
    told = _told(texts, "en", speaker="Davide")
    made = synthesise(told)
    assert 0 < len(made.content) <= max_length(one.memory for one in told)
