"""What a message costs is bounded by a table, in units that do not vary with the machine."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.fixtures.cost_counters import CostCounters, counted_costs
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, msg

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
