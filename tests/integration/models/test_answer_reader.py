"""Which passage answers a question, and with which words, as the shipped reader of answers judges it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Final

import numpy as np
import pytest
import pytest_asyncio
from tests.fixtures.sentence_tables import table

from ricordo.models.encoder import ModelUnavailable
from ricordo.models.onnx.network import native_precision
from ricordo.models.reader.answer_reader import AnswerReader, Verdict, likeliest_words
from ricordo.models.reader.question_pairs import ASKER, ASSISTANT, Passage, paired, with_earlier

LIKE: Final = 0.3
SAID: Final = [Passage(ASKER, text) for text in table(__file__, "said")]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", name="reader")
async def _reader() -> AsyncIterator[AnswerReader]:
    reader = await asyncio.to_thread(AnswerReader, native_precision())
    yield reader
    reader.close()


async def judged(reader: AnswerReader, question: str, passages: Sequence[Passage]) -> Sequence[Verdict]:
    return await reader.judge(question, passages, [LIKE] * len(passages))


@pytest.mark.parametrize(("question", "place", "words"), table(__file__, "asked"))
async def test_what_answers_comes_first_with_its_words(
    reader: AnswerReader, question: str, place: int, words: str
) -> None:
    found = await judged(reader, question, SAID)
    assert max(range(len(found)), key=lambda one: found[one].probability) == place
    assert words in SAID[place].text[slice(*found[place].words)]


async def test_most_of_what_nothing_answers_is_less_probable_than_what_is_answered(
    reader: AnswerReader,
) -> None:
    async def best(question: str) -> float:
        return max(one.probability for one in await judged(reader, question, SAID))

    answered = [await best(row[0]) for row in table(__file__, "asked")]
    never = [await best(question) for question in table(__file__, "never")]
    assert np.subtract.outer(answered, never).ravel().__gt__(0).mean() >= 0.8


async def test_the_turn_before_is_read_with_a_passage(reader: AnswerReader) -> None:
    alone, after = await judged(
        reader,
        "what day is my dentist appointment?",
        [Passage(ASKER, "the 14th"), Passage(ASKER, "the 14th", f"{ASSISTANT}: When is your dentist?")],
    )
    assert after.probability > alone.probability


async def test_a_question_is_read_with_what_it_leans_on(reader: AnswerReader) -> None:
    said = [Passage(ASKER, "anna moved to trieste"), Passage(ASKER, "claire lives in leeds")]
    for name, place in (("anna", 0), ("claire", 1)):
        asked = with_earlier("and where does she live?", f"what does {name} do for work? translator")
        found = await judged(reader, asked, said)
        assert found[place].probability > found[1 - place].probability
    assert with_earlier("when?", "") == "when?"


@pytest.mark.parametrize(
    "text", ["", " ", "😀" * 300, "\ud800 triste", "a" * 3_000, "sono felice, " * 800, "你好"]
)
async def test_any_text_is_judged_within_its_bounds(reader: AnswerReader, text: str) -> None:
    for question, passage in (("why?", Passage(ASKER, text, text)), (text, Passage(text[:50], "I am Ada."))):
        (found,) = await judged(reader, question, [passage])
        assert 0 <= found.probability <= 1
        assert 0 <= found.words[0] <= found.words[1] <= len(passage.text)


async def test_a_verdict_follows_from_question_and_passage_alone(reader: AnswerReader) -> None:
    together = await judged(reader, "who is my dentist?", SAID)
    alone = [(await judged(reader, "who is my dentist?", [one]))[0] for one in SAID]
    assert list(together) == alone


async def test_a_closed_reader_says_so() -> None:
    reader = await asyncio.to_thread(AnswerReader, native_precision())
    reader.close()
    with pytest.raises(ModelUnavailable):
        await judged(reader, "who?", SAID)


async def test_a_pair_holds_both_texts_within_their_windows(reader: AnswerReader) -> None:
    long = Passage("Ada", "word " * 400, "Bo: " + "more " * 100)
    pair = paired("what " * 100, long, reader._tokens, reader._sides)
    assert len(pair.ids) == len(pair.spans) == 160
    shown = [long.text[start:end] for start, end in pair.spans if end > 0]
    assert shown
    assert set(shown) == {"word"}


async def test_words_are_one_span_that_does_not_run_backwards() -> None:
    spans = [(-1, -1), (0, 2), (3, 5), (6, 8)]
    bounds = np.array([[9, 9], [0, 5], [4, 0], [1, 3]], dtype=np.float32)
    assert likeliest_words(spans, bounds) == (3, 8)
    assert likeliest_words([(-1, -1)], bounds[:1]) == (0, 0)
