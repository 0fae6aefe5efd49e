"""Keys, links and sessions of the gateway, on a real NATS server with the users of `ricordo auth`."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import nats
import pytest
from tests.fixtures.secure_system import NatsUsers

from ricordo.client import InvalidRequest, Unavailable
from ricordo_services.api_keys import KEY_USES, ApiKey, KeyStore, hash_of

HOUR, OVER = timedelta(hours=1), timedelta(seconds=-1)
OLD = "ricordo_0123456789ab_" + "x" * 43


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[NatsUsers]:
    made = NatsUsers(tmp_path, "acme")
    async with made.server:
        yield made


async def test_a_key_is_good_for_its_use_and_its_time(users: NatsUsers) -> None:
    async with users.connection("operator") as connection:
        keys = KeyStore(connection.jetstream(), ("acme", "fixed"))
        texts = {use: (await keys.create("acme", None, use, use=use, lifetime=HOUR))[1] for use in KEY_USES}
        for use, text in texts.items():
            found = [other for other in texts if await KeyStore(connection.jetstream()).find(text, other)]
            assert found == [use]
        fixed = await keys.find("fixed")
        assert fixed is not None
        assert fixed.operator
        assert await keys.find("fixed", "session") is None
        assert [key.use for key in await keys.all("acme")] == ["api", "session"]
        _, over = await keys.create("acme", None, "over", use="session", lifetime=OVER)
        assert await keys.find(over, "session") is None
        assert [key.name for key in await keys.all("acme")] == ["api", "session"]
        session = await keys.find(texts["session"], "session")
        assert session is not None
        assert not await keys.revoke("beta", session.id)
        assert await keys.revoke("acme", session.id)
        assert await keys.find(texts["session"], "session") is None


async def test_a_link_opens_once_even_at_two_gateways_at_once(users: NatsUsers) -> None:
    async with users.connection("operator") as first, users.connection("operator") as second:
        stores = [KeyStore(connection.jetstream()) for connection in (first, second)]
        made, text = await stores[0].create("acme", "u-1", "phone", use="link", lifetime=HOUR)
        answers = await asyncio.gather(*(keys.redeem(text) for keys in stores * 8))
        assert [key for key in answers if key is not None] == [made]
        _, over = await stores[0].create("acme", "u-1", "phone", use="link", lifetime=OVER)
        _, key = await stores[0].create("acme", "u-1", "phone")
        for other in (text, over, key, made.hash, "", text[:-1] + "_"):
            assert await stores[1].redeem(other) is None


async def test_used_and_expired_entries_leave_nothing(users: NatsUsers) -> None:
    """They are removed when keys are listed, and when one is made, but rarely: that reads all keys."""
    async with users.connection("operator") as connection:
        streams = connection.jetstream()

        async def kept() -> int:
            return len((await streams.stream_info("KV_ricordo-keys", ">")).state.subjects or ())

        keys = KeyStore(streams)
        await asyncio.gather(*(keys.create("acme", None, f"{n}") for n in range(60)))
        assert len(await keys.all("acme")) == 60
        for _ in "ab":
            await keys.create("acme", None, "over", use="session", lifetime=OVER)
        await keys.redeem((await keys.create("acme", None, "used", use="link", lifetime=HOUR))[1])
        assert await kept() == 63
        await KeyStore(streams).create("acme", None, "of another process")
        assert await kept() == 61
        await keys.create("acme", None, "over", use="session", lifetime=OVER)
        assert len(await keys.all("acme")) == await kept() == 61


async def test_no_key_of_one_user_is_an_operators(users: NatsUsers) -> None:
    async with users.connection("operator") as connection:
        with pytest.raises(InvalidRequest, match="texts of all users"):
            await KeyStore(connection.jetstream()).create("acme", "u-1", "phone", operator=True)


async def test_a_key_of_an_older_version_is_read(users: NatsUsers) -> None:
    expected = ApiKey("0123456789ab", "acme", "u-1", "n", hash=hash_of(OLD))
    record = {name: getattr(expected, name) for name in ("id", "tenant", "user_id", "name", "hash")}
    async with users.connection("operator") as connection:
        bucket = await connection.jetstream().create_key_value(bucket="ricordo-keys")
        await bucket.put("0123456789ab", json.dumps(record).encode())
        keys = KeyStore(connection.jetstream())
        assert await keys.find(OLD) == expected
        assert [key.use for key in await keys.all("acme")] == ["api"]


async def test_a_gateway_signs_people_in(users: NatsUsers) -> None:
    """It may write links and sessions, and remove what has expired."""
    async with users.connection("operator") as operator:
        _, text = await KeyStore(operator.jetstream()).create("acme", None, "n", use="link", lifetime=HOUR)
    inbox = users.nats_settings("worker-gateway").inbox_prefix.encode()
    connection = await nats.connect(users.url("worker-gateway"), inbox_prefix=inbox)
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(connection.close)
        keys = KeyStore(connection.jetstream(timeout=1))
        assert await keys.redeem(text)
        await keys.create("acme", None, "over", use="session", lifetime=OVER)
        session, text = await keys.create("acme", None, "browser", use="session", lifetime=HOUR)
        assert await keys.find(text, "session") == session
        assert users.violations() == []


async def test_without_nats_it_is_said_that_it_does_not_answer(users: NatsUsers) -> None:
    async with users.connection("operator") as connection:
        keys = KeyStore(connection.jetstream(timeout=0.2))
        _, text = await keys.create("acme", None, "n", use="link", lifetime=HOUR)
        users.server.kill()
        with pytest.raises(Unavailable, match="NATS does not answer"):
            await keys.redeem(text)
