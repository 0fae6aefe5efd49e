"""A document of a message is remembered in extracts, each with the page it comes from."""

from base64 import b64encode

from tests.fixtures.papers import pdf
from tests.fixtures.wire import Bot, Json, ago, msg, wait_for

PAGES = (
    "Contract of lease. The flat in via Garibaldi 12 is let to Marta Bianchi from the first of March. " * 7,
    "The rent is 850 euros a month, to be paid by the fifth day of each month by bank transfer. " * 7,
    "The notice period is ninety days. Notice has to be given by registered letter to the landlord. " * 8,
)
LEASE = pdf(*PAGES)


def brought(name: str, media_type: str, data: bytes) -> Json:
    return {"document": {"name": name, "media_type": media_type, "data": b64encode(data).decode()}}


async def document_of(bot: Bot, message_id: str, state: str = "remembered") -> Json:
    async def document() -> Json:
        return (await bot.status(message_id)).get("document") or {}

    return await wait_for(document, lambda found: found.get("state") == state, within=120)


async def test_a_document_is_found_by_its_text_and_shown_with_the_page(bot: Bot) -> None:
    message = msg("m-1", "Here is the lease that I signed.", timestamp=ago(days=3), speaker="Davide")
    await bot.remember(message | brought("lease.pdf", "application/pdf", LEASE))
    assert await document_of(bot, "m-1") == {
        "name": "lease.pdf",
        "media_type": "application/pdf",
        "state": "remembered",
        "extracts": 3,
        "whole": True,
        "error": None,
    }
    question = {"user_id": "u-1", "query": "How long is the notice period of the lease?"}
    first = (await bot.query("recall", **question))["memories"][0]
    assert (first["kind"], first["title"], first["message_ids"]) == ("extract", "lease.pdf, p. 3", ["m-1"])
    assert "ninety days" in first["content"]
    assert first["created_at"] == message["timestamp"].replace("+00:00", "Z")
    assert (first["speaker"], first["source"], first["role"]) == ("Davide", "conversation", None)
    assert first["topics"], "it was enriched as a message is"
    question = {"user_id": "u-1", "query": "What is the rent of the flat?"}
    context = await bot.query("context", token_budget=400, **question)
    assert "lease.pdf, p. 2: The rent is 850 euros" in context["context"]
    assert "registered letter" not in context["context"] or context["tokens"] <= 400
    (turn,) = (await bot.query("history", user_id="u-1"))["messages"]
    extracts = (await bot.query("expand", user_id="u-1", memory_id=turn["memory_id"]))["memories"]
    assert [one["title"] for one in extracts] == [f"lease.pdf, p. {n}" for n in (1, 2, 3)]
    (source,) = (await bot.query("expand", user_id="u-1", memory_id=extracts[2]["id"]))["memories"]
    assert (source["id"], source["content"]) == (turn["memory_id"], message["content"])
    assert (await bot.query("expand", user_id="u-2", memory_id=turn["memory_id"]))["memories"] == []
