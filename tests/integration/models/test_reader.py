"""What the shipped reader tells of a text, and that it follows from the text and the turn before alone."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import numpy as np
import pytest
from tests.fixtures.sentence_tables import table
from tests.integration.models.conftest import Shipped
from tests.support.factories import utterance

from ricordo.language.annotations import Role
from ricordo.language.reading import INFORMATIVE, PREDICATES, STATED, Reading
from ricordo.memory.enrichment import felt
from ricordo.memory.facts.read_statements import statements_of
from ricordo.memory.importance import importance
from ricordo.models.reader.text_reader import TextToRead
from ricordo.store import rows
from ricordo_services.cli.demo_command import conversation

SHARES: Final[dict[str, tuple[Callable[[Reading], bool], float]]] = {
    "matters": (lambda read: importance(read.importance) >= 0.5, 0.6),
    "matters_little": (lambda read: importance(read.importance) <= 0.36, 0.9),
    "telling": (lambda read: read.informative >= INFORMATIVE, 0.7),
    "telling_nothing": (lambda read: read.informative < INFORMATIVE, 0.7),
    "procedures": (lambda read: read.procedural >= 0.5, 0.6),
    "stories": (lambda read: read.procedural < 0.5, 0.6),
}
"""Of the sentences of each table, of which share at least something is to be told."""


@pytest.mark.parametrize("name", SHARES)
def test_what_matters_or_tells_something_and_ways_to_do_it_are_told(shipped: Shipped, name: str) -> None:
    tells, least = SHARES[name]
    for language, texts in table(__file__, name).items():
        assert np.mean([tells(read) for read in shipped.read(*texts)]) >= least, language


def test_a_reading_is_the_same_whether_its_text_was_just_encoded_or_not(shipped: Shipped) -> None:
    texts = ["My sister Anna works at Tendwell in Leeds.", "Sono allergico alle noci, da sempre."]
    together = shipped.read(*texts)
    alone = [shipped.background.wait(shipped.reader.read([TextToRead(text)])) for text in texts]
    assert [one for (one,) in alone] == together
    assert [rows.reading(one.to_json()) for one in together] == together


def test_the_turn_before_is_read_with_a_text(shipped: Shipped) -> None:
    (before,) = shipped.background.wait(shipped.models.batch.encode(["What is your job?"]))
    both = TextToRead("a baker, in Hull"), TextToRead("a baker, in Hull", before)
    alone, after = shipped.background.wait(shipped.reader.read(both))
    assert alone != after


ANY_TEXT: Final = (
    *(
        "",
        " ",
        "\U0001f600" * 300,
        "\ud800 triste",
        "a" * 3_000,
        "sono felice, " * 800,
        "ha" * 16_000,
        "你好吗",
    ),
    *("<b>sono felice</b> \n\n" * 1_500, "I am happy e sono triste " * 900),
    "```python\nraise ValueError('sad')\n```",
)


def test_any_text_is_read_within_its_bounds(shipped: Shipped) -> None:
    for text, found in zip(ANY_TEXT, shipped.read(*ANY_TEXT), strict=True):
        spans = [one.object for one in found.statements] + [one.clause for one in found.statements]
        spans += [*found.topics, *((start, end) for start, end, _ in (*found.names, *found.times))]
        assert all(0 <= start < end <= len(text) for start, end in spans), text[:20]
        assert {one.predicate for one in found.statements} <= {*PREDICATES, STATED}
        emotion = felt(text, found)
        for value in (found.informative, found.importance / 3, emotion.arousal, emotion.dominance):
            assert 0 <= value <= 1, text[:20]
        assert max(abs(found.valence), abs(emotion.valence)) <= 1, text[:20]
        assert all(word in text for word in emotion.keywords), text[:20]


def test_what_the_example_conversation_repeats_becomes_a_fact_that_shows_unasked(
    shipped: Shipped,
) -> None:
    messages = [one for one in conversation(datetime(2026, 5, 4, 12, tzinfo=UTC)) if one.role is Role.USER]
    readings = shipped.read(*(one.content for one in messages))
    counts = Counter(
        (stated.predicate, stated.object)
        for one, reading in zip(messages, readings, strict=True)
        for stated in statements_of(
            utterance(one.content, language=one.language, said_at=one.timestamp, reading=reading)
        )
        if stated.subject == "user"
    )
    assert {fact for fact, count in counts.items() if count >= 2} >= {
        ("lives_in", "Trieste"),
        ("has_pet", "Pepe"),
        ("has_sibling", "Nora"),
        ("allergic_to", "noci"),
    }
    assert ("lives_in", "Torino") in counts  # the change of city
