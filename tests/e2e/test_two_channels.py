"""Filters that are given hold whatever the question says; what a reply explains is what made its scores."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

import asyncpg
import pytest
from nats.aio.client import Client
from tests.fixtures.lives import NOW, ROME, message, told
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, ids, new_tenant, said

from ricordo.memory.ranking.signals import NEARNESS
from ricordo_services.app.passes import run_pass

pytestmark = pytest.mark.e2e

PROFILES: Final = ("human", "weighted", "multiplicative", "generative", "budget")
OLD: Final = ("it-piano-1", "it-onion-1")
"""So long unused that they are in the archive."""
READ_OTHERWISE: Final = (
    "Ciao, come stai?",
    "Cosa abbiamo fatto ieri?",
    "Cosa sai di Davide?",
    "Cosa mi è piaciuto?",
    "Come si fa la polenta?",
    "Parlami di ABIOGENESIS",
)
ROWS: Final = """
select message_id, created_at, event_times, importance, valence, type, kind, participants, topics,
    archived_at is not null as archived
from memories
"""


@pytest.fixture(scope="module")
def tenant(running: Running) -> str:
    return asyncio.run(_live(running))


async def _live(running: Running) -> str:
    """Tell the Italian life without its noise, and let two of its memories fade into the archive."""
    async with running.connection() as connection:
        bot = Bot(connection, new_tenant())
        told_with = {name: {"importance": 0.1} for name in OLD}
        messages = [message("it", turn) for turn in told("it")]
        await bot.remember(*(one | told_with.get(one["id"], {}) for one in messages))
    database = await asyncpg.connect(running.endpoints.postgres_dsn)
    await database.execute("select set_config('app.tenant', $1, false)", bot.tenant)
    await database.execute(
        "update memories set stored_at = now() - interval '2 years', arousal = 0 where message_id = any($1)",
        OLD,
    )
    await database.close()
    await run_pass(running.settings, "decay", user_id="it", tenant=bot.tenant)
    await running.everything_is_settled()
    return bot.tenant


@pytest.fixture
def lived(wire: Client, tenant: str) -> Bot:
    return Bot(wire, tenant)


@pytest.fixture
async def rows(running: Running, tenant: str) -> Mapping[str, Json]:
    """Return what the truth holds, by message id."""
    database = await asyncpg.connect(running.endpoints.postgres_dsn)
    await database.execute("select set_config('app.tenant', $1, false)", tenant)
    found = {row["message_id"]: dict(row) for row in await database.fetch(ROWS)}
    await database.close()
    return found


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


FILTERS: Final[Mapping[str, Json]] = {
    "a month": {"start": on(2, 1), "end": on(3, 1)},
    "a day": {"start": on(3, 7), "end": on(3, 8)},
    "since": {"start": on(2, 20)},
    "until": {"end": on(11, 1, 2025)},
    "a person": {"participants": ["Davide"]},
    "a person in capitals": {"participants": ["DAVIDE"]},
    "one of two people": {"participants": ["serena", "Matteo"]},
    "procedures": {"types": ["procedural"]},
    "what is known or felt": {"types": ["semantic", "emotional"]},
    "decisions": {"kinds": ["decision", "agreement"]},
    "joy": {"emotion": "positive"},
    "grief": {"emotion": "negative"},
    "neither": {"emotion": "neutral"},
    "what matters": {"min_importance": 0.7},
    "all that was ever said": {"include_archived": True},
    "nothing in particular": {},
    "empty lists": {"participants": [], "topics": [], "types": [], "kinds": []},
    "joy of a month": {"emotion": "positive", "start": on(1, 1), "end": on(2, 1)},
    "a person in a winter": {"participants": ["Davide"], "start": on(12, 1, 2025), "end": on(3, 1)},
    "what mattered and hurt": {"emotion": "negative", "min_importance": 0.6},
    "episodes of a week": {"types": ["episodic"], "start": on(3, 2), "end": on(3, 9)},
    "a person, archived too": {"participants": ["Chiara"], "include_archived": True, "kinds": ["message"]},
    "all at once": {
        "start": on(10, 1, 2025),
        "end": on(3, 12),
        "participants": ["Davide", "Chiara", "Tommaso"],
        "types": ["episodic", "semantic"],
        "kinds": ["message"],
        "emotion": "neutral",
        "min_importance": 0.2,
        "include_archived": True,
    },
}


@pytest.mark.parametrize("name", FILTERS)
async def test_filters_hold_whatever_is_asked(lived: Bot, rows: Mapping[str, Json], name: str) -> None:
    filters = FILTERS[name]
    fitting = {message_id for message_id, row in rows.items() if fulfils(row, filters)}
    assert fitting, "these tests ask for what there is"
    for question in asked_with(name, 3):
        found = ids((await ask(lived, question, filters=filters))["memories"])
        assert len(found) == len(set(found))
        assert set(found) <= fitting, (question, set(found) - fitting)
    everything = ids((await ask(lived, READ_OTHERWISE[0], filters=filters))["memories"])
    assert set(everything) == fitting, "a question that narrows nothing finds all of it"


async def test_every_memory_feels_some_way_or_none(bot: Bot) -> None:
    await bot.remember(said("m-1", "I really like rhubarb pie."), said("m-2", "The kettle is on."))
    found = [
        message_id
        for emotion in ("positive", "neutral", "negative")
        for message_id in ids((await bot.recall("Hello!", filters={"emotion": emotion}))["memories"])
    ]
    assert sorted(found) == ["m-1", "m-2"]


async def test_topics_are_filtered_by_in_any_form(lived: Bot, rows: Mapping[str, Json]) -> None:
    for topic in ("abiogenesis", "ABIOGENESIS"):
        found = ids((await ask(lived, "Ciao!", filters={"topics": [topic, "zzz"]}))["memories"])
        assert set(found) == {"it-abiogenesis-cells", "it-abiogenesis-rust"}
    known = {topic for row in rows.values() for topic in row["topics"]}
    for topic in sorted(known)[::5]:
        having = {name for name, row in rows.items() if topic in row["topics"] and not row["archived"]}
        found = ids((await ask(lived, "Ciao!", filters={"topics": [topic]}))["memories"])
        assert having <= set(found)


CONTRADICTIONS: Final[Mapping[str, Json]] = {
    "no time at all": {"start": on(2, 1), "end": on(2, 1)},
    "before everything": {"end": on(1, 1, 1990)},
    "after everything": {"start": on(1, 1, 2090)},
    "nobody": {"participants": ["Nessuno"]},
    "a person elsewhere": {"participants": ["Serena"], "start": on(10, 1, 2025), "end": on(11, 1, 2025)},
    "a procedure that hurts": {"types": ["procedural"], "emotion": "negative"},
    "no such kind": {"kinds": ["reflection", "extract"]},
    "no such topic": {"topics": ["zzz"]},
    "more than matters": {"min_importance": 1, "types": ["procedural"]},
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
@pytest.mark.parametrize("query", ["recall", "context"])
async def test_what_nothing_can_be_is_an_honest_nothing(lived: Bot, query: str, name: str) -> None:
    for question in (READ_OTHERWISE[0], *asked_with(name, 2)):
        request = {"user_id": "it", "query": question, "now": NOW.isoformat(), "reinforce": False}
        reply = await lived.ask(query, **request | {"filters": CONTRADICTIONS[name]})
        assert (reply["memories"], reply["degraded"]) == ([], [])


async def test_the_analyser_fills_what_the_filters_leave_open(lived: Bot, rows: Mapping[str, Json]) -> None:
    yesterday = {"start": (NOW - timedelta(days=1)).replace(hour=0).isoformat(), "end": on(3, 12)}
    open_in_type = await ask(lived, "Cosa abbiamo fatto ieri?", filters={"types": ["episodic"]})
    assert set(ids(open_in_type["memories"])) == {
        name for name, row in rows.items() if fulfils(row, yesterday | {"types": ["episodic"]})
    }
    given = {"start": on(3, 7), "end": on(3, 8)}
    assert ids((await ask(lived, "Cosa abbiamo fatto ieri?", filters=given))["memories"]) == ["it-grappa"]
    glad = await ask(lived, "Cosa mi è piaciuto?", filters={"start": on(2, 1)})
    expected = {"start": on(2, 1), "emotion": "positive"}
    assert set(ids(glad["memories"])) == {name for name, row in rows.items() if fulfils(row, expected)}
    sad = await ask(lived, "Cosa mi è piaciuto?", filters={"emotion": "negative"})
    assert sad["memories"]
    assert all(memory["emotion"]["valence"] < -0.5 for memory in sad["memories"])
    known = await ask(lived, "Come si fa la polenta?", filters={"types": ["semantic"]})
    assert {memory["type"] for memory in known["memories"]} == {"semantic"}
    assert known["analysis"]["fallback"] is None
    plain, empty = await ask(lived, READ_OTHERWISE[2]), await ask(lived, READ_OTHERWISE[2], filters={})
    assert ids(plain["memories"]) == ids(empty["memories"])


UNIT: Final = (0.0, 1.0)
MANY: Final = (0.0, math.inf)
RANGES: Final[Mapping[str, tuple[float, float]]] = {
    **dict.fromkeys(
        (
            *("semantic", "bm25", "fused", "temporal", "importance", "arousal", "decay_factor", "confidence"),
            *("own_words", "window", "bm25_window", "session", "session_bm25", "reply", "speaker", "dated"),
            *("asks", "congruence", "gained", "meant", "instructing"),
            *("bare", "told", "told_bm25", "about", "suited", "evidence", "connection"),
        ),
        UNIT,
    ),
    **dict.fromkeys(("access_count", "age_days", "token_count"), MANY),
    "valence": (-1.0, 1.0),
    "trust": (0.0, 5.0),
    "key_topic_boost": (1.0, 1.5),
}
Signals = Mapping[str, float]


def weighted(s: Signals) -> float:
    total = 0.35 * s["semantic"] + 0.25 * s["temporal"] + 0.15 * s["importance"]
    total += 0.10 * abs(s["valence"]) * s["arousal"] + 0.10 * min(1, s["access_count"] / 10)
    return (total + 0.05 * max(0, 1 - s["age_days"] / 30)) * s["decay_factor"]


def multiplicative(s: Signals) -> float:
    m = 1 + 4 * s["importance"]
    kept = max(math.exp(-0.02 * s["age_days"]), 0.2 + 0.7 * (m - 1) / 4)
    known = s["confidence"] * (1 + 0.2 * s["trust"] / 5) * s["key_topic_boost"]
    return s["semantic"] * (1 + 0.5 * m / 5) * kept * known


def generative(s: Signals) -> float:
    return 0.5 * s["semantic"] + 0.3 * math.exp(-s["age_days"] / 50) + 0.2 * s["importance"]


def budget(s: Signals) -> float:
    worth = 0.3 * (10 - min(10, s["age_days"] / 30)) + 0.2 * min(10, s["access_count"] / 5)
    return worth + 0.4 * (1 + 9 * s["importance"]) - 0.1 * s["token_count"] / 500


FORMULAS: Final[Mapping[str, Callable[[Signals], float]]] = {
    "weighted": weighted,
    "multiplicative": multiplicative,
    "generative": generative,
    "budget": budget,
}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", ["recall", "context"])
async def test_every_profile_answers_and_explains_itself(lived: Bot, query: str, profile: str) -> None:
    for question in ("Ciao, come stai?", "Cosa è successo a febbraio?", "Dove è la barca di Davide?"):
        request = {"user_id": "it", "query": question, "now": NOW.isoformat(), "reinforce": False}
        reply = await lived.ask(query, **request | {"profile": profile, "explain": True})
        memories = reply["memories"]
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
            if profile in FORMULAS:
                assert memory["score"] == pytest.approx(FORMULAS[profile](signals), abs=1e-6)
            else:
                assert 0 <= memory["score"] <= 1
        for first, second in pairwise(memories):
            assert _rank(first) <= _rank(second)
        unexplained = await lived.ask(query, **request | {"profile": profile})
        assert [memory["signals"] for memory in unexplained["memories"]] == [None] * len(memories)
        assert ids(unexplained["memories"]) == ids(memories)


def _rank(memory: Json) -> tuple[float, float, str]:
    return -memory["score"], -instant(memory["created_at"]).timestamp(), memory["id"]


async def test_the_best_is_the_first_of_many(lived: Bot) -> None:
    [best] = (await ask(lived, "Dove è la barca di Davide?", limit=1))["memories"]
    whole = (await ask(lived, "Dove è la barca di Davide?", limit=200))["memories"]
    assert best["id"] == whole[0]["id"]
    assert ids([best]) == ["it-davide-boat"]
    everything = (await ask(lived, "Ciao!", limit=200))["memories"]
    assert len(everything) == len(told("it")) - len(OLD)


@pytest.mark.parametrize(
    ("request_part", "field"),
    [
        ({"profile": "Human"}, "profile"),
        *(({"profile": wrong}, "profile") for wrong in ("", 3)),
        ({"filters": {"kinds": ["message", "dream"]}}, "filters.kinds[1]"),
        ({"filters": {"types": "episodic"}}, "filters.types"),
        ({"filters": {"start": "ieri"}}, "filters.start"),
        ({"filters": {"min_importance": -0.1}}, "filters.min_importance"),
        ({"filters": {"include_archived": "no"}}, "filters.include_archived"),
        ({"filters": {"participants": [7]}}, "filters.participants[0]"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
    ],
)
@pytest.mark.parametrize("query", ["recall", "context"])
async def test_what_no_filter_or_profile_is_names_its_field(
    lived: Bot, query: str, request_part: Json, field: str
) -> None:
    reply = await lived.request(f"query.{query}", {"user_id": "it", "query": "Ciao!"} | request_part)
    assert reply.error == ("invalid_request", field)
