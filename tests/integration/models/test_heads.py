"""The heads that are shipped, with vectors of their model, on texts that they have not seen."""

from collections.abc import AsyncIterator

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray
from tests.fixtures.sentence_tables import table

from ricordo.language.query_analysis.requested_predicates import CORE, requested_predicates
from ricordo.language.query_analysis.search_terms import leans
from ricordo.models.encoder import Encoder
from ricordo.models.onnx.onnx_encoder import OnnxModel, open_onnx

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[OnnxModel]:
    async with open_onnx() as opened:
        yield opened


async def vector(encoder: Encoder, text: str) -> NDArray[np.float32]:
    found: NDArray[np.float32] = (await encoder.encode([text]))[0]
    return found


@pytest.mark.parametrize(
    ("query", "language", "predicate"), table(__file__, "a_question_about_oneself_asks_for_a_predicate_alone")
)
async def test_a_question_about_oneself_asks_for_a_predicate_alone(
    model: OnnxModel, query: str, language: str, predicate: str
) -> None:
    found = requested_predicates(query, language, vector=await vector(model.query, query))
    assert found.names[0] == predicate
    assert found.bare > 0.5


@pytest.mark.parametrize(
    ("query", "language"), table(__file__, "a_question_that_says_more_is_searched_for_by_its_own_words")
)
async def test_a_question_that_says_more_is_searched_for_by_its_own_words(
    model: OnnxModel, query: str, language: str
) -> None:
    assert not requested_predicates(query, language, vector=await vector(model.query, query)).bare


async def test_who_names_somebody_asks_for_more(model: OnnxModel) -> None:
    query = "Dove abita Anna?"
    found = requested_predicates(query, "it", names=("Anna",), vector=await vector(model.query, query))
    assert found.names == ("lives_in",)
    assert not found.bare


@pytest.mark.parametrize(
    ("query", "language"),
    [("What have you learnt about me so far?", "en"), ("Cos'hai capito di me finora?", "it")],
)
async def test_oneself_as_a_whole_asks_for_the_core(model: OnnxModel, query: str, language: str) -> None:
    assert requested_predicates(query, language, vector=await vector(model.query, query)).names == CORE


@pytest.mark.parametrize(
    ("question", "language", "does"), table(__file__, "a_follow_up_cannot_be_understood_alone")
)
async def test_a_follow_up_cannot_be_understood_alone(
    model: OnnxModel, question: str, language: str, *, does: bool
) -> None:
    assert leans(question, language, await vector(model.query, question)) == does
