"""Publishes messages to a running system and waits for their receipts, as a bot does."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import nats
from nats.aio.msg import Msg

from ricordo.client import MemoryClient
from ricordo.messages.codec import decode_as
from ricordo.messages.events import MemoryRemembered, MessageReceived
from ricordo.messages.subjects import subject_of
from ricordo_lab.console import MeasurementFailed

_TENANT = "default"
_STANDSTILL_S = 60.0


@dataclass(frozen=True, slots=True)
class PublicationTimes:
    """How long it took.

    Attributes:
        published_s: seconds until the last message was safe on disk.
        remembered_s: seconds until the last receipt came.
    """

    published_s: float
    remembered_s: float


async def remember(address: str, messages: Sequence[MessageReceived]) -> PublicationTimes:
    """Publish `messages` as fast as they are taken, and wait until each of them is remembered.

    Raises:
        MeasurementFailed: no receipt comes any more although some are missing.
    """
    missing = {message.id for message in messages}
    news = asyncio.Event()

    async def note(receipt: Msg) -> None:
        message_id = decode_as(MemoryRemembered, receipt.data).message_id
        if message_id in missing:
            missing.discard(message_id)
            news.set()

    bus = await nats.connect(address)
    try:
        await bus.subscribe(subject_of(_TENANT, MemoryRemembered.name), cb=note)
        await bus.flush()
        began = time.perf_counter()
        async with MemoryClient.connect(address, _TENANT) as client:
            await client.publish_many(messages, timeout=_STANDSTILL_S)
        published = time.perf_counter() - began
        while missing:
            news.clear()
            try:
                await asyncio.wait_for(news.wait(), _STANDSTILL_S)
            except TimeoutError:
                raise MeasurementFailed(
                    f"{len(missing)} of {len(messages)} messages are not remembered"
                ) from None
        return PublicationTimes(published, time.perf_counter() - began)
    finally:
        await bus.close()
