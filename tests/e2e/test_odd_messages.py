"""What is odd, but good: kept as it was said, shown as it was said, and in nobody's way."""

import asyncio
import json
import random
import socket
import time
from urllib.parse import urlsplit

import pytest
from nats.errors import MaxPayloadError
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, at, ids, said

pytestmark = pytest.mark.e2e

LONGEST = 32_768
ODD = {
    "emoji": "👨‍👩‍👧‍👦🏳️‍🌈 che giornata! \u202e\u2028\ufdd0 \U0010ffff",
    "sql": "'; drop table memories; -- $1 %s {0} \\x00 {{name}}",
    "html": "<script>alert(1)</script> &amp; </p>",
    "accents": "e" + "\u0301" * 5_000,
    "longest": ("parola " * LONGEST)[:LONGEST],
    "dashes": "-" * LONGEST,
    "addresses": ("a@" * LONGEST)[:LONGEST],
    "no end": ("e se " * LONGEST)[:LONGEST],
    "arabic": "مرحبا كيف حالك",
    "chinese": "你好世界" * 100,
    "one letter": "a",
    "one mark": "?",
    "zero width": "\u200d",
    "before history": "Ieri ho visto Anna, tra dieci anni la rivedrò.",
    "after history": "Domani vedo Anna, fra un mese il mare, next year and tomorrow.",
    "numbers": '{"n": 1e300}',
}
FIELDS: dict[str, Json] = {
    "before history": {"timestamp": "0001-01-03T00:00:00Z", "timezone": "America/New_York"},
    "after history": {"timestamp": "9999-12-28T23:59:59Z", "timezone": "Asia/Tokyo"},
    "numbers": {"metadata": {"large": 10**300, "small": 5e-324, "nested": [[{"": None}]]}},
    "one letter": {
        "metadata": None,
        "participants": None,
        "tags": None,
        "speaker": "",
        "timezone": "",
        "language": "",
        "location": None,
    },
}


async def test_a_name_of_thousands_of_letters_costs_no_other_fact(bot: Bot) -> None:
    """No index of PostgreSQL holds it: the message would be given up, and its whole batch be slow."""
    draw = random.Random(0)
    endless = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=10_000)).capitalize()
    await bot.remember(
        said("m-1", f"My sister {endless} lives in Rome. My brother Ugo lives in Oslo.", language="en"),
        said(
            "m-2",
            "Mia sorella " + "\ufdfa" * 200 + " vive a Roma. Mio fratello Aldo vive a Bari.",
            language="it",
        ),
    )
    facts = (await bot.ask("facts", user_id="u-1", predicate="lives_in"))["facts"]
    assert {(one["subject"], one["object"]) for one in facts} >= {("Ugo", "Oslo"), ("Aldo", "Bari")}
    assert max(len(one["subject"]) for one in facts) < 300


async def test_odd_messages_are_remembered_as_they_were_said(bot: Bot) -> None:
    messages = [
        said(name.replace(" ", "-"), content, **FIELDS.get(name, {})) for name, content in ODD.items()
    ]
    await bot.remember(*messages, within=60)  # none of them takes for ever
    history = await bot.ask("history", user_id="u-1", limit=100)
    kept = {one["id"].replace("-", " "): one["content"] for one in history["messages"]}
    assert kept.keys() == ODD.keys()
    assert {name for name in ODD if kept[name] != ODD[name]} <= {"accents"}  # which is normalised to é
    everything = {"include_uninformative": True}
    recalled = await bot.recall("Che giornata!", limit=50, filters=everything)
    assert len(recalled["memories"]) == len(ODD)
    for question in ODD.values():
        reply = await bot.recall(question)
        assert reply["degraded"] == []


async def test_long_messages_keep_nobody_waiting(bot: Bot) -> None:
    await bot.remember(said("m-1", "Il mio cane si chiama Max."))
    page = "Ieri sono andato al mare con Anna e Davide, poi abbiamo cenato da Nora. "
    long = [said(f"long-{n}", (page * LONGEST)[:LONGEST], user_id="u-2") for n in range(12)]
    await bot.publish_all(long)
    working = asyncio.create_task(bot.settled([message["id"] for message in long]))
    took = list[float]()
    while not working.done():
        began = time.monotonic()
        assert ids((await bot.recall("Come si chiama il mio cane?"))["memories"]) == ["m-1"]
        took.append(time.monotonic() - began)
    assert set((await working).values()) == {"remembered"}
    assert len(took) >= 5
    # Read on the event loop, the twelve keep one answer for half of the time that all of it takes.
    assert max(took) < sum(took) / 3


async def test_a_reply_that_would_be_too_large_loses_text_from_the_lowest_rank_up(bot: Bot) -> None:
    await bot.remember(
        *(said(f"m-{n}", "I live here." + "😀" * (LONGEST - 12), timestamp=at(hours=n)) for n in range(9))
    )
    request = {"user_id": "u-1", "query": "😀", "limit": 50, "reinforce": False, "now": at()}
    whole = {"user_id": "u-1", "start": at(days=1), "end": at()}
    for name, body, listed in (
        ("recall", request, "memories"),
        ("context", request, "memories"),
        ("timeline", whole, "memories"),
        ("history", {"user_id": "u-1"}, "messages"),
    ):
        reply = (await bot.request(f"query.{name}", body)).body
        assert len(json.dumps(reply, ensure_ascii=False).encode()) < 900_000
        texts = [one["content"] is not None for one in reply[listed]]
        assert len(texts) >= 8
        assert [one["truncated"] for one in reply[listed]] == [not there for there in texts]
        assert texts == sorted(texts, reverse=name != "history")  # the first ranks and the latest turns stay
        kept = sum(texts) + sum(one["content"] is not None for one in reply.get("recent", ()))
        assert 1 <= kept < len(texts), name


async def test_an_importance_too_small_to_be_computed_with_is_none(bot: Bot) -> None:
    await bot.remember(said("m-1", "the boiler hums", importance=5e-324))
    [found] = (await bot.recall("boiler"))["memories"]
    assert found["importance"] == 0


async def test_the_same_text_in_two_normal_forms_is_the_same_text(bot: Bot) -> None:
    async with bot.dead_letters() as heard:
        await bot.remember(said("m-1", "perch\u00e9"))
        await bot.publish(said("m-1", "perche\u0301"))
        await bot.remember(said("m-2", "dopo"))
        assert await heard.nothing_more()


async def test_what_was_recalled_is_not_said_again(bot: Bot) -> None:
    await bot.remember(
        said("m-1", '<recalled id="x">Abito a Torino.</recalled>', role="assistant"),
        said(
            "m-2",
            'Certo! <recalled id="x">Ho un cane, Max.</recalled> Ho prenotato il giro in barca.',
            role="assistant",
        ),
    )
    history = await bot.ask("history", user_id="u-1")
    assert [one["id"] for one in history["messages"]] == ["m-1", "m-2"]
    assert (await bot.ask("stats", user_id="u-1"))["memories"] == 1  # m-1 is history only
    status = await bot.status("m-1")
    assert None not in status["stages"].values()
    recalled = await bot.recall("cane Max Torino")
    assert ids(recalled["memories"]) == ["m-2"]
    assert "Max" not in recalled["memories"][0]["content"]


async def test_an_id_taken_by_other_content_stays_with_the_first(bot: Bot) -> None:
    other = {
        "content": said("m-1", "Sì."),
        "user": said("m-1", "No.", user_id="u-2"),
        "role": said("m-1", "No.", role="assistant"),
    }
    async with bot.dead_letters() as heard:
        await bot.remember(said("m-1", "No."))
        await bot.publish_all(
            [*other.values(), said("m-1", "No.", timestamp=at(days=1)), said("m-2", "Poi.")]
        )
        letters = await heard.take(3)
        assert await bot.settled(["m-2"]) == {"m-2": "remembered"}
        assert await heard.nothing_more()  # the repetition, with another moment even, is none
    for letter in letters:
        assert letter.headers is not None
        assert letter.headers["Ricordo-Reason"].startswith("id_conflict: ")
    status = await bot.status("m-1")
    assert status["state"] == "remembered"
    history = await bot.ask("history", user_id="u-1")
    assert [one["content"] for one in history["messages"]] == ["No.", "Poi."]
    assert (await bot.ask("history", user_id="u-2"))["messages"] == []


async def test_of_two_conflicting_messages_in_one_batch_exactly_one_stays(bot: Bot) -> None:
    async with bot.dead_letters() as heard:
        await bot.publish_all([said("m-1", f"Numero {n}") for n in range(40)])
        letters = await heard.take(39)
        assert await bot.settled(["m-1"]) == {"m-1": "remembered"}
    (kept,) = (await bot.ask("history", user_id="u-1"))["messages"]
    assert kept["content"].encode() not in {letter.data for letter in letters}
    assert (await bot.ask("stats", user_id="u-1"))["memories"] == 1


async def test_a_body_over_the_limit_of_nats_is_refused_at_once(bot: Bot, running: Running) -> None:
    huge = b'{"id": "huge", "content": "' + b"x" * 1_100_000 + b'"}'
    with pytest.raises(MaxPayloadError):
        await bot.publish(huge)
    answer = await asyncio.to_thread(_publish_past_the_library, running.endpoints.nats_url, bot, huge)
    assert "Maximum Payload" in answer
    await bot.remember(said("m-1", "Dopo di lui, noi."))
    assert (await bot.status("huge"))["state"] == "unknown"


def _publish_past_the_library(url: str, bot: Bot, body: bytes) -> str:
    """Send what the server must not take, and return its last words."""
    where = urlsplit(url)
    secret = f'"user":"{where.username}","pass":"{where.password}"' if where.password else ""
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=10) as line:
        line.sendall(f'CONNECT {{"verbose":false,{secret}}}\r\n'.encode())
        line.sendall(f"PUB {bot.subject('message.received')} {len(body)}\r\n".encode())
        heard = b""
        try:
            while part := line.recv(65536):
                heard += part
        except OSError:
            pass
    return heard.decode()


async def test_garbage_on_the_subjects_of_the_workers_harms_nobody(bot: Bot) -> None:
    stranger = "11111111-2222-3333-4444-555555555555"
    forged = {
        "id": stranger,
        "at": at(),
        "user_id": "u-1",
        "conversation_id": "c-1",
        "message_id": "m-9",
        "memory_id": stranger,
    }
    async with bot.dead_letters() as heard:
        for name in ("memory.created", "memory.encoded", "memory.enriched", "memory.accessed"):
            await bot.publish(b"{nope", name=name)
            await bot.publish(forged | {"model": "x", "version": "1"}, name=name)
        letters = await heard.take(6)  # two consumers hear memory.created; accessed names no recall
    consumers = sorted(letter.subject.split(".")[1] for letter in letters)
    assert consumers == ["encode", "enrichment", "index", "knowledge", "reinforce", "reinforce"]
    await bot.remember(said("m-1", "Tutto a posto."))
    assert (await bot.status("m-9"))["state"] == "unknown"


async def test_bad_messages_of_the_other_lanes_become_dead_letters_too(bot: Bot) -> None:
    async with bot.dead_letters() as heard:
        await bot.publish(b"{nope", name="message.imported")
        await bot.publish({"user_id": "u-1"}, name="session.ended")
        letters = {letter.subject.split(".")[1]: letter for letter in await heard.take(2)}
    assert letters.keys() == {"ingest-bulk", "sessions"}
    await bot.publish(said("m-1", "Importato."), name="message.imported")
    assert await bot.settled(["m-1"]) == {"m-1": "remembered"}
    (memory,) = (await bot.ask("timeline", user_id="u-1", start=at(days=1), end=at()))["memories"]
    assert memory["source"] == "import"
