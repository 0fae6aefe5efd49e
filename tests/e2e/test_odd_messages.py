"""What is odd, but good: kept as it was said, shown as it was said, and in nobody's way."""

import asyncio
import random
import time

import pytest
from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, Json, ids, msg

LONGEST = 32_768
ODD: dict[str, str] = {
    "accents": "e" + "\u0301" * 5_000,
    "longest": ("parola " * LONGEST)[:LONGEST],
    "dashes": "-" * LONGEST,
    "addresses": ("a@" * LONGEST)[:LONGEST],
    "no end": ("e se " * LONGEST)[:LONGEST],
    "chinese": "你好世界" * 100,
    **table(__file__, "odd"),
}
UNSET = ("metadata", "participants", "tags", "location")
FIELDS: dict[str, Json] = {
    "numbers": {"metadata": {"large": 10**300, "small": 5e-324, "nested": [[{"": None}]]}},
    "one letter": dict.fromkeys(UNSET) | dict.fromkeys(("speaker", "timezone", "language"), ""),
    **table(__file__, "fields"),
}


async def test_a_name_of_thousands_of_letters_costs_no_other_fact(bot: Bot) -> None:
    """No index of PostgreSQL holds it: the message would be given up, and its whole batch be slow."""
    draw = random.Random(0)
    endless = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=10_000)).capitalize()
    await bot.remember(
        msg("m-1", f"My brother Ugo lives in Oslo. My sister {endless} lives in Rome.", language="en"),
    )
    facts = await bot.facts(predicate="lives_in")
    assert {(one["subject"], one["object"]) for one in facts} >= {("Ugo", "Oslo")}
    assert max(len(one["subject"]) for one in facts) < 300


@pytest.mark.slow
async def test_odd_messages_are_remembered_as_they_were_said(bot: Bot) -> None:
    messages = [msg(name.replace(" ", "-"), content, **FIELDS.get(name, {})) for name, content in ODD.items()]
    await bot.remember(*messages, within=60)  # none of them takes for ever
    history = await bot.query("history", user_id="u-1", limit=100)
    kept = {one["id"].replace("-", " "): one["content"] for one in history["messages"]}
    assert kept.keys() == ODD.keys()
    assert {name for name in ODD if kept[name] != ODD[name]} <= {"accents"}  # which is normalised to é
    everything = {"include_uninformative": True}
    recalled = await bot.recall("Che giornata!", limit=50, filters=everything)
    assert len(recalled["memories"]) == len(ODD)
    for question in ODD.values():
        reply = await bot.recall(question)
        assert reply["degraded"] == []


@pytest.mark.slow
async def test_long_messages_keep_nobody_waiting(bot: Bot) -> None:
    await bot.remember(msg("m-1", "Il mio cane si chiama Max."))
    page = "Ieri sono andato al mare con Anna e Davide, poi abbiamo cenato da Nora. "
    long = [msg(f"long-{n}", (page * LONGEST)[:LONGEST], user_id="u-2") for n in range(8)]
    await bot.publish_all(long)
    working = asyncio.create_task(bot.final_states([message["id"] for message in long]))
    took = list[float]()
    while not working.done():
        began = time.monotonic()
        assert ids((await bot.recall("Come si chiama il mio cane?"))["memories"]) == ["m-1"]
        took.append(time.monotonic() - began)
    assert set((await working).values()) == {"remembered"}
    assert len(took) >= 5
    # Read on the event loop, the eight keep one answer for half of the time that all of it takes.
    assert max(took) < sum(took) / 3
