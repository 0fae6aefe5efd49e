"""The whole process tree dies while documents are read, and is started again on its folder."""

from base64 import b64encode
from datetime import UTC, datetime
from functools import partial

import nats
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.papers import pdf
from tests.fixtures.ricordo_up import RicordoUp, ricordo
from tests.fixtures.wire import Bot, Json, msg, new_tenant

__all__ = ["ricordo"]

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]

COUNT = 12
NOW = datetime.now(UTC).isoformat()


def bringing(number: int) -> Json:
    data = pdf(f"The code of door number {number} is {number}77.")
    document = {"name": f"{number}.pdf", "media_type": "application/pdf", "data": b64encode(data).decode()}
    # Said just now: nothing is condensed yet.
    return msg(f"m-{number}", f"Note {number}.", timestamp=NOW) | {"document": document}


async def test_every_document_is_remembered_once(ricordo: RicordoUp) -> None:
    """Of those that were acknowledged; each has one extract, however often it was begun."""
    tenant = new_tenant()
    await _published_and_killed(ricordo, tenant)
    await ricordo.start()
    connection = await nats.connect(ricordo.nats_url)
    try:
        bot = Bot(connection, tenant)
        for number in range(COUNT):
            await eventually(partial(_is_remembered, bot, number), within=90)
        stats = await bot.query("stats", user_id="u-1")
        assert (stats["memories"], stats["history"]) == (2 * COUNT, COUNT)
        found = await bot.query("recall", user_id="u-1", query="What is the code of door number 7?", limit=3)
        assert any("777" in one["content"] for one in found["memories"])
    finally:
        await connection.close()


async def _published_and_killed(ricordo: RicordoUp, tenant: str) -> None:
    connection = await nats.connect(ricordo.nats_url, allow_reconnect=False)
    try:
        bot = Bot(connection, tenant)
        await bot.publish_all(map(bringing, range(COUNT)))
        await eventually(lambda: _is_remembered(bot, 0), within=60)
        await ricordo.program.kill()
    finally:
        await connection.close()


async def _is_remembered(bot: Bot, number: int) -> bool:
    document = (await bot.status(f"m-{number}"))["document"]
    return document is not None and document["state"] == "remembered"
