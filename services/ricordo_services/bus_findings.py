"""What is wrong with streams and workers and what to do about it, for `ricordo doctor` and the gateway."""

import json
from asyncio import timeout
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from nats.aio.client import Client
from nats.js.api import StreamInfo

from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN

WorkerReport = Mapping[str, object]
Reports = Mapping[str, Sequence[WorkerReport]]
"""The health of each worker by the name it reports, such as a consumer's, from each of its processes."""

NEEDED: Final = ("ingest", "encode", "enrichment", "index", "knowledge", "retrieval")
"""Workers that memory needs, by the names they report."""
_LIFECYCLE: Final = "decay"
"""A job of the worker lifecycle, by the name it reports; memory works without, for a time."""
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
NOT_THERE: Final = "workers make it when they start, or say why they cannot: `ricordo up`"
_HEALTH: Final = "ricordo.health"
_LISTEN_S: Final = 0.6
_LISTEN_AGAIN_S: Final = 3.0


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
    """The result of one check.

    Attributes:
        name: what was checked.
        advice: what to do; empty where nothing is.
    """

    name: str
    state: State
    detail: str
    advice: str = ""


def stream_finding(name: str, stream: StreamInfo | None) -> Finding:
    """Return the finding on a stream; None is one that is not there."""
    if stream is None:
        return Finding(name, State.MISSING, "is not there", NOT_THERE)
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


def start_advice(workers: Sequence[str]) -> str:
    """Say how to start workers that do not answer."""
    it = "it" if len(workers) == 1 else "them"
    return f"start {it}: `ricordo worker {' '.join(workers)}`, with the settings of the servers"


def worker_findings(
    reports: Reports, advise: Callable[[Sequence[str]], str] = start_advice
) -> Sequence[Finding]:
    """Return the findings on the workers: those that do not answer, then those that do.

    Args:
        advise: says how to start those that do not answer, by their names.
    """
    lacking = [
        Finding(f"worker {name}", State.MISSING, "does not answer") for name in NEEDED if name not in reports
    ]
    if _LIFECYCLE not in reports:
        detail = "does not answer: nothing fades, and what a crash has lost is not found"
        lacking.append(Finding("worker lifecycle", State.DEGRADED, detail))
    if lacking:  # one advice for all of them
        names = [finding.name.removeprefix("worker ") for finding in lacking]
        lacking[-1] = replace(lacking[-1], advice=advise(names))
    return [*lacking, *(_worker_finding(name, states) for name, states in sorted(reports.items()))]


def _worker_finding(name: str, reports: Sequence[WorkerReport]) -> Finding:
    ill = [report for report in reports if report.get("state") not in _AT_WORK]
    done = sum(int(str(report.get("processed") or 0)) for report in reports)
    seen = f"{len(reports)} running, {done:,} done" if len(reports) > 1 else f"{done:,} done"
    if not ill:
        yielding = [f"yielding: {one.get('reason')}" for one in reports if one.get("state") == "yielding"]
        return Finding(f"worker {name}", State.WELL, "; ".join([seen, *yielding[:1]]))
    why = "; ".join(dict.fromkeys(str(report.get("reason") or report.get("state")) for report in ill))
    halted = [report for report in ill if report.get("state") == "halted"]
    idle = [report for report in ill if report in halted or not report.get("gate_open")]
    state = State.MISSING if name in NEEDED and len(idle) == len(reports) else State.DEGRADED
    mend = "mend what its log tells of and start it again; what failed waits, and is not lost"
    return Finding(f"worker {name}", state, f"{seen}: {why}", mend if halted else "its log says more")


def reports_in(reply: bytes) -> Sequence[WorkerReport]:
    """Return what a process reports of its workers; nothing where somebody else answers, in other words."""
    try:
        told = json.loads(reply)
    except (ValueError, RecursionError):
        return ()
    workers = told.get("workers") if isinstance(told, dict) else None
    return [one for one in workers if isinstance(one, dict)] if isinstance(workers, list) else ()


async def collect_reports(client: Client, needed: Collection[str] = NEEDED) -> Reports:
    """Ask every process for its workers; again, for longer, where a needed one is silent: it may be busy."""
    found = await _listen(client, _LISTEN_S)
    return found if all(name in found for name in needed) else await _listen(client, _LISTEN_AGAIN_S)


async def _listen(client: Client, within_s: float) -> Reports:
    inbox = client.new_inbox()
    replies = await client.subscribe(inbox)
    await client.publish(_HEALTH, b"", reply=inbox)
    found: dict[str, list[WorkerReport]] = {}
    try:
        with suppress(TimeoutError):
            async with timeout(within_s):
                async for message in replies.messages:
                    for report in reports_in(message.data):
                        found.setdefault(str(report.get("worker")), []).append(report)
    finally:
        await replies.unsubscribe()
    return found
