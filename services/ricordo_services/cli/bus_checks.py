"""What a check finds; and checks of NATS: streams, workers by what they report, and the answer to a query."""

import json
import shlex
from asyncio import timeout
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js.api import StreamInfo

from ricordo.client import MemoryClient, RicordoError
from ricordo.client.addresses import without_credentials
from ricordo.messages.enumerations import Degradation
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.settings import EmbeddingSettings
from ricordo.urls import bare
from ricordo_services.cli.client_calls import ServerTarget
from ricordo_services.cli.failures import Failed


class State(StrEnum):
    """The state of what was checked."""

    WELL = "well"
    NOTED = "noted"
    """Information; nothing is wrong, or it could not be checked from here."""
    DEGRADED = "degraded"
    """It works, with poorer answers."""
    MISSING = "missing"
    """Required, and not there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    state: State
    detail: str
    advice: str = ""


def well(name: str, detail: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(name, State.WELL, detail)


def missing(name: str, detail: str, advice: str) -> Finding:
    """Return a finding of something required that is not there."""
    return Finding(name, State.MISSING, detail, advice)


Report = Mapping[str, object]

_HEALTH: Final = "ricordo.health"
_LISTEN_S: Final = 0.6
_LISTEN_AGAIN_S: Final = 3.0
_MODELS: Final = ("encode", "retrieval")
"""Workers that tell their models, the one that writes first."""
NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge", "retrieval")
"""Workers that memory needs, by the names they report."""
_INDEX_OWNERS: Final = frozenset({"index", "retrieval"})
_WELL: Final = ("ready", "starting", "yielding")
"""States of workers that are not worth a finding."""
_SECONDS: Final = 3.0
_MADE_BY: Final = "workers make it when they start, or say why they cannot: `ricordo up`"
_LIFECYCLE: Final = "decay"
"""A job of the worker lifecycle, by the name it reports; memory works without, for a time."""
_HALTED: Final = "mend what its log tells of and start it again; what failed waits, and is not lost"
_STREAMS: Final = "streams"
_UNSEEN: Final = Finding("workers", State.NOTED, "are not told of to these credentials; recall says more")
_CURES: Final = {
    Degradation.ROWS: "PostgreSQL does not answer the workers: see its log and theirs",
    Degradation.VECTORS: "the vector index does not answer: restart the embedding worker",
    Degradation.GRAPH: "the graph does not answer: facts are as known, new ones wait",
    Degradation.ANALYSER: "questions are read by rules alone",
}


@dataclass(frozen=True, slots=True)
class WorkerReports:
    """What the workers that run report."""

    reports: Mapping[str, Sequence[Report]] = field(default_factory=dict)

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

    def _telling(self, worker: str) -> Iterable[Report]:
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
        async with ServerTarget(url, "default", "the settings").connection(_SECONDS) as connection:
            return await collect_reports(connection.client, ("encode",))
    except RicordoError:
        return None


def reports_in(reply: bytes) -> Sequence[Report]:
    """Return what a process reports of its workers; nothing where somebody else answers, in other words."""
    try:
        told = json.loads(reply)
    except (ValueError, RecursionError):
        return ()
    workers = told.get("workers") if isinstance(told, dict) else None
    return [one for one in workers if isinstance(one, dict)] if isinstance(workers, list) else ()


async def collect_reports(client: Client, needed: Collection[str]) -> WorkerReports:
    """Ask every process for its workers; again, for longer, where a needed one is silent: it may be busy."""
    found = await _listen(client, _LISTEN_S)
    return found if all(name in found.reports for name in needed) else await _listen(client, _LISTEN_AGAIN_S)


async def _listen(client: Client, within_s: float) -> WorkerReports:
    inbox = client.new_inbox()
    replies = await client.subscribe(inbox)
    await client.publish(_HEALTH, b"", reply=inbox)
    found: dict[str, list[Report]] = {}
    try:
        with suppress(TimeoutError):
            async with timeout(within_s):
                async for message in replies.messages:
                    for report in reports_in(message.data):
                        found.setdefault(str(report.get("worker")), []).append(report)
    finally:
        await replies.unsubscribe()
    return WorkerReports(found)


async def check_bus(
    target: ServerTarget, own: EmbeddingSettings, beside: Path | None
) -> tuple[Sequence[Finding], WorkerReports, bool | None]:
    """Check NATS and what runs on it.

    Args:
        own: stands in for models that no worker reports.
        beside: the data folder, where the NATS is that of a stack which runs here.

    Returns:
        Findings; reports; whether a question got its vector from the workers, None where nobody answered.
    """
    try:
        async with target.connection(_SECONDS) as connection:
            client = connection.client
            version = client.connected_server_version
            number = f"{version.major}.{version.minor}.{version.patch}"
            found = [well("nats", f"{without_credentials(target.url)} {number}")]
            streams = await _streams(client)
            worker_reports = await collect_reports(client, NEEDED)
            reports = worker_reports.reports
            seen = reports or not any(finding.name == _STREAMS for finding in streams)
            found += [*streams, *(_workers(reports, beside) if seen else [_UNSEEN])]
            if seen and "retrieval" not in reports:
                return [*found, missing("recall", "nobody answers", "")], worker_reports, None
            embedding = worker_reports.embedding(own) or own
            lacking, answer = await _answer(MemoryClient(connection), embedding)
            encoded = None if lacking is None else Degradation.MODEL not in lacking
            return [*found, *answer], worker_reports, encoded
    except RicordoError as error:
        advice = f"it was named by {target.named_by}: is that right, and does it run? `ricordo up` starts one"
        return [missing("nats", error.message, advice)], WorkerReports(), None


async def _streams(client: Client) -> list[Finding]:
    try:
        infos = await client.jetstream(timeout=_SECONDS).streams_info()
    except (nats.js.errors.Error, nats.errors.Error, TimeoutError) as error:
        reason = str(error) or type(error).__name__
        return [Finding(_STREAMS, State.NOTED, f"cannot be looked at with these credentials ({reason})")]
    streams = {stream.config.name: stream for stream in infos}
    return [
        _stream(name, streams[name]) if name in streams else missing(name, "is not there", _MADE_BY)
        for name in (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS)
    ]


def _stream(name: str, stream: StreamInfo) -> Finding:
    count, size = stream.state.messages, stream.state.bytes / 1e6
    seen = f"{count:,} messages, {size:.1f} MB"
    if name == STREAM_DEAD_LETTERS and count:
        return Finding(name, State.NOTED, seen, "`ricordo dlq list` says why they were given up")
    if name == STREAM_IN and count:
        told, advice = f"{seen} wait to be taken in", "that is fine as long as they get fewer"
        return Finding(name, State.NOTED, told, advice)
    return well(name, seen)


def _workers(reports: Mapping[str, Sequence[Report]], beside: Path | None) -> list[Finding]:
    lacking = [missing(f"worker {name}", "does not answer", "") for name in NEEDED if name not in reports]
    if _LIFECYCLE not in reports:
        detail = "does not answer: nothing fades, and what a crash has lost is not found"
        lacking.append(Finding("worker lifecycle", State.DEGRADED, detail))
    if lacking:  # one advice for all of them
        advice = _start([finding.name for finding in lacking], set(reports), beside)
        lacking[-1] = replace(lacking[-1], advice=advice)
    return [*lacking, *(_worker(name, states) for name, states in sorted(reports.items()))]


def _start(lacking: Sequence[str], present: set[str], beside: Path | None) -> str:
    """Say how to start workers, by the names of their findings."""
    names = [name.removeprefix("worker ") for name in lacking]
    command, it = f"ricordo worker {' '.join(names)}", "it" if len(names) == 1 else "them"
    if beside is None:
        return f"start {it}: `{command}`, with the settings of the servers"
    again = f"`ricordo up` runs without {it}: stop it, and start it again with all workers"
    if _INDEX_OWNERS.intersection(names) and _INDEX_OWNERS & present:  # one process alone opens the index
        return again
    return f"{again}, or start {it} beside it: `{command} --data-dir {shlex.quote(str(beside))}`"


def _worker(name: str, reports: Sequence[Report]) -> Finding:
    ill = [report for report in reports if report.get("state") not in _WELL]
    done = sum(int(str(report.get("processed") or 0)) for report in reports)
    seen = f"{len(reports)} running, {done:,} done" if len(reports) > 1 else f"{done:,} done"
    if not ill:
        yielding = [f"yielding: {one.get('reason')}" for one in reports if one.get("state") == "yielding"]
        return well(f"worker {name}", "; ".join([seen, *yielding[:1]]))
    why = "; ".join(dict.fromkeys(str(report.get("reason") or report.get("state")) for report in ill))
    halted = [report for report in ill if report.get("state") == "halted"]
    idle = [report for report in ill if report in halted or not report.get("gate_open")]
    state = State.MISSING if name in NEEDED and len(idle) == len(reports) else State.DEGRADED
    return Finding(f"worker {name}", state, f"{seen}: {why}", _HALTED if halted else "its log says more")


async def _answer(
    memory: MemoryClient, embedding: EmbeddingSettings
) -> tuple[Sequence[Degradation] | None, list[Finding]]:
    """Run a recall that finds nothing, for the `degraded` of its reply."""
    try:
        reply = await memory.recall("ricordo-doctor", "is anybody there?", limit=1, reinforce=False)
    except RicordoError as error:
        return None, [missing("recall", error.message, "`ricordo worker retrieval` answers questions")]
    if not reply.degraded:
        return (), [well("recall", f"answered in {reply.timings_ms.get('total', 0.0):.0f} ms")]
    away = f"the question got no vector from {in_words(embedding)}: recall works by words alone"
    cures = {**_CURES, Degradation.MODEL: away}
    return reply.degraded, [
        Finding("recall", State.DEGRADED, f"without {one.value}", cures[one]) for one in reply.degraded
    ]
