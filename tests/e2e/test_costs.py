"""What a message costs is bounded by a table, in units that do not vary with the machine."""

import tomllib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
from asyncpg.connection import Connection
from neo4j import AsyncTransaction
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, msg

from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.language.annotations import E5
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.runtime.measures import HandlerMeasures
from ricordo.store import rows
from ricordo.store.database import Database

SENDS: Final = "_do_execute"
"""The method of asyncpg that sends a prepared statement."""

OF_A_NEW_CONNECTION: Final = ("set_config('jit'", "typeinfo_tree")
"""How asyncpg asks for the types of results, once a connection."""


@dataclass
class CostCounters:
    """Counts by worker, within its handler: the log context of the running task names both."""

    batches: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    round_trips: Counter[str] = field(default_factory=Counter)
    transactions: Counter[str] = field(default_factory=Counter)
    vectors: Counter[str] = field(default_factory=Counter)
    index_trips: Counter[str] = field(default_factory=Counter)
    texts: int = 0

    def clear(self) -> None:
        for counts in (one for one in vars(self).values() if isinstance(one, Counter)):
            counts.clear()
        self.texts = 0

    def per_batch(self, counts: Counter[str], worker: str) -> float:
        return round(counts[worker] / self.batches[worker], 2)


def _worker() -> str:
    """Return the worker whose handler runs; empty outside of handlers, where gates ask by time."""
    context = structlog.contextvars.get_contextvars()
    return str(context["worker"]) if "tenant" in context else ""


def _is_ours(_: object, __: str, model: str, *___: object) -> bool:
    return model == E5  # other tests leave memories of other models


def _counted(
    method: Callable[..., Awaitable[Any]], counts: Counter[str], of: Callable[..., int] = lambda *_: 1
) -> Callable[..., Awaitable[Any]]:
    async def counted(*arguments: object, **options: object) -> Any:  # noqa: ANN401
        counts[_worker()] += of(*arguments)
        return await method(*arguments, **options)

    return counted


@contextmanager
def counted_costs() -> Iterator[CostCounters]:
    counters = CostCounters()
    # The functions that replace others take whatever these take.
    execute: Callable[..., Awaitable[str]] = Connection.execute
    send: Callable[..., Awaitable[Any]] = getattr(Connection, SENDS)
    record, vector, encode = HandlerMeasures.record, rows.vector, EmbeddingBatcher.encode

    async def counted_execute(self: Any, query: str, *args: object, **options: Any) -> str:  # noqa: ANN401
        if not args:
            counters.round_trips[_worker()] += 1
            counters.transactions[_worker()] += query.startswith("begin")
        return await execute(self, query, *args, **options)

    def counted_do_execute(self: Any, query: str, *args: Any, **options: Any) -> Awaitable[Any]:  # noqa: ANN401
        counters.round_trips[_worker()] += not any(one in query for one in OF_A_NEW_CONNECTION)
        return send(self, query, *args, **options)

    def counted_record(self: HandlerMeasures, events: int, seconds: float) -> None:
        counters.batches[_worker()] += 1
        counters.messages[_worker()] += events
        record(self, events, seconds)

    def counted_vector(raw: bytes | None) -> Any:  # noqa: ANN401
        counters.vectors[_worker()] += raw is not None
        return vector(raw)

    async def counted_encode(self: EmbeddingBatcher, texts: Sequence[str]) -> Any:  # noqa: ANN401
        counters.texts += len(texts)
        return await encode(self, texts)

    patches: list[tuple[object, str, Callable[..., Any]]] = [
        (Connection, "execute", counted_execute),
        (Connection, SENDS, counted_do_execute),
        (Database, "call", _counted(Database.call, counters.transactions)),
        (Database, "read", _counted(Database.read, counters.transactions)),
        (AsyncTransaction, "run", _counted(AsyncTransaction.run, counters.round_trips)),
        (AsyncTransaction, "commit", _counted(AsyncTransaction.commit, counters.transactions)),
        *(
            (EdgeVectorIndex, name, _counted(getattr(EdgeVectorIndex, name), counters.index_trips, _is_ours))
            for name in ("search", "present_terms", "neighbours")
        ),
        (HandlerMeasures, "record", counted_record),
        (rows, "vector", counted_vector),
        (EmbeddingBatcher, "encode", counted_encode),
    ]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for owner, name, replacement in patches:
            monkeypatch.setattr(owner, name, replacement)
        yield counters


COSTS: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "costs.toml").read_text(encoding="utf-8")
)
MESSAGES: Final = 120
WARM_UPS: Final = 3
TURNS: Final = (
    "My sister Anna moved to Trieste last spring.",
    "I had pasta with clams for dinner and it was wonderful.",
    "The boiler broke again, the third time this winter.",
    "Yesterday we walked to the castle and back.",
    "I work at the harbour office now.",
    "Sounds good, thanks!",
)


def conversation(prefix: str, count: int) -> list[Json]:
    return [
        msg(f"{prefix}-{n}", f"{TURNS[n % len(TURNS)]} ({n})", timestamp=ago(days=2, minutes=-n))
        for n in range(count)
    ]


async def measure(system: System, bot: Bot) -> tuple[CostCounters, Mapping[str, int]]:
    """Return what messages cost once statements are prepared, and the events of the tenant by subject."""
    with counted_costs() as counters:
        async with system.restarted(system.settings):
            for n in range(WARM_UPS):
                await bot.remember(*conversation(f"before-{n}", 8))
            await system.wait_until_idle()
            counters.clear()
            await bot.publish_all(conversation("one", MESSAGES))
            await system.wait_until_idle()
    async with system.connection() as connection:
        info = await connection.jetstream().stream_info(
            "RICORDO", subjects_filter=f"memory.v1.{bot.tenant}.>"
        )
    return counters, info.state.subjects or {}


async def test_a_batch_costs_no_more_than_the_table_says(system: System, bot: Bot) -> None:
    counters, events = await measure(system, bot)
    found = {
        "round_trips": {one: counters.per_batch(counters.round_trips, one) for one in COSTS["round_trips"]},
        "transactions": {
            one: counters.per_batch(counters.transactions, one) for one in COSTS["transactions"]
        },
        "vectors_per_message": {
            one: round(counters.vectors[one] / counters.messages[one], 2)
            for one in COSTS["vectors_per_message"]
        },
        "events_per_message": {"all": round(sum(events.values()) / (MESSAGES + 8 * WARM_UPS), 2)},
    }
    above = {
        f"{table} of {name}": (cost, COSTS[table][name])
        for table, costs in found.items()
        for name, cost in costs.items()
        if cost > COSTS[table][name]
    }
    assert not above, found
    assert counters.texts <= MESSAGES, "a text is encoded once"


@pytest.mark.parametrize("question", COSTS["recall"])
async def test_a_recall_costs_no_more_than_the_table_says(bot: Bot, question: str) -> None:
    await bot.remember(*conversation("told", 12))
    await bot.recall(question)  # statements are prepared, and examples encoded
    with counted_costs() as counters:
        assert (await bot.recall(question))["memories"]
    costs = COSTS["recall"][question]
    assert {name: getattr(counters, name)["retrieval"] for name in costs} == costs
