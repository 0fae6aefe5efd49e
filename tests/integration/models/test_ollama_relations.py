"""A language model that reads facts: its prompt, and which of its answers become facts."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC

import jsonschema
import pytest
import structlog.testing
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.ollama_system import with_llm
from tests.fixtures.talking import TalkingModel, entities, instructions, objects, shown, stated, utterances
from tests.integration.models.conftest import MODEL, chats
from tests.support.factories import START

from ricordo.clock import SystemClock
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.relation_validation import Passage, validate_relations
from ricordo.memory.llm_validation import LlmMessage
from ricordo.models.fact_extraction import FactAnswer, FactExtractor
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm.language_model import instructions as all_instructions
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.settings import Settings
from ricordo_services.app.language_models import open_fact_extractor

RULED, NEWS = "Vivo a Roma.", "Marta si è innamorata del tango."
TANGO = stated("Marta", "likes", "il tango", "si è innamorata del tango")


@pytest.fixture
def server(server: OllamaStandIn) -> OllamaStandIn:
    server.behaviour.chat = TalkingModel(relate=lambda text: [TANGO] if text == NEWS else [])
    return server


async def test_only_the_vocabulary_is_offered(server: OllamaStandIn, model: LanguageModel) -> None:
    async with CpuExecutor() as beside:
        found = await FactExtractor(beside, model).read(utterances(NEWS, "ok"))
    assert objects(found) == [["tango"], []]
    [request] = chats(server)
    assert shown(request) == [NEWS, "ok"]
    assert "A question, a wish" in instructions(request)
    assert "a denial" in instructions(request)
    for predicate in ("likes", "MARRIED_TO"):
        facts = [stated("Marta", predicate, "tango", NEWS)]
        document = {"messages": [{"number": n, "facts": facts} for n in (1, 2)]}
        with pytest.raises(jsonschema.ValidationError) if predicate == "MARRIED_TO" else nullcontext():
            jsonschema.validate(document, request["format"])
    explained = {line.split()[0] for line in instructions(request).splitlines() if line.split()}
    assert explained >= PREDICATES.keys() - {"stated"}


def _examples() -> list[tuple[str, list[object]]]:
    lines = all_instructions()["facts"].splitlines()
    asked, told = (json.loads(line)["messages"] for line in lines if line.startswith("{"))
    return [(one["text"], other["facts"]) for one, other in zip(asked, told, strict=True)]


@pytest.mark.parametrize(("text", "facts"), _examples())
def test_the_examples_of_the_prompt_hold(text: str, facts: Sequence[object]) -> None:
    told = [FactAnswer.model_validate(one).relation() for one in facts]
    passage = Passage(LlmMessage(text, "it" if "abiti" in text or "Ieri" in text else "en"))
    found = validate_relations(passage, told, (), at=START, zone=UTC)
    assert (found.added, found.faults) == (len(told), ())


async def test_gliner_that_is_not_installed_is_told_of_once(
    server: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    settings = with_llm(Settings(), server.url, MODEL, "knowledge", gliner_model="/models/gliner")
    with structlog.testing.capture_logs() as logs:
        async with CpuExecutor() as beside, open_fact_extractor(settings, SystemClock(), beside) as opened:
            for _ in range(3):
                assert objects(await opened.read(utterances(NEWS))) == [["tango"]]
            assert "pip install '.[gliner]'" in opened.problem
            assert opened.entities is None
    assert len([one for one in logs if "GLiNER" in one["event"]]) == 1
    assert entities(chats(server)[0]) == [[]]
