"""Ctrl-C while messages are published: what is safe is counted, and the rest can be taken up again."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, said

pytestmark = pytest.mark.e2e

_PROGRAM: Final = "from ricordo_services.cli import main; main()"
_SOURCES: Final = Path(__file__).resolve().parents[3]
_PATH: Final = os.pathsep.join(str(_SOURCES / name) for name in ("shared", "services"))


@pytest.mark.parametrize(
    ("lane", "sent", "code"),
    [
        ([], signal.SIGINT, 130),
        (["--bulk"], signal.SIGINT, 130),
        (["--wait"], signal.SIGINT, 130),
        ([], signal.SIGTERM, 143),
    ],
)
async def test_an_interrupted_publish_says_how_many_are_safe(
    bot: Bot, running: Running, lane: list[str], sent: signal.Signals, code: int
) -> None:
    words = ("publish", "-", *lane, "--nats", running.endpoints.nats_url, "--tenant", bot.tenant)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _PROGRAM,
        *words,
        env={**os.environ, "PYTHONPATH": _PATH},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    for number in (1, 2):
        process.stdin.write(json.dumps(said(f"m-{number}", f"Ciao {number}")).encode() + b"\n")
    await bot.settled(["m-1", "m-2"])  # so they were acknowledged, while more lines are waited for
    process.send_signal(sent)
    async with asyncio.timeout(20):
        out, err = await process.communicate()
    assert (process.returncode, out) == (code, b"")
    assert err.decode() == (
        "ricordo: interrupted: 2 messages were acknowledged, and publishing all of them again is safe\n"
    )


async def test_a_benchmark_that_is_told_to_end_leaves_nothing_behind() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PROGRAM, "bench", "backlog", "--messages", "200", "--limit", "60"),
        env={**os.environ, "PYTHONPATH": _PATH},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(60):
        while b"storing" not in (line := await process.stderr.readline()):
            assert line, "it ended before it stored anything"
        started = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        await process.wait()
    assert process.returncode == 143
    assert len(started) > 3
    assert psutil.wait_procs(started, timeout=10)[1] == []
