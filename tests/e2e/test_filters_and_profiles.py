"""Filters hold whatever the question says, and a reply explains the scores of every profile."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

import pytest
from tests.fixtures.sample_lives import NOW, ROME, message, told
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ids, new_tenant

from ricordo.memory.ranking.signals import NEARNESS
from ricordo_services.app.passes import run_pass

PROFILES: Final = ("human", "weighted", "multiplicative", "generative", "budget")
OLD: Final = ("it-piano-1", "it-onion-1")
"""So long unused that they are in the archive."""
READ_OTHERWISE = table(__file__, "read_otherwise")
ROWS: Final = """
select message_id, created_at, event_times, importance, valence, type, kind, participants, topics,
    archived_at is not null as archived
from memories
"""


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    return asyncio.run(_live(system))


async def _live(system: System) -> str:
    """Tell the Italian life without its noise, and let two of its memories fade into the archive."""
    async with system.connection() as connection:
        bot = Bot(connection, new_tenant())
        told_with = {name: {"importance": 0.1} for name in OLD}
        messages = [message("it", turn) for turn in told("it")]
        await bot.remember(*(one | told_with.get(one["id"], {}) for one in messages))
    statement = (
        "update memories set stored_at = now() - interval '2 years', arousal = 0 where message_id = any($1)"
    )
    await system.rows(bot.tenant, statement, OLD)
    await run_pass(system.settings, "decay", user_id="it", tenant=bot.tenant)
    await system.wait_until_idle()
    return bot.tenant


@pytest.fixture
async def rows(system: System, tenant: str) -> Mapping[str, Json]:
    """Return what PostgreSQL holds, by message id."""
    return {row["message_id"]: row for row in await system.rows(tenant, ROWS)}


async def ask(bot: Bot, question: str, **request: object) -> Json:
    usual = {"user_id": "it", "now": NOW.isoformat(), "timezone": "Europe/Rome", "limit": 200}
    reply = await bot.recall(question, **usual | request)
    assert reply["degraded"] == []
    return reply


def instant(text: object) -> datetime:
    return datetime.fromisoformat(str(text))


def on(month: int, day: int, year: int = 2026) -> str:
    return datetime(year, month, day, tzinfo=ROME).isoformat()


def fulfils(row: Json, filters: Json) -> bool:
    """Say whether a memory is what the filters ask for, by the words of the contract."""
    start = instant(filters.get("start", "0001-01-03T00:00:00Z"))
    end = instant(filters.get("end", "9999-12-28T00:00:00Z"))
    happened = any(start <= one.lower < end for one in row["event_times"])
    felt = {"positive": row["valence"] > 0.5, "negative": row["valence"] < -0.5}
    felt["neutral"] = not any(felt.values())
    return all(
        (
            start <= row["created_at"] < end or happened,
            _shares(row["participants"], filters.get("participants")),
            _shares(row["topics"], filters.get("topics")),
            _shares([row["type"]], filters.get("types")),
            _shares([row["kind"]], filters.get("kinds")),
            felt[filters["emotion"]] if "emotion" in filters else True,
            row["importance"] >= filters.get("min_importance", 0) - 1e-6,
            not row["archived"] or filters.get("include_archived", False),
        )
    )


def asked_with(name: str, count: int) -> Sequence[str]:
    """Return some of the questions that narrow something themselves, others for each name."""
    narrowing = READ_OTHERWISE[1:]
    first = (*FILTERS, *CONTRADICTIONS).index(name)
    return [narrowing[(first + step) % len(narrowing)] for step in range(count)]


def _shares(values: Sequence[str], wanted: Sequence[str] | None) -> bool:
    return not wanted or bool({one.casefold() for one in values} & {one.casefold() for one in wanted})


FILTERS = table(__file__, "filters")


@pytest.mark.parametrize("name", FILTERS)
async def test_filters_hold_whatever_is_asked(shared_bot: Bot, rows: Mapping[str, Json], name: str) -> None:
    filters = FILTERS[name]
    fitting = {message_id for message_id, row in rows.items() if fulfils(row, filters)}
    assert fitting, "these tests ask for what there is"
    for question in asked_with(name, 2):
        found = ids((await ask(shared_bot, question, filters=filters))["memories"])
        assert len(found) == len(set(found))
        assert set(found) <= fitting, (question, set(found) - fitting)
    everything = ids((await ask(shared_bot, READ_OTHERWISE[0], filters=filters))["memories"])
    assert set(everything) == fitting, "a question that narrows nothing finds all of it"


CONTRADICTIONS = table(__file__, "contradictions")


@pytest.mark.parametrize("name", CONTRADICTIONS)
async def test_what_nothing_can_be_is_an_honest_nothing(shared_bot: Bot, name: str) -> None:
    for question in (READ_OTHERWISE[0], *asked_with(name, 1)):
        request = {"user_id": "it", "query": question, "now": NOW.isoformat(), "reinforce": False}
        reply = await shared_bot.query("context", **request | {"filters": CONTRADICTIONS[name]})
        assert (reply["memories"], reply["degraded"]) == ([], [])


async def test_the_analyser_fills_what_the_filters_leave_open(
    shared_bot: Bot, rows: Mapping[str, Json]
) -> None:
    yesterday = {"start": (NOW - timedelta(days=1)).replace(hour=0).isoformat(), "end": on(3, 12)}
    open_in_type = await ask(shared_bot, "Cosa abbiamo fatto ieri?", filters={"types": ["episodic"]})
    assert set(ids(open_in_type["memories"])) == {
        name for name, row in rows.items() if fulfils(row, yesterday | {"types": ["episodic"]})
    }
    given = {"start": on(3, 7), "end": on(3, 8)}
    assert ids((await ask(shared_bot, "Cosa abbiamo fatto ieri?", filters=given))["memories"]) == [
        "it-grappa"
    ]
    glad = await ask(shared_bot, "Cosa mi è piaciuto?", filters={"start": on(2, 1)})
    expected = {"start": on(2, 1), "emotion": "positive"}
    assert set(ids(glad["memories"])) == {name for name, row in rows.items() if fulfils(row, expected)}
    sad = await ask(shared_bot, "Cosa mi è piaciuto?", filters={"emotion": "negative"})
    assert sad["memories"]
    assert all(memory["emotion"]["valence"] < -0.5 for memory in sad["memories"])
    known = await ask(shared_bot, "Come si fa la polenta?", filters={"types": ["semantic"]})
    assert {memory["type"] for memory in known["memories"]} == {"semantic"}
    assert known["analysis"]["fallback"] is None
    plain, empty = (
        await ask(shared_bot, READ_OTHERWISE[2]),
        await ask(shared_bot, READ_OTHERWISE[2], filters={}),
    )
    assert ids(plain["memories"]) == ids(empty["memories"])


RANGES: Final[Mapping[str, tuple[float, float]]] = {
    name: (least, most) for least, most, *names in table(__file__, "ranges") for name in names
}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", ["recall", "context"])
async def test_every_profile_answers_and_explains_itself(shared_bot: Bot, query: str, profile: str) -> None:
    for question in ("Ciao, come stai?", "Cosa è successo a febbraio?", "Dove è la barca di Davide?"):
        request = {"user_id": "it", "query": question, "now": NOW.isoformat(), "reinforce": False}
        reply = await shared_bot.query(query, **request | {"profile": profile, "explain": True})
        memories = reply["memories"]
        assert query == "recall" or "length" in [one["name"] for one in reply["patterns"]]
        assert memories or question.startswith("Ciao"), question
        for memory in memories:
            signals = memory["signals"]
            measured = set(RANGES) - (NEARNESS if "semantic" not in signals else set())
            assert signals.keys() == measured
            for name in measured:
                least, most = RANGES[name]
                assert least - 1e-6 <= signals[name] <= most + 1e-6, (name, signals[name])
            assert signals["importance"] == pytest.approx(memory["importance"])
            assert signals["valence"] == pytest.approx(memory["emotion"]["valence"])
            assert profile != "human" or 0 <= memory["score"] <= 1
        for first, second in pairwise(memories):
            assert _rank(first) <= _rank(second)
        unexplained = await shared_bot.query(query, **request | {"profile": profile})
        assert [memory["signals"] for memory in unexplained["memories"]] == [None] * len(memories)
        assert ids(unexplained["memories"]) == ids(memories)


def _rank(memory: Json) -> tuple[float, float, str]:
    return -memory["score"], -instant(memory["created_at"]).timestamp(), memory["id"]
