"""A release with a bug: its worker halts or gives up single messages, and the next release handles all."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from tests.fixtures.commands import command_output, dead_letters_of, doctor, variables
from tests.fixtures.ollama_system import health, wait_for_state
from tests.fixtures.ricordo_up import EndedEarly, Program
from tests.fixtures.system import System, Workers, changed
from tests.fixtures.wire import Bot, msg, wait_for

from ricordo.bus.nats.topology import ricordo_topology
from ricordo.settings import Settings
from ricordo_services.app import jobs

pytestmark = [pytest.mark.timeout(280), pytest.mark.slow]

ACK_WAIT_S: Final = 2.0
MAX_DELIVER: Final = 4
KILLED: Final = 9
BUG: Final = "a bug that came with the deploy"
_SHORT: Final = f"""
import functools
from ricordo_services.app import server_connections
server_connections.ricordo_topology = functools.partial(
    server_connections.ricordo_topology, ack_wait={ACK_WAIT_S}, max_deliver={MAX_DELIVER}
)
"""


def exiting_on(handler: str, word: str) -> str:
    """Return code by which a process exits at a message with `word`; the handler is named `module:class`."""
    module, _, name = handler.partition(":")
    return f"""
import os
from {module} import {name}
original = {name}.__call__

async def faulty(self, tenant, events):
    if any({word!r} in repr(event.body) for event in events):
        os._exit({KILLED})
    return await original(self, tenant, events)

{name}.__call__ = faulty
"""


def raising_on(handler: str, word: str = "") -> str:
    """Return code by which a handler raises on messages with `word`; without one, on every message."""
    return exiting_on(handler, word).replace(f"os._exit({KILLED})", f"raise KeyError({BUG!r})")


@asynccontextmanager
async def faulty_worker(
    system: System, log: Path, prelude: str, worker: str, *others: str
) -> AsyncIterator[Program]:
    """Yield a process of one worker, yet to be started; of the others, those named run in this process.

    Deliveries are few and come soon, so that a test does not take minutes.
    """
    short = functools.partial(ricordo_topology, ack_wait=ACK_WAIT_S, max_deliver=MAX_DELIVER)
    program = Program(log, "worker", worker, environment=variables(system.settings), prelude=_SHORT + prelude)
    async with system.workers.stopped():
        try:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("ricordo_services.app.server_connections.ricordo_topology", short)
                async with Workers(without_reconciler(system.settings), others).started():
                    try:
                        yield program
                    finally:
                        await program.end()
        finally:
            await jobs.prepare(system.settings)  # the limits of consumers are as before, for other tests


def without_reconciler(settings: Settings) -> Settings:
    """Return settings by which lifecycle publishes no late event again."""
    return changed(settings, "lifecycle", reconcile_after_s=3_600.0)


async def start(program: Program) -> None:
    """Start it; whether it lives to say that it is ready depends on what it finds."""
    with contextlib.suppress(EndedEarly):
        await program.start('"event": "ready"', seconds=120)


async def restart_until(program: Program, enough: Callable[[], Awaitable[bool]]) -> int:
    """Start it each time that it has died, until it is enough and it lives; return how often it died."""
    deaths = 0
    while True:
        await start(program)
        died = asyncio.ensure_future(program.ended())
        while not died.done() and not await enough():
            await asyncio.wait({died}, timeout=0.2)
        if not died.done():
            died.cancel()
            return deaths
        assert died.result() == KILLED, program.log.read_text()[-2000:]
        deaths += 1


INGEST = "ricordo_services.ingest.ingest_handler:IngestHandler"
ENRICH = "ricordo_services.enrichment.enrichment_handler:EnrichmentHandler"
OTHERS = ("enrichment", "embedding", "knowledge", "retrieval", "lifecycle")
TOTAL = 100
NAMES = [f"m-{number}" for number in range(TOTAL)]


async def test_a_handler_that_always_raises_halts_its_worker_and_loses_nothing(
    system: System, bot: Bot, tmp_path: Path
) -> None:
    async with faulty_worker(
        system, tmp_path / "worker.log", raising_on(INGEST), "ingest", *OTHERS
    ) as program:
        await bot.publish_all(msg(name, f"Page {name} of my diary.") for name in NAMES)
        await start(program)
        report = await wait_for_state(bot.connection, "ingest", "halted", "of the last 20 items failed")
        assert BUG in report["reason"]
        finding = (await doctor(system.settings))["worker ingest"]
        assert BUG in finding["detail"]
        assert "start it again" in finding["advice"]
        assert "worker has halted" in program.log.read_text()
        assert await program.stop() == 0
    assert set((await bot.final_states(NAMES, within=120)).values()) == {"remembered"}
    assert await dead_letters_of(system.settings, bot.tenant) == []


async def test_one_bad_message_of_a_hundred_is_given_up_and_replayed_after_the_fix(
    system: System, bot: Bot, tmp_path: Path
) -> None:
    faulty = raising_on(INGEST, "umbrella")
    async with faulty_worker(system, tmp_path / "worker.log", faulty, "ingest", *OTHERS) as program:
        await bot.publish_all(msg(name, f"Page {name}.") for name in NAMES[1:])
        await bot.publish(msg(NAMES[0], "I lost an umbrella."))
        await start(program)
        states = await bot.final_states(NAMES, within=120)
        assert states == dict.fromkeys(NAMES, "remembered") | {NAMES[0]: "failed"}
        assert (await health(bot.connection, "ingest"))["state"] == "ready"
        assert await program.stop() == 0
    (letter,) = await dead_letters_of(system.settings, bot.tenant)
    assert (letter["message_id"], letter["consumer"], letter["attempts"]) == (NAMES[0], "ingest", MAX_DELIVER)
    assert letter["reason"] == f"failed at attempt {MAX_DELIVER}: KeyError: '{BUG}'"
    await _replay(system, bot, letter["sequence"], NAMES[0])
    await _check_counts(bot, TOTAL)


@pytest.mark.parametrize(
    ("worker", "handler"),
    [("ingest", INGEST), pytest.param("enrichment", ENRICH, marks=pytest.mark.chaos)],
)
async def test_a_message_that_kills_its_worker_is_given_up_alone_and_replayed_after_the_fix(
    system: System, bot: Bot, tmp_path: Path, worker: str, handler: str
) -> None:
    """The server announces the last delivery while lifecycle, which reads that, does not run yet."""

    async def is_announced() -> bool:
        return (await bot.connection.jetstream().stream_info("RICORDO_ADVISORIES")).state.messages > 0

    neighbours = NAMES[:60]
    others = {"ingest", *OTHERS} - {worker, "lifecycle"}
    faulty = exiting_on(handler, "killer")
    async with faulty_worker(system, tmp_path / "worker.log", faulty, worker, *others) as program:
        messages = [msg(name, f"Neighbour {name} is fine.") for name in neighbours]
        killer = msg("killer", "My brother Ugo plays the drums.")
        await bot.publish_all([*messages[:20], killer, *messages[20:]])
        deaths = await restart_until(program, is_announced)
        assert 2 <= deaths <= MAX_DELIVER + 1  # together with others, and then alone
        async with Workers(without_reconciler(system.settings), ["lifecycle"]).started():
            states = await bot.final_states([*neighbours, "killer"], within=120)
        assert states == dict.fromkeys(neighbours, "remembered") | {"killer": "failed"}
        error = (await bot.status("killer"))["error"]
        assert error.startswith(f"attempts_exhausted: delivered {MAX_DELIVER} times, never settled")
        assert await program.stop() == 0
    (letter,) = await dead_letters_of(system.settings, bot.tenant)
    assert (letter["consumer"], letter["message_id"]) == (worker, "killer")
    assert (letter["code"], letter["attempts"]) == ("attempts_exhausted", MAX_DELIVER)
    assert "its worker died" in letter["reason"]
    (shown,) = await command_output(system.settings, "dlq", "show", str(letter["sequence"]))
    assert "killer" in shown["body"]
    await _replay(system, bot, letter["sequence"], "killer")
    await _check_counts(bot, len(neighbours) + 1)


async def _replay(system: System, bot: Bot, sequence: int, message_id: str) -> None:
    await command_output(system.settings, "dlq", "replay", str(sequence))
    await bot.wait_for_state(message_id, "remembered")
    assert await dead_letters_of(system.settings, bot.tenant) == []


async def _check_counts(bot: Bot, total: int) -> None:
    """A message that comes late is read before the one that follows it, which is then read again."""

    async def counts() -> tuple[int, int, int]:
        stats = await bot.query("stats", user_id="u-1")
        return stats["memories"], stats["history"], stats["pending"]

    await wait_for(counts, lambda found: found == (total, total, 0))


async def test_an_event_that_two_workers_gave_up_is_replayed_to_each_alone(system: System, bot: Bot) -> None:
    readers, last = ["enrichment", "knowledge"], 0

    async def letters() -> list[int]:
        found = await dead_letters_of(system.settings, bot.tenant)
        assert {letter["consumer"] for letter in found} <= set(readers)
        return sorted(letter["sequence"] for letter in found if letter["sequence"] > last)

    await bot.publish(b"rubbish", name="memory.encoded")
    for _ in range(2):
        numbers = await wait_for(letters, lambda found: len(found) == len(readers))
        last = numbers[-1]
        for number in map(str, numbers):
            replayed = await command_output(system.settings, "dlq", "replay", number, number)
            assert len(replayed) == 1
    await wait_for(letters, lambda found: len(found) == len(readers))
    assert len(await dead_letters_of(system.settings, bot.tenant)) == len(readers)
