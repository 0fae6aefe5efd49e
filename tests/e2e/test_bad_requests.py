"""Every request is answered: what cannot be answered, with a precise error."""

import re
from collections.abc import Mapping

import pytest
from tests.fixtures.wire import Bot, Json, msg

U = {"user_id": "u-1"}
RECALL = U | {"query": "Che cosa sai?"}
DEEP = b'{"user_id": "u-1", "query": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"

INVALID: Mapping[str, tuple[str, Json | bytes, str | None]] = {
    "no UTF-8": ("query.recall", b'{"user_id": "u-1", "query": "\xe8"}', None),
    "10,000 levels": ("query.recall", DEEP, None),
    "limit NaN": ("query.recall", b'{"user_id": "u-1", "query": "x", "limit": NaN}', "limit"),
    "too many filters": ("query.recall", RECALL | {"filters": {"topics": ["t"] * 100_000}}, "filters.topics"),
    "note without key": ("command.note", U | {"conversation_id": "c-1", "value": 1}, "key"),
}
"""Of each kind one; `tests/unit/messages` has the reason for every field."""


@pytest.mark.parametrize("name", INVALID)
async def test_a_request_that_cannot_be_read_names_the_field_at_fault(bot: Bot, name: str) -> None:
    subject, body, field = INVALID[name]
    reply = await bot.request(subject, body)
    assert reply.error == ("invalid_request", field)
    assert reply.headers["Nats-Service-Error"].startswith("invalid_request: ")


async def test_an_unknown_name_is_not_found_and_a_malformed_one_invalid(bot: Bot) -> None:
    for name in ("query.nonsense", "command.recalls"):
        assert (await bot.request(name, {})).error == ("not_found", None)
    for name in ("query.recall.twice", "query.Recall", "query.recall-1"):
        assert (await bot.request(name, RECALL)).error == ("invalid_request", None)


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
