"""Everything goes wrong at once while fifty users talk: in the end nothing is lost, nothing is there twice.

What is there is read from the stores, and not through Ricordo.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import nats
import pytest
from tests.chaos.test_killed_tree import RecallLoop
from tests.fixtures.cluster import Cluster, cluster
from tests.fixtures.digest import Digest, digest, points
from tests.fixtures.eventually import eventually
from tests.fixtures.expected_state import memory_id
from tests.fixtures.retrying_publisher import AWAY, connect_patiently, talk
from tests.fixtures.store_comparison import rows, stored
from tests.fixtures.wire import Bot, Json, msg, new_tenant

pytestmark = pytest.mark.chaos

USERS: Final = 50
FACT_EVERY: Final = 4  # messages of a user
KILLS_EVERY_S: Final = 3.0
RECOVERED_S: Final = 30.0  # at most, from the end of a fault


@dataclass(frozen=True)
class Storm:
    """How much of it.

    Attributes:
        events: messages, without poison and repeats.
        seconds: in which they are published.
        away_s: seconds for which each server is away.
        kills: of processes of workers.
    """

    events: int
    seconds: float
    away_s: float
    kills: int


SHORT: Final = Storm(events=1_000, seconds=40, away_s=3, kills=4)
LONG: Final = Storm(events=10_000, seconds=110, away_s=10, kills=25)


@dataclass
class Figures:
    """What is told in the end.

    Attributes:
        under_way: kills that hit work in hand.
        redelivered: events that were delivered again, to any consumer.
        recovery_s: seconds from the end of a fault until something more was done, by fault.
    """

    kills: int = 0
    under_way: int = 0
    redelivered: int = 0
    recovery_s: dict[str, float] = field(default_factory=dict)


@pytest.mark.parametrize(
    "storm",
    [
        pytest.param(SHORT, marks=pytest.mark.timeout(290)),
        pytest.param(LONG, marks=pytest.mark.timeout(1800)),
    ],
    ids=["short", "long"],
)
async def test_a_storm_loses_nothing_and_doubles_nothing(tmp_path: Path, storm: Storm) -> None:
    tenant, chance, figures = new_tenant(), random.Random(7), Figures()
    good, poison = talk(storm.events, USERS, FACT_EVERY), _poison(storm.events // 100)
    async with cluster(tmp_path) as system:
        asking = RecallLoop(system.servers, tenant)
        async with asyncio.timeout(900):
            mixed = _mixed(good, poison, chance)
            publishing = asyncio.create_task(_publish(system, tenant, mixed, storm.seconds))
            await asyncio.gather(publishing, *_faults(system, storm, chance, figures, publishing.done))
            began = time.monotonic()
            await asking.stop()
            await _publish(system, tenant, conflicts := _conflicts(good[:3]), 0)
            await eventually(partial(_is_settled, system, tenant, len(good)), within=600)
        settled_s = time.monotonic() - began
        figures.redelivered = await system.redelivered()
        state = await digest(system.servers.endpoints(), tenant)
        letters = await _letters(system)
        for member in system.members:
            await member.program.kill()
        await system.servers.program.stop()
        indexed = points(system.servers.folder / "qdrant", tenant)
    told = {"events": len(good), "poison": len(poison) + len(conflicts), "settled_s": round(settled_s, 1)}
    sys.stdout.write(f"{json.dumps(told | asdict(figures))}\n")  # shown by -rP
    _everything_is_there_once(state, good)
    assert set(indexed) == {memory_id(tenant, one["id"]) for one in good}
    assert letters == Counter([*poison, *conflicts])
    asking.check_reinforcements(state)
    assert figures.under_way >= figures.kills / 2
    assert max(figures.recovery_s.values()) <= RECOVERED_S


def _poison(count: int) -> list[bytes]:
    """Return messages that nobody can take, each in another way, no two alike."""
    ways: Sequence[Callable[[int, Json], bytes]] = (
        lambda n, _: b'{"id": "p-%d", nope' % n,
        lambda n, _: b"\xff\xfe%d" % n,
        lambda n, _: b"[%d]" % n,
        lambda _, body: json.dumps(
            {name: value for name, value in body.items() if name != "user_id"}
        ).encode(),
        lambda _, body: json.dumps(body | {"timestamp": "yesterday"}).encode(),
        lambda _, body: json.dumps(body | {"content": "x" * 40_000}).encode(),
        lambda _, body: json.dumps(body | {"content": " "}).encode(),
        lambda _, body: json.dumps(body | {"role": "king"}).encode(),
        lambda n, body: json.dumps(body | {"importance": 2 + n}).encode(),
    )
    return [ways[n % len(ways)](n, msg(f"p-{n}", f"Poison {n}.")) for n in range(count)]


def _conflicts(known: Sequence[Json]) -> list[bytes]:
    """Return other words under ids that are known."""
    return [json.dumps(one | {"content": f"Not {one['id']}."}).encode() for one in known]


def _mixed(good: Sequence[Json], poison: Sequence[bytes], chance: random.Random) -> list[bytes]:
    """Return all of it in the order of the talk, poison anywhere, and a tenth of the messages once more."""
    bodies = [json.dumps(one).encode() for one in good]
    for one in [*poison, *chance.sample(bodies, len(bodies) // 10)]:
        bodies.insert(chance.randrange(len(bodies)), one)
    return bodies


async def _publish(system: Cluster, tenant: str, bodies: Sequence[bytes], seconds: float) -> None:
    """Publish each until it is acknowledged, over so many seconds."""
    began, waiting = time.monotonic(), list(enumerate(bodies))
    while waiting:
        async with await connect_patiently(lambda: system.servers.nats_url) as connection:
            bot = Bot(connection, tenant)
            with suppress(*AWAY):
                while waiting:
                    place, body = waiting[0]
                    await asyncio.sleep(began + seconds * place / len(bodies) - time.monotonic())
                    await bot.publish(body)
                    del waiting[0]


def _faults(
    system: Cluster, storm: Storm, chance: random.Random, figures: Figures, published: Callable[[], bool]
) -> Sequence[Awaitable[None]]:
    return (
        _kill_workers(system, storm.kills, chance, figures),
        _take_servers_away(system, storm, figures, published),
    )


async def _kill_workers(system: Cluster, count: int, chance: random.Random, figures: Figures) -> None:
    """Kill one process after the other, those with work in hand if there are any."""
    for _ in range(count):
        await asyncio.sleep(KILLS_EVERY_S)
        members = [one for one in chance.sample(system.members, len(system.members)) if not one.frozen]
        busy = [one for one in members if one.consumers and await system.in_hand(one.consumers) > 0]
        figures.kills += 1
        figures.under_way += bool(busy)
        await system.kill((busy or members)[0])


async def _take_servers_away(
    system: Cluster, storm: Storm, figures: Figures, published: Callable[[], bool]
) -> None:
    """Have each fault in turn, while those who need it have something in hand, or once all is published."""
    faults: dict[str, tuple[tuple[str, ...], Callable[[], Awaitable[None]]]] = {
        "NATS killed": (("ingest",), partial(system.servers.kill_server, "nats-server")),
        "PostgreSQL away": (("ingest",), partial(system.cut, "postgres", storm.away_s)),
        "graph away": (("knowledge",), partial(system.cut, "bolt", storm.away_s)),
        "model away": (("encode",), partial(system.cut, "model", storm.away_s)),
        "worker frozen": (("enrichment",), partial(_freeze, system, "enrichment")),
    }
    for name, (consumers, happens) in faults.items():
        await eventually(partial(_in_hand, system, consumers, published), within=60)
        await happens()
        figures.recovery_s[name] = round(await system.recovers(consumers), 1)


async def _freeze(system: Cluster, worker: str) -> None:
    """Freeze one that runs."""
    running = [one for one in system.members if one.workers == (worker,) and one.program.runs]
    await system.freeze(running[0])


async def _in_hand(system: Cluster, consumers: Sequence[str], published: Callable[[], bool]) -> bool:
    return published() or await system.in_hand(consumers) > 0


async def _is_settled(system: Cluster, tenant: str, count: int) -> bool:
    """Whether no event waits, and every message has all of its stages; asked now and then."""
    await asyncio.sleep(0.5)
    if await system.unsettled() != 0:
        return False
    found = await rows(system.servers.endpoints(), tenant)
    return (len(found.history), found.pending) == (count, 0)


async def _letters(system: Cluster) -> Counter[bytes]:
    async with await nats.connect(system.servers.nats_url) as connection:
        return Counter(one.data or b"" for one in await stored(connection, "RICORDO_DLQ", ">"))


def _everything_is_there_once(state: Digest, good: Sequence[Json]) -> None:
    names = sorted(one["id"] for one in good)
    for table in ("history", "memories"):
        assert sorted(json.loads(row)["message_id"] for row in state[table]) == names, table
    assert len(state["vectors"]) == len(state["stages"]) == len(good)
    told = Counter(one["user_id"] for one in good if "Nora" in one["content"])
    facts = [json.loads(row) for row in state["facts"]]
    assert len(state["graph"]) == len(facts)
    typed = [fact for fact in facts if fact["predicate"] != "stated"]  # a clause is noted, too, if in doubt
    assert Counter(fact["user_id"] for fact in typed) == dict.fromkeys(told, 2), (
        "a sister, and where she lives"
    )
    for fact in typed:
        assert fact["confidence"] == min(10, told[fact["user_id"]])
        assert len(fact["message_ids"]) == len(set(fact["message_ids"])) == told[fact["user_id"]]
