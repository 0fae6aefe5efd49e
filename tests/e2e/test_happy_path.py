"""What a bot sees of its messages, from the publish to the recall."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, at, ids, new_tenant, said

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def tenant(running: Running) -> str:
    return asyncio.run(_live(running))


async def _live(running: Running) -> str:
    async with running.connection() as connection:
        bot = Bot(connection, new_tenant())
        await bot.remember(*LIFE)
    return bot.tenant


@pytest.fixture
def lived(wire: Client, tenant: str) -> Bot:
    return Bot(wire, tenant)


STAGES = ("ingested", "encoded", "enriched", "indexed", "extracted")
LIFE = (
    said("m-1", "Ieri ho adottato un cane, si chiama Max!", timestamp=at(days=3), timezone="Europe/Rome"),
    said("m-2", "Che bello! Di che razza è?", role="assistant", timestamp=at(days=3, minutes=-1)),
    said("m-3", "My sister Nora lives in Dublin.", timestamp=at(days=2), conversation_id="c-2"),
    said("m-4", "Abito a Torino da due anni.", timestamp=at(days=1)),
)


async def test_a_message_goes_through_all_stages_and_the_bot_is_told(bot: Bot) -> None:
    async with bot.hearing("memory.remembered") as receipts:
        await bot.publish_all(LIFE)
        told = await receipts.bodies_until([message["id"] for message in LIFE])
    by_id = {one["message_id"]: one for one in told}
    assert by_id["m-3"] | {"id": "", "at": "", "memory_id": ""} == {
        "id": "",
        "at": "",
        "memory_id": "",
        "user_id": "u-1",
        "conversation_id": "c-2",
        "message_id": "m-3",
    }
    status = await bot.status("m-1")
    assert status["state"] == "remembered"
    assert status["error"] is None
    assert all(status["stages"][stage].endswith("Z") for stage in STAGES)
    assert min(status["stages"].values()) == status["stages"]["ingested"]
    assert await bot.status("never-sent") == {
        "state": "unknown",
        "stages": dict.fromkeys(STAGES),
        "error": None,
        "document": None,
    }


async def test_a_derived_event_never_holds_what_was_said(bot: Bot) -> None:
    async with bot.hearing("memory.*") as heard, bot.hearing("facts.*") as heard_too:
        await bot.publish(said("m-1", "Mia sorella Zenobia vive a Quebec."))
        events = [*await heard.take(5), *await heard_too.take(1)]
    assert {one.subject.split(".", 3)[3] for one in events} == {
        "memory.created",
        "memory.encoded",
        "memory.enriched",
        "memory.indexed",
        "facts.extracted",
        "memory.remembered",
    }
    for event in events:
        assert b"Zenobia" not in event.data
        assert b"Quebec" not in event.data
        assert event.headers is not None
        assert event.headers["ce-id"] == json.loads(event.data)["id"]


async def test_history_is_there_as_soon_as_a_message_is_ingested(bot: Bot) -> None:
    async with bot.hearing("memory.created") as created:
        await bot.publish(LIFE[0])
        await created.next()
    history = await bot.ask("history", user_id="u-1")
    assert [one["content"] for one in history["messages"]] == ["Ieri ho adottato un cane, si chiama Max!"]


async def test_history_is_read_backwards_page_by_page(bot: Bot) -> None:
    await bot.remember(*(said(f"m-{n:02}", f"messaggio numero {n}", timestamp=at(hours=n)) for n in range(7)))
    pages: list[list[str]] = []
    before = None
    while True:
        page = await bot.ask("history", user_id="u-1", limit=3, before=before)
        pages.append([one["id"] for one in page["messages"]])
        before = page["next"]
        if before is None:
            break
    assert pages == [["m-02", "m-01", "m-00"], ["m-05", "m-04", "m-03"], ["m-06"]]
    other = await bot.ask("history", user_id="u-1", conversation_id="elsewhere")
    assert other == {"messages": [], "next": None}


async def test_recall_finds_what_was_said_and_says_why(lived: Bot) -> None:
    reply = await lived.recall("Come si chiama il mio cane?", explain=True)
    assert ids(reply["memories"])[0] == "m-1"
    assert reply["degraded"] == []
    assert reply["timings_ms"]["total"] > 0
    best = reply["memories"][0]
    assert best["content"] == LIFE[0]["content"]
    assert best["created_at"] == "2026-03-09T12:00:00Z"
    assert (best["role"], best["type"], best["source"]) == ("user", "episodic", "conversation")
    assert {"semantic", "bm25", "temporal", "importance"} <= best["signals"].keys()
    scores = [one["score"] for one in reply["memories"]]
    assert scores == sorted(scores, reverse=True)
    plain = await lived.recall("Come si chiama il mio cane?")
    assert plain["memories"][0]["signals"] is None


@pytest.mark.parametrize("profile", ["human", "weighted", "multiplicative", "generative", "budget"])
async def test_every_profile_finds_it(lived: Bot, profile: str) -> None:
    reply = await lived.recall("Where does my sister Nora live?", profile=profile)
    assert ids(reply["memories"])[0] == "m-3"


async def test_facts_are_known_in_both_languages(lived: Bot) -> None:
    known = {(one["subject"], one["predicate"], one["object"]) for one in (await facts(lived))["facts"]}
    assert {
        ("user", "lives_in", "Torino"),
        ("user", "has_pet", "Max"),
        ("Nora", "lives_in", "Dublin"),
    } <= known
    about_nora = (await facts(lived, entity="nora"))["facts"]
    assert {"m-3"} == {message_id for one in about_nora for message_id in one["message_ids"]}
    assert (await facts(lived, predicate="lives_in", entity="Nora"))["facts"][0]["confidence"] == 1
    assert (await facts(lived, min_confidence=2))["facts"] == []


async def facts(bot: Bot, **request: object) -> Json:
    return await bot.ask("facts", user_id="u-1", **request)


async def test_facts_about_a_named_person_come_with_the_recall(lived: Bot) -> None:
    reply = await lived.recall("What do you know about Nora?")
    assert ("Nora", "lives_in", "Dublin") in {
        (one["subject"], one["predicate"], one["object"]) for one in reply["facts"]
    }


async def test_timeline_stats_and_expand(lived: Bot) -> None:
    line = await lived.ask("timeline", user_id="u-1", start=at(days=3), end=at(days=1))
    assert ids(line["memories"]) == [
        "m-1",
        "m-3",
    ]  # m-2 tells nothing; half-open: m-4 is said at its very end
    stats = await lived.ask("stats", user_id="u-1")
    assert (stats["memories"], stats["history"], stats["pending"], stats["archived"]) == (3, 4, 0, 0)
    assert stats["facts"] >= 3
    expanded = await lived.ask("expand", user_id="u-1", memory_id=line["memories"][0]["id"])
    assert expanded == {"memories": []}  # a message rests on no other memory


async def test_context_is_ready_for_a_prompt_and_within_its_budget(lived: Bot) -> None:
    request = {"user_id": "u-1", "conversation_id": "c-1", "now": at(), "reinforce": False}
    reply = await lived.ask("context", query="Come si chiama il mio cane?", **request)
    assert "Max" in reply["context"]
    assert "<recalled>" in reply["context"]
    assert 0 < reply["tokens"] <= 2000
    assert [one["id"] for one in reply["recent"]] == ["m-1", "m-2", "m-4"]
    small = await lived.ask("context", query="Come si chiama il mio cane?", token_budget=60, **request)
    assert small["tokens"] <= 60


async def test_working_memory_holds_the_last_turns_of_one_conversation(bot: Bot) -> None:
    just_now = datetime.now(UTC).isoformat()
    await bot.remember(*(message | {"timestamp": just_now} for message in LIFE))
    working = await bot.ask("working", user_id="u-1", conversation_id="c-2")
    assert any("Nora" in line for line in working["lines"])
    assert not any("Torino" in line for line in working["lines"])


async def test_an_unknown_user_gets_empty_replies(bot: Bot) -> None:
    nobody = {"user_id": "nobody"}
    assert (await bot.ask("history", **nobody)) == {"messages": [], "next": None}
    assert (await bot.ask("facts", **nobody)) == {
        "facts": [],
        "entity": None,
        "degraded": [],
        "truncated": False,
    }
    assert (await bot.ask("timeline", **nobody, start=at(days=9), end=at())) == {"memories": []}
    assert set((await bot.ask("stats", **nobody)).values()) == {0}
    recalled = await bot.recall("Come si chiama il mio cane?", **nobody)
    assert (recalled["memories"], recalled["facts"], recalled["degraded"]) == ([], [], [])
    working = await bot.ask("working", **nobody, conversation_id="c-1")
    assert working["lines"] == []
    context = await bot.ask("context", query="Che cosa sai?", **nobody)
    assert context["memories"] == []
    assert context["context"] != ""  # it says that nothing was found
