"""What a language model says of messages counts only as far as these bear it out."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.factories import memory

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.language.document import Document
from ricordo.language.feelings import load_positions
from ricordo.language.titles import TITLE_LENGTH
from ricordo.memory.enrichment import VERSION, Enrichment, enrich
from ricordo.memory.llm_condensation import (
    CondensationFault,
    find_fault,
    select_messages,
    validate_condensation,
)
from ricordo.memory.llm_validation import (
    INFERRED_KINDS,
    Description,
    LlmMessage,
    LlmReading,
    merge_llm_reading,
)
from ricordo.memory.model import KeyTopic
from ricordo.memory.summaries import Condensed, SessionTurn

MODEL = "hermes3:8b"
BY_MODEL = f"{VERSION}+{MODEL}"
DOG = LlmMessage("Ieri sono andato al rifugio e ho adottato un cane con Martina, si chiama Max.", "it")
JOY = Description(valence=0.8, arousal=0.7, dominance=0.6, primary="joy")


def derived(said: LlmMessage) -> Enrichment:
    return enrich(Document(said.text, said.language), role=said.role, speaker=said.speaker)


def merged(said: LlmMessage = DOG, importance: float | None = None, **claims: object) -> Enrichment:
    description = Description(**claims) if claims else None  # type: ignore[arg-type]  # any field's value
    return merge_llm_reading(derived(said), said, LlmReading(importance, description), MODEL)


@pytest.mark.parametrize("reading", [LlmReading(), LlmReading(description=Description())])
def test_what_was_not_read_stays_as_the_rules_have_it(reading: LlmReading) -> None:
    assert merge_llm_reading(derived(DOG), DOG, reading, MODEL) == derived(DOG)


def test_the_versions_say_which_of_both_the_model_gave() -> None:
    assert (merged().version, merged().rated_by) == (VERSION, VERSION)
    rated = merged(importance=0.5)
    assert (rated.version, rated.rated_by) == (VERSION, BY_MODEL)
    described = merged(title="")
    assert (described.version, described.rated_by) == (BY_MODEL, VERSION)


@pytest.mark.parametrize("importance", [-0.1, 1.1, math.nan, math.inf])
def test_an_impossible_importance_leaves_the_heuristic(importance: float) -> None:
    assert merged(importance=importance).importance == derived(DOG).importance


@pytest.mark.parametrize(
    "change",
    [
        {"valence": 1.2},
        {"valence": -0.8},  # joy that is unpleasant
        {"valence": math.nan},
        {"arousal": -0.1},
        {"dominance": 5.0},
        {"dominance": None},
        {"primary": "happiness"},  # none of GoEmotions' labels
        {"primary": None},
        {"primary": "neutral"},  # and strongly pleasant
    ],
)
def test_a_feeling_that_does_not_hold_is_dropped(change: dict[str, object]) -> None:
    claim = replace(JOY, **change)  # type: ignore[arg-type]  # any field's value
    assert (
        merge_llm_reading(derived(DOG), DOG, LlmReading(None, claim), MODEL).emotion == derived(DOG).emotion
    )


def test_topics_are_in_the_text_in_some_form() -> None:
    found = merged(topics=("Rifugi", "cani", "adozione di gatti", "veterinario", "")).topics
    assert found[:2] == ("rifugi", "cani")
    assert not {"veterinario", "adozione di gatti", ""} & set(found)
    assert len(found) <= 5
    assert merged(topics=("veterinario",)).topics == derived(DOG).topics


def test_participants_are_names_that_the_text_writes_as_names() -> None:
    said = LlmMessage("ieri a Roma con Ludmilla e la sorella di lei, giovedì torna pietro", "it")
    found = merged(said, participants=("LUDMILLA", "Roma", "Giulia", "pietro", "Giovedì", "la sorella", ""))
    assert "Ludmilla" in found.participants
    assert not {"Roma", "Giulia", "pietro", "Giovedì", "giovedì", "la sorella", ""} & set(found.participants)
    speaker = LlmMessage("Ho visto Ludmilla.", "it", speaker="Davide")
    assert merged(speaker, participants=("Ludmilla",)).participants[0] == "Davide"  # nobody is taken away


@pytest.mark.parametrize(
    ("title", "taken"), [*table(__file__, "titles"), ("Adottato un cane al rifugio " * 20, True)]
)
def test_a_title_tells_what_the_text_tells(title: str, taken: bool) -> None:  # noqa: FBT001 - a parameter
    found = merged(title=title).title
    assert (found != derived(DOG).title) is taken
    assert len(found) <= TITLE_LENGTH
    assert "\n" not in found


WORDS = st.text(max_size=40)
CLAIMS = st.builds(
    Description,
    valence=st.none() | st.floats(),
    arousal=st.none() | st.floats(),
    dominance=st.none() | st.floats(),
    primary=st.none() | WORDS | st.sampled_from(sorted(load_positions())),
    keywords=st.lists(WORDS, max_size=4).map(tuple),
    topics=st.lists(WORDS, max_size=8).map(tuple),
    participants=st.lists(WORDS, max_size=20).map(tuple),
    type=st.none() | st.sampled_from(MemoryType),
    kind=st.none() | st.sampled_from(MemoryKind),
    title=st.none() | st.text(max_size=400),
)


@given(
    text=st.text(max_size=200),
    language=st.sampled_from(["it", "en", "ja", ""]),
    importance=st.none() | st.floats(),
    claim=st.none() | CLAIMS,
)
def test_whatever_a_model_says_values_stay_in_range(
    text: str, language: str, importance: float | None, claim: Description | None
) -> None:
    said = LlmMessage(text, language)
    found = merge_llm_reading(derived(said), said, LlmReading(importance, claim), MODEL)
    assert 0 <= found.importance <= 1
    emotion = found.emotion
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1
    assert emotion.primary in {*load_positions(), "neutral"}
    assert len(found.topics) <= 5
    assert found.kind in INFERRED_KINDS
    assert len(found.title) <= TITLE_LENGTH


SAID = (
    LlmMessage("I met Anna at the harbour in Genoa on 3 May.", "en", speaker="Davide"),
    LlmMessage("We talked about the boat for an hour.", "en", speaker="Davide"),
)


def test_all_is_shown_where_there_is_room_else_what_matters_most() -> None:
    told = [
        SessionTurn(replace(memory(f"m-{n}", content=str(n) * 100, importance=weight), language="en"))
        for n, weight in enumerate((0.2, 0.1, 0.9))
    ]
    assert [one.text[0] for one in select_messages(told)] == ["0", "1", "2"]
    assert [one.text[0] for one in select_messages(told, 200)] == ["0", "2"]
    assert [one.text[0] for one in select_messages(told, 1)] == ["2"]


@pytest.mark.parametrize(("text", "fault"), table(__file__, "condensations"))
def test_names_numbers_language_and_length_are_looked_at(text: str, fault: str) -> None:
    assert find_fault(text, SAID, "en") == (CondensationFault[fault] if fault else None)


def test_topics_and_feelings_count_where_they_hold() -> None:
    claim = Condensed(
        text=" They  met. ",
        key_topics=(
            KeyTopic(topic="boats", importance="high", user_emotion="bliss"),
            KeyTopic(topic="harbour", user_emotion="joy"),
            KeyTopic(topic="divorce", importance="high"),
            KeyTopic(topic="harbour", importance="low"),
        ),
        emotions=("joy", "bliss", "joy"),
        importance=1.5,
    )
    assert validate_condensation(claim, SAID) == Condensed(
        text="They met.",
        key_topics=(
            KeyTopic(topic="boats", importance="high"),
            KeyTopic(topic="harbour", user_emotion="joy"),
        ),
        emotions=("joy",),
        importance=None,
    )
