"""Looking at NATS: its streams, the workers that listen there, what a question gets."""

import asyncio
import json
from typing import Final

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js.api import StreamInfo

from ricordo.client import MemoryClient, RicordoError
from ricordo.client.addresses import without_credentials
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.messages.vocabulary import Degradation
from ricordo_services.cli.findings import Finding, State, missing, well
from ricordo_services.cli.servers import Target

NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge", "retrieval")
"""Workers, as they report themselves, without which messages are not remembered or questions not answered."""
_HEALTH: Final = "ricordo.health"
_WELL: Final = ("ready", "starting", "yielding")
"""States of workers that need no look."""
_LISTEN_S: Final = 0.6
_SECONDS: Final = 3.0
_MADE_BY: Final = "workers make it when they start, or say why they cannot: `ricordo up`"
_START: Final = "start it: `ricordo up`, or `ricordo worker {}` where the servers are elsewhere"
_CURES: Final = {
    Degradation.ROWS: "PostgreSQL does not answer the workers: see its log and theirs",
    Degradation.VECTORS: "the vector index does not answer: restart the embedding worker",
    Degradation.GRAPH: "the graph does not answer: facts are as known, new ones wait",
    Degradation.MODEL: "the embedding model does not answer: recall works by words alone",
    Degradation.ANALYSER: "questions are read by rules alone",
}


async def look_at_bus(target: Target) -> list[Finding]:
    """Look at NATS and, where it answers, at what lives on it."""
    try:
        async with target.connection(_SECONDS) as connection:
            client = connection.client
            found = [well("nats", f"{without_credentials(target.url)} {_version(client)}")]
            found += [*await _streams(client), *await _workers(client)]
            return [*found, *await _answers(MemoryClient(connection))]
    except RicordoError as error:
        advice = f"it was named by {target.named_by}: is that right, and does it run? `ricordo up` starts one"
        return [missing("nats", error.message, advice)]


def _version(client: Client) -> str:
    version = client.connected_server_version
    return f"{version.major}.{version.minor}.{version.patch}"


async def _streams(client: Client) -> list[Finding]:
    try:
        streams = {
            stream.config.name: stream for stream in await client.jetstream(timeout=_SECONDS).streams_info()
        }
    except (nats.js.errors.Error, nats.errors.Error, TimeoutError) as error:
        reason = str(error) or type(error).__name__
        return [Finding("streams", State.NOTED, f"cannot be looked at with these credentials ({reason})")]
    found = []
    for name in (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS):
        if name not in streams:
            found.append(missing(name, "is not there", _MADE_BY))
        else:
            found.append(_stream(name, streams[name]))
    return found


def _stream(name: str, stream: StreamInfo) -> Finding:
    count, size = stream.state.messages, stream.state.bytes / 1e6
    seen = f"{count:,} messages, {size:.1f} MB"
    if name == STREAM_DEAD_LETTERS and count:
        return Finding(name, State.NOTED, seen, "`ricordo dlq list` says why they were given up")
    if name == STREAM_IN and count:
        return Finding(
            name, State.NOTED, f"{seen} wait to be taken in", "that is fine as long as they get fewer"
        )
    return well(name, seen)


async def _workers(client: Client) -> list[Finding]:
    reports = await _reports(client)
    found = []
    for name in NEEDED:
        if name not in reports:
            worker = "embedding" if name in ("encode", "index") else name
            found.append(missing(f"worker {name}", "does not answer", _START.format(worker)))
    for name, states in sorted(reports.items()):
        found.append(_worker(name, states))
    return found


def _worker(name: str, reports: list[dict[str, object]]) -> Finding:
    ill = [report for report in reports if report.get("state") not in _WELL]
    done = sum(int(str(report.get("processed") or 0)) for report in reports)
    seen = f"{len(reports)} running, {done:,} done" if len(reports) > 1 else f"{done:,} done"
    if not ill:
        return well(f"worker {name}", "; ".join([seen, *_waits_by_design(reports)]))
    why = "; ".join(dict.fromkeys(str(report.get("reason") or report.get("state")) for report in ill))
    working = len(ill) < len(reports) or any(report.get("gate_open") for report in ill)
    state = State.MISSING if name in NEEDED and not working else State.DEGRADED
    return Finding(f"worker {name}", state, f"{seen}: {why}", "its log says more")


def _waits_by_design(reports: list[dict[str, object]]) -> list[str]:
    return [f"yielding: {report.get('reason')}" for report in reports if report.get("state") == "yielding"][
        :1
    ]


async def _reports(client: Client) -> dict[str, list[dict[str, object]]]:
    """Ask every process for the health of its workers; by the worker's name."""
    inbox = client.new_inbox()
    replies = await client.subscribe(inbox)
    await client.publish(_HEALTH, b"", reply=inbox)
    found: dict[str, list[dict[str, object]]] = {}
    try:
        async with asyncio.timeout(_LISTEN_S):
            async for message in replies.messages:
                for report in json.loads(message.data or b"{}").get("workers", ()):
                    found.setdefault(str(report.get("worker")), []).append(report)
    except TimeoutError:
        pass
    return found


async def _answers(memory: MemoryClient) -> list[Finding]:
    """Ask a question that has no answer, for what the reply says of the system."""
    try:
        reply = await memory.recall("ricordo-doctor", "is anybody there?", limit=1, reinforce=False)
    except RicordoError as error:
        return [missing("recall", error.message, "`ricordo worker retrieval` answers questions")]
    if not reply.degraded:
        return [well("recall", f"answered in {reply.timings_ms.get('total', 0.0):.0f} ms")]
    return [Finding("recall", State.DEGRADED, f"without {one.value}", _CURES[one]) for one in reply.degraded]
