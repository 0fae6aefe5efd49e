"""Every step on a real language model, by both interfaces of its server: `make test-llm` starts one.

What a model of this size says is not judged here, only that each step gets an answer in its shape and time,
and that whatever is kept of it rests on what the model was shown.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import fact
from tests.fixtures.talking import utterances
from tests.support.factories import START, memory

from ricordo.clock import SystemClock
from ricordo.memory.answers import AnswerMaterial
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.models.fact_extraction import FactExtractor
from ricordo.models.llm.language_model import GREETING, LanguageModel
from ricordo.models.llm.ollama_encoder import open_ollama
from ricordo.models.llm.ollama_server import ModelMissing
from ricordo.models.llm_answers import LlmAnswers
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_describer import RATING, LlmDescriber
from ricordo.models.llm_insights import LlmInsights
from ricordo.models.query_analyser import QueryAnalyser, Question
from ricordo.models.throttle import Throttle
from ricordo.runtime.scheduling import CpuExecutor
from ricordo_services.knowledge.identity_resolution import IDENTITY

URL = os.environ.get("RICORDO_TEST_LLM", "")
MODEL = os.environ.get("RICORDO_TEST_LLM_MODEL", "qwen2.5-coder:1.5b")
PATIENT_S = 500.0
SAID = (
    "My sister Nora moved to Cork in May, she works as a nurse there.",
    "I quit my job at the bakery today. Scared and happy.",
)
MESSAGES = [LlmMessage(text, "en") for text in SAID]
MEMORIES = [
    replace(
        memory(f"m-{n}", content=text, created_at=START + timedelta(days=n)), language="en", speaker="Ada"
    )
    for n, text in enumerate(SAID)
]
ZONE = ZoneInfo("Europe/Rome")

pytestmark = [
    pytest.mark.llm,
    pytest.mark.timeout(2 * PATIENT_S),
    pytest.mark.skipif(not URL, reason="make test-llm starts a language model"),
]


@pytest.fixture(params=["", "/v1"], ids=["ollama", "openai"])
def url(request: pytest.FixtureRequest) -> str:
    return f"{URL}{request.param}"


@pytest.fixture
async def model(url: str) -> AsyncIterator[LanguageModel]:
    async with opened(url) as found:
        yield found


def opened(url: str, model: str = MODEL, **limits: Any) -> AbstractAsyncContextManager[LanguageModel]:  # noqa: ANN401
    throttle = Throttle(SystemClock(), budget=PATIENT_S)
    return LanguageModel.open(url, model, throttle, **{"timeout": PATIENT_S, "wait": True} | limits)


async def rated(model: LanguageModel, texts: Sequence[str] = SAID) -> list[float | None]:
    found = await model.ask_each(RATING, [{"text": text} for text in texts])
    return [None if one is None else one.rating for one in found]


async def test_messages_are_rated_and_described(model: LanguageModel) -> None:
    found = await LlmDescriber(model).read(MESSAGES)
    assert all(one.importance is not None and one.description is not None for one in found)
    assert any(one.description and one.description.topics for one in found)


async def test_facts_are_read_and_kept_as_far_as_the_message_supports_them(model: LanguageModel) -> None:
    async with CpuExecutor() as beside:
        extractor = FactExtractor(beside, model)
        found = await extractor.read([replace(one, language="en") for one in utterances(*SAID)])
    assert extractor.counters["llm_answered"] == len(SAID)
    assert all(one.quote in said for said, facts in zip(SAID, found, strict=True) for one in facts)


async def test_two_names_are_judged(model: LanguageModel) -> None:
    rest = {"also_called": (), "quotes": ()}
    nico = {"name": "Nico", "facts": ("Nico works as a nurse", "Nico lives in Cork"), **rest}
    nicola = {"name": "Nicola", "facts": ("Nicola works as a nurse in Cork",), **rest}
    assert (await model.ask(IDENTITY, {"first": nico, "second": nicola})).verdict


async def test_a_question_is_analysed(model: LanguageModel) -> None:
    asked = Question(text="Where does my sister Nora live?", now=START, zone=ZONE, known_names=("Nora",))
    found = await QueryAnalyser(model).understand(asked)
    assert not found.degraded
    assert found.analysis.analyser == "llm"


async def test_a_session_and_memories_are_condensed(model: LanguageModel) -> None:
    condenser, turns = LlmCondenser(model), [SessionTurn(one) for one in MEMORIES]
    session, synthesis = await condenser.condense(turns), await condenser.synthesis(turns)
    assert model.throttle.reason == ""
    assert session is None or session.text
    assert synthesis is None or len(synthesis) <= sum(map(len, SAID))


async def test_insights_rest_on_the_memories(model: LanguageModel) -> None:
    found = await LlmInsights(model).insights(ReflectionEvidence(MEMORIES, ()))
    assert model.throttle.reason == ""
    assert all(one.sources for one in found)


async def test_an_answer_is_written_sentence_by_sentence(model: LanguageModel) -> None:
    material = AnswerMaterial(
        question="Where does Nora live?", facts=[fact("lives_in", "Cork")], memories=MEMORIES
    )
    parts: list[str] = []

    async def keep(part: object) -> None:
        parts.append(str(part))

    found = await LlmAnswers(model).answer(material, "en", ZONE, full=False, on_sentence=keep)
    assert model.throttle.reason == ""
    assert found is None or (len(parts) >= 1 and (found.facts or found.memories))


async def test_a_prompt_longer_than_the_window_is_answered(url: str) -> None:
    long = [f"{text} {'It went on and on. ' * 90}" for text in SAID]
    async with opened(url, window=512) as model:
        assert len(await rated(model, long)) == len(long)
        assert "\n" not in model.throttle.reason


async def test_several_ask_at_once(url: str) -> None:
    async with opened(url) as one, opened(url) as other:
        answers = await asyncio.gather(rated(one), rated(other))
    assert answers[0] == answers[1], "temperature and seed are 0"


async def test_a_model_that_is_unloaded_meanwhile_is_loaded_again(model: LanguageModel) -> None:
    import ollama  # noqa: PLC0415 - of the extra

    before = await rated(model)
    client = ollama.AsyncClient(URL)
    await client.generate(model=MODEL, keep_alive=0)
    await client.close()  # type: ignore[no-untyped-call]  # the library leaves its return type out
    assert await rated(model) == before


async def test_a_connection_that_is_cut_is_told_and_made_again(model: LanguageModel) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await model.ask(GREETING, {})
    assert (await model.ask(GREETING, {})).word


async def test_a_model_that_is_not_there_and_one_too_slow_are_told_apart(url: str) -> None:
    async with opened(url, "no-such-model", pull=False, wait=False) as model:
        with pytest.raises(ModelMissing):
            await model.ask(GREETING, {})
    async with opened(url, timeout=0.01, pull=False, wait=False) as model:
        with pytest.raises(ModelSlow):
            await model.ask(GREETING, {})


async def test_vectors_come_in_the_order_of_their_texts_whatever_their_length() -> None:
    import ollama  # noqa: PLC0415 - of the extra

    like, unlike = "The cat sat on the mat.", "Interest rates rose again in March."
    texts = ["A cat is sitting on a rug.", unlike, like, f"{like} {'And so on. ' * 3_000}", "é", "x" * 40_000]
    async with open_ollama(URL, "all-minilm", batch=2) as encoder:
        assert encoder.dimensions == 384
        vectors = await encoder.encode(texts)
        assert vectors.shape == (len(texts), 384)
        assert vectors[0] @ vectors[2] > 0.5 > vectors[0] @ vectors[1]
        for at in (2, 3):  # alone and in a batch; what is cut is the end
            [alone] = await encoder.encode([texts[at]])
            assert alone @ vectors[at] > 0.999
        client = ollama.AsyncClient(URL)
        loaded = {one.model: one.expires_at for one in (await client.ps()).models}
        await client.close()  # type: ignore[no-untyped-call]  # as above
        until = loaded["all-minilm:latest"]
        assert until is not None
        assert until - datetime.now(UTC) > timedelta(days=1), "it stays loaded"


async def test_an_encoder_that_cannot_be_pulled_says_so() -> None:
    async with open_ollama(URL, "no-such-encoder", dimensions=384) as encoder:
        await encoder.prepared()
        with pytest.raises(ModelUnavailable, match=r"no-such-encoder.*could not be pulled"):
            await encoder.encode(["hello"])
