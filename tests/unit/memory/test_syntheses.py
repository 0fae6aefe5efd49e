"""Syntheses: three sentences at most, never longer than their sources, with what these have in common."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, memory

from ricordo.language.annotations import Emotion, MemoryKind, Role
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import max_length, synthesise

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
        Source.SLEEP_CONSOLIDATION,
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
