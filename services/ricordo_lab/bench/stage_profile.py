"""Samples the stacks of the workers with py-spy, and adds the samples up by stage."""

import asyncio
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

_STOP_S: Final = 30.0
_STAGES: Final = (
    (re.compile(r"\(ricordo/models/"), "models"),
    (re.compile(r"\(ricordo_services/embedding/(?:index|point)|\(ricordo/index/"), "index"),
    (re.compile(r"\(ricordo_services/embedding/"), "encode"),
    (re.compile(r"\(ricordo_services/knowledge/graph"), "graph"),
    (re.compile(r"\(ricordo_services/(ingest|enrichment|knowledge|retrieval|lifecycle|gateway)/"), ""),
    (re.compile(r"\(ricordo/runtime/worker/settlement"), "settlement"),
    (re.compile(r"\((?:nats|ricordo/bus)/"), "bus"),
    (re.compile(r"\(ricordo/runtime/"), "runtime"),
)
"""Patterns of a stack, the first that matches decides; a stage without a name is called as its package."""
_REST: Final = "event loop"
_WAITING: Final = re.compile(r";(?:_worker|\S*\b_do_waitpid|\S*\bselect) \([^;]*$")
"""The last frame of a thread that waits: py-spy takes some of them for busy."""


@asynccontextmanager
async def profiled(pid: int) -> AsyncIterator[Counter[str]]:
    """Sample a process during the block; the yielded counter has its samples by stage afterwards."""
    samples: Counter[str] = Counter()
    with tempfile.NamedTemporaryFile(prefix="ricordo-profile-") as file:
        recorder = await asyncio.create_subprocess_exec(
            *(str(Path(sys.executable).parent / "py-spy"), "record", "--pid", str(pid), "--format", "raw"),
            "--nonblocking",
            *("--rate", "100", "--output", file.name, "--duration", "unlimited"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield samples
        finally:
            if recorder.returncode is None:
                recorder.send_signal(signal.SIGINT)
            await asyncio.wait_for(recorder.communicate(), _STOP_S)
        samples.update(by_stage(line.decode() for line in file))


def by_stage(stacks: Iterable[str]) -> Mapping[str, int]:
    """Return the samples of each stage, given lines of a stack and its count; who waits is left out."""
    counts: Counter[str] = Counter()
    for line in stacks:
        stack, _, count = line.rpartition(" ")
        if not _WAITING.search(stack):
            counts[_stage(stack)] += int(count)
    return counts


def _stage(stack: str) -> str:
    for pattern, name in _STAGES:
        if found := pattern.search(stack):
            return name or found[1]
    return _REST
