"""What a check finds, and checks of NATS: streams, workers by what they report, and the answer to a query."""

import shlex
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import nats.errors
import nats.js.errors
from nats.js.api import StreamInfo

from ricordo.client import MemoryClient, RicordoError
from ricordo.client.addresses import without_credentials
from ricordo.client.connection import Connection
from ricordo.messages.enumerations import Degradation
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.settings import EmbeddingSettings, Settings
from ricordo_services.cli import worker_reports
from ricordo_services.cli.client_calls import ServerTarget
from ricordo_services.cli.worker_reports import WorkerReport, WorkerReports, collect_reports, in_words


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


@dataclass(slots=True)
class System:
    """What is checked, and what a check has found out for those behind it."""

    settings: Settings
    target: ServerTarget | None = None
    stack: Path | None = None
    """The data folder of the stack that runs here, where the NATS is its own."""
    names_stores: bool = False
    exits: AsyncExitStack = field(default_factory=AsyncExitStack)
    connection: Connection | None = None
    sees_streams: bool = True
    reports: WorkerReports = field(default_factory=WorkerReports)
    lacking: Sequence[Degradation] | None = None
    """What a recall was answered without; None where nobody answered."""
    has_schema: bool = False

    @property
    def reported(self) -> EmbeddingSettings | None:
        """The embedding models that workers report, if any do."""
        return self.reports.embedding(self.settings.embedding)

    @property
    def embedding(self) -> EmbeddingSettings:
        """The same, and where nobody reports any, those of these settings."""
        return self.reported or self.settings.embedding


Check = Callable[[System], Awaitable[Sequence[Finding]]]

_NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge", "retrieval")
"""Workers that memory needs, by the names they report."""
_LIFECYCLE: Final = "decay"
"""A job of the worker lifecycle, by the name it reports; memory works without, for a time."""
_INDEX_OWNERS: Final = frozenset({"index", "retrieval"})
_AT_WORK: Final = ("ready", "starting", "yielding")
"""States of workers that are not worth a finding."""
_NEARLY_FULL: Final = 0.8  # of the maximum size of a stream
_WHEN_FULL: Final = {
    STREAM_IN: "when it is full, bots are refused",
    STREAM_DERIVED: "when it is full, it drops the oldest events, also those that nobody has worked on",
    STREAM_DEAD_LETTERS: "when it is full, it drops the oldest",
}
_LARGER: Final = (
    "RICORDO_BUS__INPUT_BYTES, RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES make them "
    "larger; on one machine free space does, when `ricordo up` starts again"
)
_CURES: Final = {
    Degradation.ROWS: "PostgreSQL does not answer the workers: see its log and theirs",
    Degradation.VECTORS: "the vector index does not answer: restart the worker `index` (of `up`: serve)",
    Degradation.GRAPH: "the graph does not answer: facts are as known, new ones wait",
    Degradation.ANALYSER: "questions are read by rules alone",
}


async def check_nats(system: System) -> list[Finding]:
    """Connect, for the checks behind this one too."""
    target = system.target
    if target is None:
        return []
    try:
        opening = target.connection(worker_reports.PATIENCE_S)
        system.connection = await system.exits.enter_async_context(opening)
    except RicordoError as error:
        advice = f"it was named by {target.named_by}: is that right, and does it run? `ricordo up` starts one"
        return [Finding("nats", State.MISSING, error.message, advice)]
    version = system.connection.client.connected_server_version
    number = f"{version.major}.{version.minor}.{version.patch}"
    return [Finding("nats", State.WELL, f"{without_credentials(target.url)} {number}")]


async def check_streams(system: System) -> list[Finding]:
    """Check that the streams are there, and how much waits in them."""
    if system.connection is None:
        return []
    streams = system.connection.client.jetstream(timeout=worker_reports.PATIENCE_S)
    try:
        infos = {stream.config.name: stream for stream in await streams.streams_info()}
    except (nats.js.errors.Error, nats.errors.Error, TimeoutError) as error:
        system.sees_streams = False
        reason = str(error) or type(error).__name__
        return [Finding("streams", State.NOTED, f"cannot be looked at with these credentials ({reason})")]
    return [_stream(name, infos.get(name)) for name in (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS)]


def _stream(name: str, stream: StreamInfo | None) -> Finding:
    if stream is None:
        advice = "workers make it when they start, or say why they cannot: `ricordo up`"
        return Finding(name, State.MISSING, "is not there", advice)
    count, size, most = stream.state.messages, stream.state.bytes / 1e6, (stream.config.max_bytes or 0) / 1e6
    seen = f"{count:,} messages, {size:.1f} MB"
    if 0 < most * _NEARLY_FULL <= size:
        state = State.DEGRADED if name == STREAM_IN else State.NOTED
        return Finding(name, state, f"{seen} of at most {most:,.1f}: {_WHEN_FULL[name]}", _LARGER)
    if name == STREAM_DEAD_LETTERS and count:
        return Finding(name, State.NOTED, seen, "`ricordo dlq list` says why they were given up")
    if name == STREAM_IN and count:
        advice = "that is fine as long as they get fewer"
        return Finding(name, State.NOTED, f"{seen} wait to be taken in", advice)
    return Finding(name, State.WELL, seen)


async def check_workers(system: System) -> list[Finding]:
    """Check which workers run, and whether they can work."""
    if system.connection is None:
        return []
    system.reports = await collect_reports(system.connection.client, _NEEDED)
    reports = system.reports.reports
    if not reports and not system.sees_streams:
        unseen = "are not told of to these credentials; recall says more"
        return [Finding("workers", State.NOTED, unseen)]
    lacking = [
        Finding(f"worker {name}", State.MISSING, "does not answer") for name in _NEEDED if name not in reports
    ]
    if _LIFECYCLE not in reports:
        detail = "does not answer: nothing fades, and what a crash has lost is not found"
        lacking.append(Finding("worker lifecycle", State.DEGRADED, detail))
    if lacking:  # one advice for all of them
        advice = _start([finding.name for finding in lacking], set(reports), system.stack)
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


def _worker(name: str, reports: Sequence[WorkerReport]) -> Finding:
    ill = [report for report in reports if report.get("state") not in _AT_WORK]
    done = sum(int(str(report.get("processed") or 0)) for report in reports)
    seen = f"{len(reports)} running, {done:,} done" if len(reports) > 1 else f"{done:,} done"
    if not ill:
        yielding = [f"yielding: {one.get('reason')}" for one in reports if one.get("state") == "yielding"]
        return Finding(f"worker {name}", State.WELL, "; ".join([seen, *yielding[:1]]))
    why = "; ".join(dict.fromkeys(str(report.get("reason") or report.get("state")) for report in ill))
    halted = [report for report in ill if report.get("state") == "halted"]
    idle = [report for report in ill if report in halted or not report.get("gate_open")]
    state = State.MISSING if name in _NEEDED and len(idle) == len(reports) else State.DEGRADED
    mend = "mend what its log tells of and start it again; what failed waits, and is not lost"
    return Finding(f"worker {name}", state, f"{seen}: {why}", mend if halted else "its log says more")


async def check_recall(system: System) -> list[Finding]:
    """Run a recall that finds nothing, and see what it was answered without."""
    if system.connection is None:
        return []
    told = system.reports.reports
    if (told or system.sees_streams) and "retrieval" not in told:
        return [Finding("recall", State.MISSING, "nobody answers")]
    asked = MemoryClient(system.connection).recall(
        "ricordo-doctor", "is anybody there?", limit=1, reinforce=False
    )
    try:
        reply = await asked
    except RicordoError as error:
        return [
            Finding("recall", State.MISSING, error.message, "`ricordo worker retrieval` answers questions")
        ]
    system.lacking = reply.degraded
    if not reply.degraded:
        return [Finding("recall", State.WELL, f"answered in {reply.timings_ms.get('total', 0.0):.0f} ms")]
    model = f"the question got no vector from {in_words(system.embedding)}: recall works by words alone"
    cures = {**_CURES, Degradation.MODEL: model}
    return [Finding("recall", State.DEGRADED, f"without {one.value}", cures[one]) for one in reply.degraded]
