"""Checks of NATS: streams, workers by what they report, and the answer to a query."""

import shlex
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import nats.errors
import nats.js.errors

from ricordo.client import MemoryClient, RicordoError
from ricordo.client.addresses import without_credentials
from ricordo.client.connection import Connection
from ricordo.messages.enumerations import Degradation
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.settings import EmbeddingSettings, Settings
from ricordo_services.bus_findings import (
    Finding,
    State,
    collect_reports,
    start_advice,
    stream_finding,
    worker_findings,
)
from ricordo_services.cli import worker_reports
from ricordo_services.cli.client_calls import ServerTarget
from ricordo_services.cli.worker_reports import WorkerReports, in_words


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

_INDEX_OWNERS: Final = frozenset({"index", "retrieval"})
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
    return [
        stream_finding(name, infos.get(name)) for name in (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS)
    ]


async def check_workers(system: System) -> Sequence[Finding]:
    """Check which workers run, and whether they can work."""
    if system.connection is None:
        return []
    reports = await collect_reports(system.connection.client)
    system.reports = WorkerReports(reports)
    if not reports and not system.sees_streams:
        unseen = "are not told of to these credentials; recall says more"
        return [Finding("workers", State.NOTED, unseen)]
    return worker_findings(reports, lambda names: _start(names, set(reports), system.stack))


def _start(names: Sequence[str], present: set[str], beside: Path | None) -> str:
    """Say how to start workers, beside the stack that runs here if there is one."""
    if beside is None:
        return start_advice(names)
    command, it = f"ricordo worker {' '.join(names)}", "it" if len(names) == 1 else "them"
    again = f"`ricordo up` runs without {it}: stop it, and start it again with all workers"
    if _INDEX_OWNERS.intersection(names) and _INDEX_OWNERS & present:  # one process alone opens the index
        return again
    return f"{again}, or start {it} beside it: `{command} --data-dir {shlex.quote(str(beside))}`"


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
