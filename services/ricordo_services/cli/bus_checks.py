"""Checks NATS, its streams, the workers that listen there, and the answer to a query."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from ricordo_services.cli.client_calls import ServerTarget
from ricordo_services.cli.findings import Finding, State, missing, well
from ricordo_services.cli.worker_reports import Report, WorkerReports, collect_reports, in_words

NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge", "retrieval")
"""Workers that memory needs, by the names they report."""
_HALVES: Final = frozenset({"encode", "index"})
"""What the worker embedding reports."""
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
    own = [name.removeprefix("worker ") for name in lacking]
    whole = _HALVES if _HALVES.issubset(own) else ()
    names = list(dict.fromkeys("embedding" if name in whole else name for name in own))
    command, it = f"ricordo worker {' '.join(names)}", "it" if len(names) == 1 else "them"
    if beside is None:
        return f"start {it}: `{command}`, with the settings of the servers"
    again = f"`ricordo up` runs without {it}: stop it, and start it again with all workers"
    if _INDEX_OWNERS.intersection(own) and _INDEX_OWNERS & present:  # one process alone opens the index
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
