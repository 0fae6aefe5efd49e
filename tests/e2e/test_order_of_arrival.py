"""The final state depends on what was said, not on when it arrived, nor how often."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from nats.aio.client import Client
from tests.fixtures.digest import Digest, PointState, digest, points
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, ids, msg, new_tenant

TOLD = table(__file__, "told")
ZONES = {3: "Europe/Rome", 9: "Asia/Tokyo", 15: "America/New_York"}


def memory_id(tenant: str, message_id: str) -> UUID:
    return uuid5(NAMESPACE_OID, f"{tenant}/{message_id}")


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


@dataclass
class Run:
    """One tenant's run: what was left behind, and what is answered."""

    tenant: str
    state: Digest
    points: dict[str, PointState]
    answers: list[Json]


async def in_order(bot: Bot) -> None:
    messages = talk()
    for start in range(0, len(messages), 12):
        await bot.remember(*messages[start : start + 12])


async def shuffled(bot: Bot) -> None:
    messages = talk()
    random.Random(7).shuffle(messages)
    for start in range(0, len(messages), 9):
        await bot.publish_all(messages[start : start + 9])
        await bot.final_states([message["id"] for message in messages[start : start + 3]])


async def backwards_and_twice(bot: Bot) -> None:
    messages = talk()[::-1]
    await bot.publish_all(messages)
    await bot.final_states([message["id"] for message in messages[:10]])
    await bot.publish_all(messages)  # the bot sends all of it again
    await bot.final_states([message["id"] for message in messages])
    await bot.publish_all(talk())


async def at_once(bot: Bot) -> None:
    messages = talk() * 3
    random.Random(11).shuffle(messages)
    await bot.publish_all(messages)


WAYS = (in_order, shuffled, backwards_and_twice, at_once)
QUESTIONS = (
    "Dove vive Nora?", "Where do I live?", "Cosa abbiamo fatto ieri?", "Che cosa adoro?",
    "Cosa sai di Davide?", "Come si chiama il mio cane?",
)  # fmt: skip


@pytest.fixture(scope="module")
def runs(system: System) -> dict[str, Run]:
    return asyncio.run(_all_runs(system))


async def _all_runs(system: System) -> dict[str, Run]:
    async with system.connection() as connection:
        found = await asyncio.gather(*(_run(system, connection, way) for way in WAYS))
        for run in found:  # by now nobody else is writing
            bot = Bot(connection, run.tenant)
            run.answers = [await bot.recall(one, explain=True, limit=60) for one in QUESTIONS]
    async with system.workers.stopped():  # the index belongs to one process at a time
        for run in found:
            found_points = points(system.endpoints.qdrant_dir, run.tenant)
            names = {memory_id(run.tenant, message["id"]): message["id"] for message in talk()}
            run.points = {names[point]: state for point, state in found_points.items()}
    return dict(zip((way.__name__ for way in WAYS), found, strict=True))


async def _run(system: System, connection: Client, way: Callable[[Bot], Awaitable[None]]) -> Run:
    bot = Bot(connection, new_tenant())
    async with bot.dead_letters() as subscription:
        await way(bot)
        names = [message["id"] for message in talk()]
        assert set((await bot.final_states(names)).values()) == {"remembered"}
        await system.wait_until_idle(within=120)
        assert await subscription.is_silent()
    return Run(bot.tenant, await digest(system.endpoints, bot.tenant), {}, [])


OTHERS = [way.__name__ for way in WAYS[1:]]
STORES = ("history", "memories", "stages", "vectors", "fact_evidence", "facts", "entities", "graph")


@pytest.mark.parametrize("way", OTHERS)
def test_every_order_of_arrival_leads_to_the_same_state(runs: dict[str, Run], way: str) -> None:
    expected, found = runs["in_order"], runs[way]
    for store in STORES:
        assert found.state[store] == expected.state[store], store
        assert len(found.state[store]) > 0, store
    assert [name for name, point in expected.points.items() if not point.is_like(found.points[name])] == []


def test_nothing_is_there_twice(runs: dict[str, Run]) -> None:
    for run in runs.values():
        for store in ("history", "memories", "stages", "vectors"):
            assert len(run.state[store]) == len(talk())
        assert len(run.points) == len(talk())
        assert run.state["dead_letters"] == []


@pytest.mark.parametrize("way", OTHERS)
def test_every_order_of_arrival_leads_to_the_same_answers(runs: dict[str, Run], way: str) -> None:
    for expected, found in zip(runs["in_order"].answers, runs[way].answers, strict=True):
        assert ids(found["memories"]) == ids(expected["memories"])
        assert scores(found["memories"]) == pytest.approx(scores(expected["memories"]), abs=0.02)
        assert rank(found["facts"]) == rank(expected["facts"])


def rank(facts: Sequence[Json]) -> list[tuple[int, str]]:
    return [(fact["confidence"], fact["last_reinforced"]) for fact in facts]  # ties go by id


def scores(memories: Sequence[Json]) -> list[float]:
    return [memory["score"] for memory in memories]


async def test_a_late_message_finds_its_place_between_its_neighbours(bot: Bot) -> None:
    first, late, last = (msg(f"m-{n}", f"Parte {n}.", timestamp=ago(hours=9 - n)) for n in (1, 2, 3))
    await bot.remember(first, last)
    async with bot.subscribed("memory.enriched") as enriched:
        await bot.remember(late)
        follower = memory_id(bot.tenant, "m-3")  # its point contains the text before it
        while json.loads((await enriched.next()).data)["memory_id"] != str(follower):
            pass
    assert await bot.final_states(["m-3"], within=20) == {"m-3": "remembered"}
    history = await bot.query("history", user_id="u-1")
    assert [one["id"] for one in history["messages"]] == ["m-1", "m-2", "m-3"]
    line = await bot.query("timeline", user_id="u-1", start=ago(days=1), end=ago())
    assert ids(line["memories"]) == ["m-1", "m-2", "m-3"]


async def test_a_late_zone_moves_the_days_of_what_follows_it_at_once(bot: Bot) -> None:
    midnight = "2026-03-01T23:30:00Z"  # already the 2nd of March in Rome
    await bot.remember(msg("m-2", "Ho finito il libro.", timestamp=midnight))
    question = {"now": "2026-03-03T12:00:00Z", "user_id": "u-1"}
    await bot.remember(msg("m-1", "Sono a Roma.", timestamp=ago(days=40), timezone="Europe/Rome"))
    assert await bot.final_states(["m-2"], within=20) == {
        "m-2": "remembered"
    }  # no reconciliation is waited for
    assert ids((await bot.recall("Cosa ho fatto ieri?", **question))["memories"]) == ["m-2"]
