"""Forgetting on request, from outside: it comes back by no way, and the rest is as if it had never been."""

import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta

from nats.aio.client import Client
from tests.e2e.test_documents import document_of
from tests.fixtures.digest import digest
from tests.fixtures.eventually import eventually
from tests.fixtures.system import System, Workers
from tests.fixtures.wire import Bot, Json, ago, ids, msg, new_tenant, wait_for

SECRET = "My sister Nora moved to Dublin, the code of her door is K77X13."
STORY = (
    msg("m-1", "My name is Carla and I live in Turin.", timestamp=ago(hours=9)),
    msg("m-2", SECRET, timestamp=ago(hours=8)),
    msg("m-3", "I have a dog called Biscuit.", timestamp=ago(hours=7)),
    msg("m-4", "Biscuit ate the code of the dishwasher.", conversation_id="c-2", timestamp=ago(hours=6)),
)


async def forget(bot: Bot, **what: object) -> Json:
    """Ask for it, and wait until all of it is erased."""
    reply = await bot.request("command.forget", {"user_id": "u-1", **what})
    assert reply.body.get("ok") is True, reply.body
    erased: Json = reply.body["erased"]
    return erased


async def test_a_forgotten_message_is_nowhere(bot: Bot, system: System) -> None:
    """Not among memories, facts, history or names; in no context, and not in what came after it."""
    await bot.remember(*STORY)
    async with bot.subscribed("memory.forgotten") as forgotten:
        erased = await forget(bot, message_id="m-2")
        event = json.loads((await forgotten.next()).data)
    assert {name for name, count in erased.items() if count} == {"rows", "vectors", "graph"}
    assert (event["scope"], len(event["memory_ids"])) == ("message", 1)
    for question in ("Where does Nora live?", "What is the code of the door?", "Who is my sister?"):
        answer = await bot.query("context", user_id="u-1", query=question, conversation_id="c-1", now=ago())
        assert not {word for word in ("K77X13", "Dublin", "m-2") if word in json.dumps(answer)}, question
    assert (await bot.status("m-2"))["state"] == "unknown"
    assert "Nora" not in str(await bot.facts(min_confidence=0, history=True))
    assert "m-3" in ids((await bot.recall("What is my dog called?"))["memories"])
    await bot.publish(STORY[1])  # again, as a replay would
    await system.wait_until_idle()
    assert (await bot.query("stats", user_id="u-1"))["memories"] == 3


async def test_what_is_left_is_as_if_it_had_never_been_said(bot: Bot, client: Client, system: System) -> None:
    """All stores of a bot that forgets are those of one that was never told, and so are its scores."""
    other = Bot(client, new_tenant())
    await bot.remember(*STORY)
    await other.remember(*[one for one in STORY if one["id"] != "m-2"])
    await forget(bot, message_id="m-2")

    async def states() -> list[object]:
        await system.wait_until_idle()
        return [(await digest(system.endpoints, one.tenant), await _scores(one)) for one in (bot, other)]

    await wait_for(states, lambda found: found[0] == found[1], within=60)


async def test_a_dead_letter_is_forgotten_with_its_user(bot: Bot, system: System) -> None:
    """Its bytes hold what was said: the stream forgets them, and the status its reason."""
    async with bot.dead_letters() as letters:
        await bot.publish(msg("bad", SECRET, timestamp="yesterday"))
        await bot.publish(msg("bad-2", SECRET, timestamp="yesterday", user_id="u-2"))
        await bot.publish(json.dumps([msg("bad-3", SECRET)]).encode())  # no object, though it names the user
        await bot.publish(b"[" * 100_000)  # of nobody, and too deep to be read
        ahead = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        await bot.publish(msg("bad-4", "Not meant.", timestamp=ahead, importance=7))  # said since
        await letters.take(5)
        items = [{"user_id": user, "memory_id": "no id"} for user in ("u-1", "u-2")]
        await bot.publish({"id": "x", "items": items}, name="memory.created")
        await letters.take(1)
    await system.wait_until_idle()
    assert (await forget(bot))["stream"] == 3
    assert (await bot.status("bad"))["state"] == "unknown"
    assert [(await bot.status(name))["state"] for name in ("bad-2", "bad-4")] == ["failed"] * 2


async def test_a_bad_message_on_its_way_leaves_no_dead_letter(bot: Bot, system: System) -> None:
    """It is given up after the erasure, and a letter would keep what was forgotten; others get theirs."""
    known, bad = msg("m-1", "I live in Turin."), msg("bad", SECRET, importance=7)
    await bot.remember(known)
    async with bot.dead_letters() as letters:
        async with system.workers.stopped():
            for body in (bad, known | {"content": SECRET}, bad | {"id": "bad-2", "user_id": "u-2"}):
                await bot.publish(body)
            async with Workers(system.settings, ["knowledge"]).started():  # nobody else
                await forget(bot)
        letter = json.loads((await letters.next()).data)
        await system.wait_until_idle()
        assert await letters.is_silent()
    assert (letter["id"], letter["user_id"]) == ("bad-2", "u-2")
    states = [(await bot.status(name))["state"] for name in ("bad", "m-1", "bad-2")]
    assert states == ["unknown", "unknown", "failed"]


async def test_a_document_is_forgotten_with_its_message(bot: Bot, system: System) -> None:
    """What was cut from it, and its bytes; another one of the same words stays."""
    lease = {"name": "a.txt", "media_type": "text/plain", "data": b64encode(SECRET.encode()).decode()}
    for name in ("m-1", "m-2"):
        await bot.remember(msg(name, f"This is the letter {name}.") | {"document": lease})
        await document_of(bot, name)

    def objects() -> int:
        return sum(one.is_file() for one in (system.endpoints.object_dir / bot.tenant).rglob("*"))

    assert objects() == 2
    assert (await forget(bot, message_id="m-1"))["archive"] == 1
    found = (await bot.recall("Where did Nora move?", filters={"kinds": ["extract"]}))["memories"]
    assert ids(found) == ["m-2"]
    await eventually(lambda: objects() == 1, within=30)


async def test_who_is_forgotten_in_full_flow_is_not_there_in_the_end(bot: Bot, system: System) -> None:
    """While messages are on their way through every worker; another user of the conversation stays whole."""
    mine = [msg(f"m-{n}", f"{SECRET} {n}.", timestamp=ago(minutes=n)) for n in range(90)]
    theirs = [
        msg(f"n-{n}", f"I bought lamp {n}.", timestamp=ago(minutes=n), user_id="u-2") for n in range(30)
    ]
    await bot.publish_all([one for pair in zip(mine, theirs * 3, strict=True) for one in pair])
    await forget(bot)
    await bot.publish_all(mine[::-1])
    await bot.final_states([one["id"] for one in theirs])
    await system.wait_until_idle(within=60)
    stats = await bot.query("stats", user_id="u-1")
    assert not {name for name, count in stats.items() if count}
    state = await digest(system.endpoints, bot.tenant)
    assert {table for table, rows in state.items() if any("Nora" in row for row in rows)} == set()
    assert len(state["memories"]) == len(state["vectors"]) == len(theirs)
    assert [json.loads(row)["following_id"] for row in state["memories"]].count(None) == 1


async def _scores(bot: Bot) -> dict[str, float]:
    """Return what words weigh in each memory: that depends on all texts of the user that are indexed."""
    found = (await bot.recall("the code of the dishwasher", explain=True))["memories"]
    return {one["message_ids"][0]: one["signals"]["bm25"] for one in found}
