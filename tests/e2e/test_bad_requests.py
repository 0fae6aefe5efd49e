"""What no tenant may be called is refused, and what nobody knows is ignored."""

import re

import pytest
from tests.fixtures.wire import Bot, msg

U = {"user_id": "u-1"}
RECALL = U | {"query": "Che cosa sai?"}


@pytest.mark.parametrize("tenant", ["ACME", "-a", "è", "a" * 64])
async def test_no_tenant_has_such_a_name(bot: Bot, tenant: str) -> None:
    bot.tenant = tenant
    assert (await bot.request("query.recall", RECALL)).error == ("invalid_request", None)
    async with bot.dead_letters() as subscription:
        await bot.publish(msg("m-1", "ciao"))
        letter = await subscription.next()
    assert letter.subject == f"dlq.ingest.memory.v1.{tenant}.message.received"
    assert letter.headers is not None
    assert re.match("invalid_subject: .* is not a valid tenant", letter.headers["Ricordo-Reason"])


async def test_unknown_fields_and_headers_are_ignored(bot: Bot) -> None:
    odd = {
        "traceparent": "00-garbage",
        "ce-id": "x" * 3_000,
        "Nats-Service-Error": "no",
        "X-Odd": "perché no",
        "ce-time": "yesterday",
        "Ricordo-Reason": "forged",
    }
    message = msg("m-1", "Abito a Torino.", tenant="other", memory_id=5, unknown={"a": [1, None]})
    await bot.publish(message, headers=odd)
    assert await bot.final_states(["m-1"]) == {"m-1": "remembered"}
    reply = await bot.request("query.history", U | {"unknown": 1, "tenant": "other"}, headers=odd)
    assert [one["id"] for one in reply.body["messages"]] == ["m-1"]
