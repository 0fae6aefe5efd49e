"""What commands make of the models that workers report."""

import pytest

from ricordo.settings import EmbeddingSettings
from ricordo.urls import bare
from ricordo_services.cli.doctor_command import check_fact_readers
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.findings import State
from ricordo_services.cli.worker_reports import WorkerReports, assignments

BGE = {"model": "bge-m3", "fallback": "all-MiniLM-L6-v2", "model_server": "http://ollama:11434"}


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
        "RICORDO_EMBEDDING__FALLBACK=all-MiniLM-L6-v2 RICORDO_EMBEDDING__OLLAMA_URL=http://ollama:11434"
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
        (
            None,
            State.NOTED,
            "without entities by GLiNER",
        ),
        (
            "/srv/gliner",
            State.WELL,
            "with entities by /srv/gliner",
        ),
    ],
)
def test_who_reads_facts_is_told_by_those_who_do(entities: str | None, state: State, said: str) -> None:
    told = {
        "relation_model": "hermes3:8b",
        "relation_server": "http://ollama:11434",
        "entity_model": entities,
    }
    (finding,) = check_fact_readers(WorkerReports({"knowledge": [told]}))
    assert (finding.name, finding.state) == ("facts", state)
    assert finding.detail == f"read by the reader and hermes3:8b on http://ollama:11434, {said}"
    assert bool(finding.advice) == (entities is None)
