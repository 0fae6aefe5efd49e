"""What the shipped reader tells of a text, and that it follows from the text and the turn before alone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import pytest_asyncio
from tests.fixtures.sentence_tables import sentences

from ricordo.language.reading import PREDICATES, STATED, Reading
from ricordo.memory.importance import importance
from ricordo.models.onnx import OnnxModel, native_precision, open_onnx
from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo.models.reader.text_reader import TextReader, Unread, load_reader

TABLE: Final = Path(__file__).with_suffix(".toml")
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", name="model")
async def _model() -> AsyncIterator[OnnxModel]:
    async with open_onnx() as model:
        yield model


@pytest_asyncio.fixture(scope="module", loop_scope="module", name="reader")
async def _reader(model: OnnxModel) -> TextReader:
    return await load_reader(model.batch, installed_e5(), native_precision())


async def read(reader: TextReader, *texts: str) -> list[Reading]:
    found = await reader.read([Unread(text) for text in texts])
    assert None not in found
    return [one for one in found if one is not None]


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matters"))
async def test_turns_of_a_life_matter(reader: TextReader, language: str, texts: dict[str, None]) -> None:
    rated = [importance(one.importance).value for one in await read(reader, *texts)]
    assert np.mean(np.array(rated) >= 0.5) >= 0.6, language


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matters_little"))
async def test_small_talk_matters_little(reader: TextReader, language: str, texts: dict[str, None]) -> None:
    rated = [importance(one.importance).value for one in await read(reader, *texts)]
    assert np.mean(np.array(rated) <= 0.36) >= 0.9, language


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "telling", "telling_nothing"))
async def test_what_tells_something_is_told_from_what_does_not(
    reader: TextReader, language: str, texts: dict[str, None]
) -> None:
    found = [one.informative >= 0.1 for one in await read(reader, *texts)]
    tells = next(iter(texts)) == next(iter(dict(_told(language))))
    assert np.mean(np.array(found) == tells) >= 0.8, language


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
    alone, after = await reader.read([Unread("a baker, in Hull"), Unread("a baker, in Hull", before)])
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
    assert abs(found.valence) <= 2
