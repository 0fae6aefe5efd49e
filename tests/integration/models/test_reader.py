"""What the shipped reader tells of a text, and that it follows from the text and the turn before alone."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import pytest_asyncio
from tests.fixtures.sentence_tables import sentences
from tests.support.factories import utterance

from ricordo.language.annotations import Role
from ricordo.language.reading import INFORMATIVE, PREDICATES, STATED, Reading
from ricordo.memory.facts.read_statements import statements_of
from ricordo.memory.importance import importance
from ricordo.models.onnx.onnx_encoder import OnnxModel, open_onnx
from ricordo.models.reader.text_reader import TextReader, TextToRead
from ricordo_services.cli.demo.demo_command import conversation

TABLE: Final = Path(__file__).with_suffix(".toml")
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", name="model")
async def _model() -> AsyncIterator[OnnxModel]:
    async with open_onnx() as model:
        yield model


@pytest_asyncio.fixture(scope="module", loop_scope="module", name="reader")
async def _reader(model: OnnxModel) -> TextReader:
    return await asyncio.to_thread(TextReader, model.batch)


async def read(reader: TextReader, *texts: str) -> list[Reading]:
    found = await reader.read([TextToRead(text) for text in texts])
    assert None not in found
    return [one for one in found if one is not None]


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matters"))
async def test_turns_of_a_life_matter(reader: TextReader, language: str, texts: dict[str, None]) -> None:
    rated = [importance(one.importance) for one in await read(reader, *texts)]
    assert np.mean(np.array(rated) >= 0.5) >= 0.6, language


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matters_little"))
async def test_small_talk_matters_little(reader: TextReader, language: str, texts: dict[str, None]) -> None:
    rated = [importance(one.importance) for one in await read(reader, *texts)]
    assert np.mean(np.array(rated) <= 0.36) >= 0.9, language


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "telling", "telling_nothing"))
async def test_what_tells_something_is_told_from_what_does_not(
    reader: TextReader, language: str, texts: dict[str, None]
) -> None:
    found = [one.informative >= INFORMATIVE for one in await read(reader, *texts)]
    tells = next(iter(texts)) == next(iter(dict(_told(language))))
    assert np.mean(np.array(found) == tells) >= 0.7, language


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "procedures", "stories"))
async def test_ways_to_do_something_are_told_from_stories(
    reader: TextReader, language: str, texts: dict[str, None]
) -> None:
    found = np.array([one.procedural for one in await read(reader, *texts)])
    is_way = next(iter(texts)).startswith(("Per ", "To "))
    assert np.mean((found >= 0.5) == is_way) >= 0.6, language


def _told(language: str) -> list[tuple[str, None]]:
    (found,) = [one.values[1] for one in sentences(TABLE, "telling") if one.values[0] == language]
    return list(found.items())


async def test_a_reading_is_the_same_whether_its_text_was_just_encoded_or_not(
    model: OnnxModel, reader: TextReader
) -> None:
    texts = ["My sister Anna works at Tendwell in Leeds.", "Sono allergico alle noci, da sempre."]
    alone = await read(reader, *texts)
    await model.batch.encode(texts)
    together = await asyncio.gather(*(read(reader, text) for text in texts))
    assert [one for (one,) in together] == alone
    assert [Reading.of_json(one.to_json()) for one in alone] == alone


async def test_the_turn_before_is_read_with_a_text(model: OnnxModel, reader: TextReader) -> None:
    (before,) = await model.batch.encode(["What is your job?"])
    alone, after = await reader.read([TextToRead("a baker, in Hull"), TextToRead("a baker, in Hull", before)])
    assert alone != after


@pytest.mark.parametrize(
    "text",
    ["", " ", "😀" * 300, "\ud800 triste", "a" * 3_000, "sono felice, " * 800, "<b>ciao</b>\n\n", "你好吗"],
)
async def test_any_text_is_read_within_its_bounds(reader: TextReader, text: str) -> None:
    (found,) = await read(reader, text)
    spans = [one.object for one in found.statements] + [one.clause for one in found.statements]
    spans += [*found.topics, *((start, end) for start, end, _ in (*found.names, *found.times))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert {one.predicate for one in found.statements} <= {*PREDICATES, STATED}
    assert 0 <= found.informative <= 1
    assert 0 <= found.importance <= 3
    assert abs(found.valence) <= 1


async def test_what_the_example_conversation_repeats_becomes_a_fact_that_shows_unasked(
    reader: TextReader,
) -> None:
    messages = [one for one in conversation(datetime(2026, 5, 4, 12, tzinfo=UTC)) if one.role is Role.USER]
    readings = await read(reader, *(one.content for one in messages))
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
