"""What is delivered three times, in whatever order, leads to the same stores: one hash over all of them."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_OID, uuid5

import pytest
from nats.aio.client import Client
from tests.fixtures.crashes.stores import LEFT_TO_DO, Reader, Stores
from tests.fixtures.sentence_tables import table
from tests.fixtures.store_comparison import stored
from tests.fixtures.system import System, Workers
from tests.fixtures.wire import NOON, Bot, Json, ago, ids, msg, new_tenant, wait_for

from ricordo.messages.ids import memory_id
from ricordo.messages.routing import CONSUMERS
from ricordo_services.app.passes import run_pass

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]

NOW: Final = datetime.now(UTC).replace(microsecond=0)
TIMES: Final = 3
TOLD: Final = table(__file__, "told")
ZONES: Final = {3: "Europe/Rome", 9: "Asia/Tokyo", 15: "America/New_York"}
QUESTIONS: Final = ("Dove vive Nora?", "Where do I live?", "Che cosa adoro?", "Come si chiama il mio cane?")


def talk(count: int = 30) -> list[Json]:
    """Return three conversations of two users; some say their zone, some moments are the same."""
    messages = []
    for n in range(count):
        fields: Json = {
            "conversation_id": f"c-{n % 3}",
            "user_id": "u-2" if n % 5 == 4 else "u-1",
            "role": "assistant" if n % 7 == 6 else "user",
            "timestamp": ago(hours=300 - 4 * (n // 2)),  # every other message at the moment of the one before
        }
        if n in ZONES:
            fields["timezone"] = ZONES[n]
        messages.append(msg(f"m-{n:02}", TOLD[n % len(TOLD)], **fields))
    return messages


SPENT: Final = msg("m-99", "Il codice del cancello è 77.", timestamp=ago(days=2), expires_at=ago(days=-1))
OLD: Final = tuple(
    msg(
        f"old-{n}", text, user_id="u-2", timestamp=ago(days=300 - 2 * n), language="it", conversation_id="c-9"
    )
    for n, text in enumerate(
        (
            "Ho preso un caffè con Anna al bar Centrale.",
            "Caffè con Anna al bar, pagato 3 euro.",
            "Un altro caffè con Anna, al bar vicino al cinema.",
            "Io e Anna abbiamo preso un caffè al bar.",
        )
    )
)
SAID: Final = (*talk(), SPENT, *OLD)
NOBODY_WRITES: Final = {
    "message.imported",
    *(f"{what}.requested{lane}" for what in ("facts", "index", "reading") for lane in ("", ".bulk")),
}
"""Nothing is imported, and no stage is lost; of what merely fades, nothing is filtered by."""
FORGOTTEN: Final = "m-01"
PASSES: Final = (
    ("compress", NOON),
    ("expire", NOON + timedelta(days=3)),
    ("decay", NOW + timedelta(days=60)),  # of what is stored now
)


@contextmanager
def one_by_one(system: System) -> Iterator[Workers]:
    """Run workers that encode texts one by one, so that no vector depends on its company at all."""
    system.workers.stop()
    embedding = system.settings.embedding.model_copy(update={"batch": 1})
    hasty = {"reconcile_every_s": 1.0, "reconcile_after_s": 5.0, "summarize_every_s": 0.5}
    # When something is condensed is for the test to say.
    lifecycle = system.settings.lifecycle.model_copy(update={"compress_similarity": 1.0, **hasty})
    worker = system.settings.worker.model_copy(update={"live_burst": 12})  # the rest is on the bulk lane
    changes = {"embedding": embedding, "lifecycle": lifecycle, "worker": worker}
    settings = system.settings.model_copy(update=changes)
    workers = Workers(settings)
    workers.start()
    try:
        yield workers
    finally:
        workers.close()
        system.workers.start()


@pytest.mark.parametrize(
    "seeds", [(7,), pytest.param((3, 7, 11), marks=pytest.mark.chaos)], ids=["one", "three"]
)
async def test_each_event_three_times_in_any_order_is_each_once_in_order(
    system: System, seeds: tuple[int, ...]
) -> None:
    since = datetime.now(UTC) - timedelta(minutes=1)
    reader = Reader(system.endpoints, since)
    with one_by_one(system) as workers:
        async with system.connection() as client:
            bots = {seed: Bot(client, new_tenant()) for seed in (None, *seeds)}
            await asyncio.gather(*(_live(system, bot, seed) for seed, bot in bots.items()))
            tenants = {seed: bot.tenant for seed, bot in bots.items()}
            answers = [await _answers(bot) for bot in bots.values()]
            assert answers == [answers[0]] * len(bots)
            async with workers.stopped():
                before = await reader.read(list(tenants.values()))
            _are_one(tenants, before)
            delivered = await asyncio.gather(
                *(_deliver_all_again(client, bot, seed or 0) for seed, bot in bots.items())
            )
            for bot in bots.values():
                await _settled(system, bot)
            async with workers.stopped():
                after = await reader.read(list(tenants.values()))
    assert {name for reader in CONSUMERS for name in reader.events} - NOBODY_WRITES <= set().union(*delivered)
    assert {seed: before[tenant].unlike(after[tenant]) for seed, tenant in tenants.items()} == {
        seed: {} for seed in tenants
    }
    assert {stores.hash for stores in (*before.values(), *after.values())} == {before[tenants[None]].hash}


async def _answers(bot: Bot) -> list[object]:
    replies = [await bot.recall(question, limit=60) for question in QUESTIONS]
    return [
        (ids(one["memories"]), [(fact["confidence"], fact["last_reinforced"]) for fact in one["facts"]])
        for one in replies
    ]


def _are_one(tenants: dict[int | None, str], found: dict[str, Stores]) -> None:
    expected = found[tenants[None]]
    assert {seed: found[tenant].unlike(expected) for seed, tenant in tenants.items()} == {
        seed: {} for seed in tenants
    }
    held = expected.lines
    kept = len(SAID) - 1
    assert len(held["history"]) == kept
    for store in (
        "facts",
        "graph",
        "memory_uses",
        "points",
        "vectors",
        "entities",
        "reflection_backlog",
    ):
        assert held[store], store


async def _settled(system: System, bot: Bot) -> None:
    """Wait until nothing is left to do: no event, and nothing that the clock will call for."""
    await wait_for(
        lambda: system.rows(bot.tenant, f"select ({LEFT_TO_DO}) as unfinished"),
        lambda rows: not rows[0]["unfinished"],
        within=240,
    )
    await system.wait_until_idle(within=240)


async def _live(system: System, bot: Bot, seed: int | None) -> None:
    """Say everything: once and in order; or three times in an order that follows from `seed`."""
    await _publish(bot, [("message.received", one) for one in SAID], seed)
    await bot.final_states([one["id"] for one in SAID], within=240)
    await _settled(system, bot)
    await _publish(bot, _used(bot), seed)
    await _publish(bot, [("session.ended", _ended())], seed)
    await _settled(system, bot)
    forgetting = {"user_id": "u-1", "message_id": FORGOTTEN, "request_id": "r-1"}
    for _ in range(1 if seed is None else TIMES):
        assert (await bot.request("command.forget", forgetting, within=30)).body.get("ok")
    await _settled(system, bot)
    for name, moment in PASSES:
        await run_pass(system.settings, name, now=moment, tenant=bot.tenant)
        await _settled(system, bot)


def _used(bot: Bot) -> list[tuple[str, Json]]:
    """Return what retrieval would say of four recalls, two of which found the same memory."""
    return [
        (
            "memory.accessed",
            {
                "id": str(uuid5(NAMESPACE_OID, f"{bot.tenant}/event/{n}")),
                "recall_id": str(uuid5(NAMESPACE_OID, f"{bot.tenant}/recall/{n}")),
                "user_id": "u-1",
                "memory_ids": [str(memory_id(bot.tenant, one)) for one in found],
                "at": (NOW - timedelta(hours=9 - n)).isoformat(),
            },
        )
        for n, found in enumerate((("m-00", "m-03"), ("m-03",), ("m-05", "m-06"), ("m-10",)))
    ]


def _ended() -> Json:
    return {"user_id": "u-1", "conversation_id": "c-0", "timestamp": ago()}


async def _publish(bot: Bot, messages: list[tuple[str, Json]], seed: int | None) -> None:
    if seed is None:
        for name, message in messages:
            await bot.publish(message, name=name)
        return
    shuffled = messages * TIMES
    random.Random(seed).shuffle(shuffled)
    await asyncio.gather(*(bot.publish(message, name=name) for name, message in shuffled))


async def _deliver_all_again(client: Client, bot: Bot, seed: int) -> set[str]:
    """Publish all that was ever published three times more, in any order; return the names of it."""
    events = [
        (one.subject or "", one.data or b"") for one in await stored(client, "RICORDO", bot.subject(">"))
    ]
    events += [(bot.subject("message.received"), json.dumps(one).encode()) for one in SAID]
    events += [(bot.subject("session.ended"), json.dumps(_ended()).encode())]
    again = events * TIMES
    random.Random(seed).shuffle(again)
    turns = asyncio.Semaphore(64)

    async def publish(subject: str, body: bytes) -> None:
        async with turns:
            await client.jetstream().publish(subject, body, timeout=20)

    await asyncio.gather(*(publish(*one) for one in again))
    return {subject.removeprefix(bot.subject("")) for subject, _ in events}
