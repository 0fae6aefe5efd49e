"""Ctrl-C while messages are published: what is safe is counted, and the rest can be taken up again."""

import asyncio
import json
import signal

import psutil
import pytest
from tests.fixtures.commands import start_command
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, msg

from ricordo.settings import Settings

pytestmark = pytest.mark.slow


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
    bot: Bot, system: System, lane: list[str], sent: signal.Signals, code: int
) -> None:
    words = ("publish", "-", *lane, "--nats", system.endpoints.nats_url, "--tenant", bot.tenant)
    process = await start_command(system.settings, *words, stdin=asyncio.subprocess.PIPE)
    assert process.stdin is not None
    for number in (1, 2):
        process.stdin.write(json.dumps(msg(f"m-{number}", f"Ciao {number}")).encode() + b"\n")
    await bot.final_states(["m-1", "m-2"])  # so they were acknowledged, while more lines are waited for
    process.send_signal(sent)
    async with asyncio.timeout(20):
        out, err = await process.communicate()
    assert (process.returncode, out) == (code, b"")
    assert err.decode() == (
        "ricordo: interrupted: 2 messages were acknowledged, and publishing all of them again is safe\n"
    )


@pytest.mark.lab
async def test_a_terminated_benchmark_leaves_nothing_behind() -> None:
    process = await start_command(Settings(), "bench", "ingest", "--messages", "200")
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while b"ingest: run 1" not in (line := await process.stdout.readline()):
            assert line, "it ended before it measured anything"
        started = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        await process.wait()
    assert process.returncode == 143
    assert len(started) > 3
    assert psutil.wait_procs(started, timeout=10)[1] == []
