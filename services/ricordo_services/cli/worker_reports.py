"""What the workers that run report of themselves, and by which models they work."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ricordo.client import RicordoError
from ricordo.settings import EmbeddingSettings
from ricordo.urls import bare
from ricordo_services.bus_findings import Reports, WorkerReport, collect_reports
from ricordo_services.cli.client_calls import ServerTarget
from ricordo_services.cli.failures import Failed

PATIENCE_S: Final = 3.0
"""Seconds that `doctor` and jobs wait for a server."""
_MODELS: Final = ("encode", "retrieval")
"""Workers that tell their models, the one that writes first."""


@dataclass(frozen=True, slots=True)
class WorkerReports:
    """What the workers that run report."""

    reports: Reports = field(default_factory=dict)

    @property
    def models(self) -> Mapping[str, Sequence[str]]:
        """The primary models by worker: more than one in all where processes do not agree."""
        told = {name: sorted({str(one["model"]) for one in self._telling(name)}) for name in _MODELS}
        return {name: models for name, models in told.items() if models}

    def embedding(self, own: EmbeddingSettings) -> EmbeddingSettings | None:
        """Return `own` with the models of the workers in it; None where no worker tells of any."""
        report = next((report for name in _MODELS for report in self._telling(name)), None)
        if report is None:
            return None
        server, fallback = report.get("model_server"), report.get("fallback")
        models: dict[str, object] = {
            "provider": "onnx" if server is None else "ollama",
            "model": str(report["model"]),
            "fallback": None if fallback is None else str(fallback),
            "precision": report.get("precision") or own.precision,
        }
        if server is not None and bare(str(server)) != bare(own.ollama_url):
            models["ollama_url"] = str(server)
        return own.model_copy(update=models)

    def refuse_another(self, own: EmbeddingSettings) -> None:
        """Let a command that writes go on only where all that encode do so by its own model, or none does."""
        theirs = self.models.get("encode", ())
        if all(model == own.model for model in theirs):
            return
        if len(theirs) > 1:
            raise Failed(
                f"the workers that run encode by different models ({', '.join(theirs)}): "
                "start all of them by the same settings first"
            )
        embedding = self.embedding(own) or own
        raise Failed(
            f"the workers that run encode by {theirs[0]}, and these settings say {own.model}: give this "
            f"command theirs ({assignments(embedding)}), or start them anew by these; nothing was changed"
        )

    def _telling(self, worker: str) -> Iterable[WorkerReport]:
        return (report for report in self.reports.get(worker, ()) if report.get("model"))


def assignments(embedding: EmbeddingSettings) -> str:
    """Return the settings of the embedding models as they stand before a command, without credentials."""
    settings = {"PROVIDER": embedding.provider, "MODEL": embedding.model}
    if embedding.fallback is not None:
        settings["FALLBACK"] = embedding.fallback
    usual = EmbeddingSettings().ollama_url
    if embedding.provider == "ollama" and bare(embedding.ollama_url) != usual:
        settings["OLLAMA_URL"] = bare(embedding.ollama_url)
    return " ".join(f"RICORDO_EMBEDDING__{name}={value}" for name, value in settings.items())


def in_words(embedding: EmbeddingSettings) -> str:
    """Say which model it is, and where."""
    if embedding.provider == "onnx":
        return f"{embedding.model}, in process"
    return f"{embedding.model} on {bare(embedding.ollama_url)}"


async def worker_reports(url: str) -> WorkerReports | None:
    """Ask the workers on the NATS of `url`, patiently; None where it does not answer."""
    try:
        async with ServerTarget(url, "default", "the settings").connection(PATIENCE_S) as connection:
            return WorkerReports(await collect_reports(connection.client, ("encode",)))
    except RicordoError:
        return None
