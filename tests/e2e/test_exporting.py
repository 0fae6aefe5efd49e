"""All that is held of a user is handed over, page by page, and nothing twice."""

import json

import pytest
from tests.fixtures.wire import Bot, Json, ago, msg

STATED = {
    "speaker": "Carla",
    "participants": ["Nora"],
    "timezone": "Europe/Rome",
    "language": "en",
    "location": "Turin",
    "metadata": {"channel": {"name": "mail"}},
    "kind": "note",
    "importance": 0.0,
    "tags": ["family"],
    "expires_at": "2030-01-01T00:00:00Z",
    "trust": 2.5,
}
STORY = (
    msg("m-1", "My name is Carla and I live in Turin.", timestamp=ago(hours=9)),
    msg("m-2", "My sister Nora moved to Dublin.", timestamp=ago(hours=8), **STATED),
    msg("m-3", "Noretta has a dog called Biscuit.", conversation_id="c-2", timestamp=ago(hours=7)),
    msg("m-4", "My door has a code.", timestamp=ago(hours=6), memorize=False),
)


async def page(bot: Bot, cursor: str | None = None, user_id: str = "u-1") -> Json:
    body = (await bot.request("command.export", {"user_id": user_id, "cursor": cursor})).body
    assert body.get("ok") is True, body
    return body


async def exported(bot: Bot, user_id: str = "u-1") -> list[Json]:
    """Return all items; what came in pieces is put together."""
    items: list[Json] = []
    pieces: list[str] = []
    cursor: str | None = None
    while True:
        got = await page(bot, cursor, user_id)
        assert len(json.dumps(got, ensure_ascii=False).encode()) < 900_000
        for item in got["items"]:
            if item["item"] != "piece":
                items.append(item)
                continue
            assert item["number"] == len(pieces)
            pieces.append(item["text"])
            if len(pieces) == item["pieces"]:
                items.append(json.loads("".join(pieces)))
                pieces.clear()
        if (cursor := got["next"]) is None:
            return items


def of(items: list[Json], kind: str) -> list[Json]:
    return [one for one in items if one["item"] == kind]


async def test_everything_is_in_it_as_it_can_be_told_again(bot: Bot) -> None:
    others = msg("o-1", "I live in Oslo.", user_id="u-2", conversation_id="c-9")
    await bot.remember(*STORY, others)
    items = await exported(bot)
    assert {one["user_id"] for one in items} == {"u-1"}
    told = [one["message"] | {"user_id": "u-1"} for one in of(items, "message")]
    said_again = [{**one, "timestamp": one["timestamp"].replace("+00:00", "Z")} for one in STORY]
    assert told == [{"language": "en"} | one for one in said_again]
    assert {one["predicate"] for one in of(items, "message")[1]["states"]} >= {"has_sibling"}
    memories = {one["message_id"]: one for one in of(items, "memory")}
    assert set(memories) == {"m-1", "m-2", "m-3"}
    assert {one["id"] for one in of(items, "fact")} == {one["id"] for one in await bot.facts(history=True)}
    assert "Oslo" not in json.dumps(items)


@pytest.mark.slow
async def test_nothing_is_left_out_or_doubled_over_many_pages(bot: Bot) -> None:
    """While more is said: what was there at the beginning is there once."""
    talk = [msg(f"m-{n:03}", ("😀" * 60 + " \\ ") * 480, timestamp=ago(minutes=600 - n)) for n in range(12)]
    await bot.remember(*talk, within=120)
    first = await page(bot)
    assert first["next"] is not None
    await bot.remember(msg("late", "Something else.", timestamp=ago(minutes=1)))
    seen, got = list(first["items"]), first
    while got["next"] is not None:
        got = await page(bot, got["next"])
        seen += got["items"]
    keys = [one["message"]["id"] for one in of(seen, "message")]
    assert [one for one in keys if one != "late"] == [one["id"] for one in talk]
    memories = [one["message_id"] for one in of(seen, "memory")]
    assert len(memories) == len(set(memories)) >= 12
