"""What a bot sees of its messages, from the publish to the recall."""

import json

import pytest
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, ago, msg

STAGES = ("ingested", "encoded", "enriched", "indexed", "extracted")
LIFE = (
    msg("m-1", "Ieri ho adottato un cane, si chiama Max!", timestamp=ago(days=3), timezone="Europe/Rome"),
    msg("m-2", "Che bello! Di che razza è?", role="assistant", timestamp=ago(days=3, minutes=-1)),
    msg("m-3", "My sister Nora lives in Dublin.", timestamp=ago(days=2), conversation_id="c-2"),
    msg("m-4", "Abito a Torino da due anni.", timestamp=ago(days=1)),
)


@pytest.fixture(scope="module")
def tenant(system: System) -> str:
    return system.tenant_with(*LIFE)


async def test_a_message_goes_through_all_stages_and_the_bot_is_told(bot: Bot) -> None:
    async with bot.subscribed("memory.remembered") as receipts:
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
    async with bot.subscribed("memory.*") as subscription, bot.subscribed("facts.*") as heard_too:
        await bot.publish(msg("m-1", "Mia sorella Zenobia vive a Quebec."))
        events = [*await subscription.take(5), *await heard_too.take(1)]
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
