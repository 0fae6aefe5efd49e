"""Every step on a real language model, by both interfaces of its server: `make test-llm` starts one.

What a model of this size says is not judged here, only that each step gets an answer in its shape and time,
and that whatever is kept of it rests on what the model was shown.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import fact
from tests.support.factories import START, memory

from ricordo.clock import SystemClock
from ricordo.memory.answers import AnswerMaterial
from ricordo.memory.facts.relation_validation import Passage, validate_relations
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.models.fact_extraction import RelationReader
from ricordo.models.llm.entity_matching import EntityMatcher, EntityPair, EntityProfile
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm.ollama_server import ModelMissing
from ricordo.models.llm_answers import LlmAnswers
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_describer import MessageReader
from ricordo.models.llm_insights import LlmInsights
from ricordo.models.query_analyser import LlmQueryAnalyser, Question
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker

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
    async with LanguageModel.open(url, MODEL, timeout=PATIENT_S, wait=True) as opened:
        yield opened


@pytest.fixture
def throttle() -> Throttle:
    clock = SystemClock()
    breaker = CircuitBreaker(clock, 3, 60, counted=ModelUnavailable)
    return Throttle(breaker, None, clock, budget=PATIENT_S, gone="gone", back="back")


async def test_messages_are_rated_and_described(url: str) -> None:
    async with MessageReader.open(url, MODEL, timeout=PATIENT_S, wait=True) as reader:
        ratings = await reader.rate(MESSAGES)
        assert len(ratings) == len(MESSAGES)
        assert all(1 <= one <= 10 for one in ratings if one is not None)
        described = await reader.describe(MESSAGES)
        assert any(one is not None and one.topics for one in described)


async def test_facts_are_read_and_kept_as_far_as_the_message_supports_them(url: str) -> None:
    async with RelationReader.open(url, MODEL, timeout=PATIENT_S, wait=True) as reader:
        found = await reader.relate([Passage(one) for one in MESSAGES])
    assert any(found)
    for said, relations in zip(MESSAGES, found, strict=True):
        kept = validate_relations(Passage(said), relations or (), ())
        assert all(one.quote in said.text for one in kept.statements)


async def test_two_names_are_judged(url: str) -> None:
    nico = EntityProfile("Nico", facts=("Nico works as a nurse", "Nico lives in Cork"))
    nicola = EntityProfile("Nicola", facts=("Nicola works as a nurse in Cork",))
    async with EntityMatcher.open(url, MODEL, timeout=PATIENT_S, wait=True) as matcher:
        [verdict] = await matcher.judge([EntityPair(nico, nicola)])
    assert verdict is not None


async def test_a_question_is_analysed(model: LanguageModel, throttle: Throttle) -> None:
    asked = Question(text="Where does my sister Nora live?", now=START, zone=ZONE, known_names=("Nora",))
    found = await LlmQueryAnalyser(model, throttle).understand(asked)
    assert not found.degraded
    assert found.analysis.analyser == "llm"


async def test_a_session_and_memories_are_condensed(model: LanguageModel, throttle: Throttle) -> None:
    condenser, turns = LlmCondenser(model, throttle), [SessionTurn(one) for one in MEMORIES]
    session, synthesis = await condenser.condense(turns), await condenser.synthesis(turns)
    assert throttle.reason == ""
    assert session is None or session.text
    assert synthesis is None or len(synthesis) <= sum(map(len, SAID))


async def test_insights_rest_on_the_memories(model: LanguageModel, throttle: Throttle) -> None:
    found = await LlmInsights(model, throttle).insights(ReflectionEvidence(MEMORIES, ()))
    assert throttle.reason == ""
    assert all(one.sources for one in found)


async def test_an_answer_is_written_sentence_by_sentence(model: LanguageModel, throttle: Throttle) -> None:
    material = AnswerMaterial(
        question="Where does Nora live?", facts=[fact("lives_in", "Cork")], memories=MEMORIES
    )
    parts: list[str] = []

    async def keep(part: object) -> None:
        parts.append(str(part))

    found = await LlmAnswers(model, throttle).answer(material, "en", ZONE, full=False, on_sentence=keep)
    assert throttle.reason == ""
    assert found is None or (len(parts) >= 1 and (found.facts or found.memories))


async def test_a_prompt_longer_than_the_window_is_answered(url: str) -> None:
    long = [LlmMessage(f"{text} {'It went on and on. ' * 400}", "en") for text in SAID]
    async with MessageReader.open(url, MODEL, timeout=PATIENT_S, wait=True, window=512) as reader:
        try:
            assert len(await reader.rate(long)) == len(long)
        except ModelUnavailable as error:  # refused or cut: either is told in a line
            assert "\n" not in str(error)  # noqa: PT017 - what it says is the test


async def test_several_ask_at_once(url: str) -> None:
    async with (
        MessageReader.open(url, MODEL, timeout=PATIENT_S, wait=True) as one,
        MessageReader.open(url, MODEL, timeout=PATIENT_S, wait=True) as other,
    ):
        answers = await asyncio.gather(one.rate(MESSAGES), other.rate(MESSAGES))
    assert answers[0] == answers[1], "temperature and seed are 0"


async def test_a_model_that_is_unloaded_meanwhile_is_loaded_again(url: str) -> None:
    import ollama  # noqa: PLC0415 - of the extra

    async with MessageReader.open(url, MODEL, timeout=PATIENT_S, wait=True) as reader:
        before = await reader.rate(MESSAGES)
        await ollama.AsyncClient(URL).generate(model=MODEL, keep_alive=0)
        assert await reader.rate(MESSAGES) == before


async def test_a_model_that_is_not_there_and_one_too_slow_are_told_apart(url: str) -> None:
    async with LanguageModel.open(url, "no-such-model", timeout=PATIENT_S, pull=False) as reader:
        with pytest.raises(ModelMissing):
            await reader.chat([{"role": "user", "content": "hi"}], {"type": "object"}, 8, "test")
    async with LanguageModel.open(url, MODEL, timeout=0.01, pull=False) as reader:
        with pytest.raises(ModelSlow):
            await reader.chat([{"role": "user", "content": "hi"}], {"type": "object"}, 8, "test")
