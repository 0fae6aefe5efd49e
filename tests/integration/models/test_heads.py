"""The heads that are shipped, with vectors of their model, on texts that they have not seen."""

from collections.abc import AsyncIterator

import numpy as np
import pytest
from numpy.typing import NDArray

from ricordo.language.classification import tells_how
from ricordo.language.document import Document
from ricordo.language.query_analysis.requested_predicates import CORE, requested_predicates
from ricordo.models.encoder import Encoder
from ricordo.models.onnx.minilm import open_minilm


@pytest.fixture
async def minilm() -> AsyncIterator[Encoder]:
    async with open_minilm() as model:
        yield model.query


async def vector(minilm: Encoder, text: str) -> NDArray[np.float32]:
    found: NDArray[np.float32] = (await minilm.encode([text]))[0]
    return found


@pytest.mark.parametrize(
    ("query", "language", "predicate"),
    [
        ("whats me name then", "en", "name"),
        ("how do people address me", "en", "name"),
        ("which tablets am i supposed to take", "en", "has_condition"),
        ("what sort of car is mine", "en", "owns"),
        ("What do I get up to on my days off?", "en", "plays"),
        ("What's in my diary this week?", "en", "plans"),
        ("com e che mi chiamo io?", "it", "name"),
        ("a quanti anni sono arrivato?", "it", "age"),
        ("che lavoro facevo da giovane", "it", "works_as"),
        ("ce l'ho una bestiola?", "it", "has_pet"),
        ("dove stiamo di casa adesso", "it", "lives_in"),
    ],
)
async def test_a_question_about_oneself_asks_for_a_predicate_alone(
    minilm: Encoder, query: str, language: str, predicate: str
) -> None:
    found = requested_predicates(query, language, vector=await vector(minilm, query))
    assert found.names[0] == predicate
    assert found.bare > 0.5


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("Quando è morto il mio cane?", "it"),
        ("What did my sister say about the flat?", "en"),
        ("How was the concert?", "en"),
        ("How long do I boil the eggs?", "en"),
        ("", "en"),
    ],
)
async def test_a_question_that_says_more_is_searched_for_by_its_own_words(
    minilm: Encoder, query: str, language: str
) -> None:
    assert not requested_predicates(query, language, vector=await vector(minilm, query)).bare


async def test_who_names_somebody_asks_for_more(minilm: Encoder) -> None:
    query = "Dove abita Anna?"
    found = requested_predicates(query, "it", names=("Anna",), vector=await vector(minilm, query))
    assert found.names == ("lives_in",)
    assert not found.bare


@pytest.mark.parametrize(
    ("query", "language"),
    [("What have you learnt about me so far?", "en"), ("Cos'hai capito di me finora?", "it")],
)
async def test_oneself_as_a_whole_asks_for_the_core(minilm: Encoder, query: str, language: str) -> None:
    assert requested_predicates(query, language, vector=await vector(minilm, query)).names == CORE


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Per montare la tenda: stendi il telo, infila i pali, tira i lacci e poi pianta i picchetti.", "it"),
        ("Zia mi ha spiegato il pesto: due giri di pestello, olio solo alla fine, mai scaldarlo", "it"),
        ("promemoria: prima stacca la spina, poi tieni premuto il tasto dieci secondi", "it"),
        ("To prune the roses, cut above a bud, then seal the end. never in frost", "en"),
        ("The plumber showed me: shut the valve, wait two minutes, then open it a quarter turn", "en"),
        ("note to self: soak the beans before dinner, rinse twice, boil till soft", "en"),
    ],
)
async def test_a_way_to_do_something_is_known(minilm: Encoder, text: str, language: str) -> None:
    assert tells_how(Document(text, language), await vector(minilm, text))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ieri siamo andati al mare, poi abbiamo cenato dai nonni e siamo tornati tardi.", "it"),
        ("Prima siamo passati dalla nonna, poi al mercato e infine a casa.", "it"),
        ("Mia sorella ha due gatti e un cane, vive a Udine.", "it"),
        ("Then we took the train home and slept for ten hours.", "en"),
        ("I hate Mondays, never again.", "en"),
        ("", "en"),
        ("Results of today: ferritin: 14, iron: 51, TSH: 1.9, all fine says the doctor", "en"),
        ("Esami di oggi: ferritina: 14, ferro: 51, TSH: 1,9, tutto bene dice il dottore", "it"),
        ("Mon: maths, art. Tue: history, PE. Wed: music, French", "en"),
        ("étendre la pâte, puis cuire dix minutes", "fr"),
    ],
)
async def test_a_story_tells_no_way(minilm: Encoder, text: str, language: str) -> None:
    assert not tells_how(Document(text, language), await vector(minilm, text))
