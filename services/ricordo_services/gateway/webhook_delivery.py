"""Delivers events to webhooks, at least once: an event is acknowledged once its receiver has accepted it."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import nats.errors
import nats.js.errors
import structlog
from nats.aio.msg import Msg

from ricordo.client import Unavailable
from ricordo.runtime.health import Health
from ricordo.runtime.tasks import cancel_and_wait
from ricordo.settings import GatewaySettings
from ricordo_services.gateway.event_stream import type_of
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.webhook_sender import DeliveryFailed, ReceiverGone, WebhookSender
from ricordo_services.gateway.webhook_store import Webhook, WebhookStore

_AT_ONCE: Final = 16
"""Deliveries of one webhook at a time."""
_FETCH_S: Final = 30.0
_PAUSE_S: Final = 2.0
_JITTER: Final = 0.1
_COUNTERS: Final = ("webhooks_delivered", "webhooks_failed", "webhooks_disabled")
_NATS_ERRORS: Final = (nats.errors.Error, nats.js.errors.Error, OSError, Unavailable)
_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def delivering(clients: NatsClients, settings: GatewaySettings, health: Health) -> AsyncIterator[None]:
    """Deliver events for the length of an `async with`, and count deliveries in `health`."""
    store = WebhookStore(clients.streams, settings.webhook_timeout_s)
    async with WebhookSender.open(settings.webhook_timeout_s, settings.webhook_networks) as sender:
        dispatcher = WebhookDispatcher(store, sender, settings.webhook_retries_s)
        health.counters = lambda: dispatcher.counters
        running = asyncio.create_task(dispatcher.run())
        try:
            yield
        finally:
            await cancel_and_wait(running)


@dataclass(eq=False)
class WebhookDispatcher:
    """Runs a task per webhook, so that a slow receiver delays no other.

    Attributes:
        retries: seconds after each failure of an event; after one more the webhook is disabled.
        counters: how many deliveries were accepted and failed, and how many webhooks were disabled.
    """

    store: WebhookStore
    sender: WebhookSender
    retries: tuple[float, ...]
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0))
    _changing: set[asyncio.Future[None]] = field(default_factory=set)
    _running: dict[str, tuple[Webhook, asyncio.Task[None]]] = field(default_factory=dict)

    async def run(self) -> None:
        """Deliver until it is cancelled; NATS may go and come back."""
        try:
            while True:
                try:
                    async with aclosing(self.store.tables()) as tables:
                        async for table in tables:
                            await self._adjust(table)
                except _NATS_ERRORS as error:
                    _log.warning("webhooks cannot be read", error=str(error))
                    await asyncio.sleep(_PAUSE_S)
        finally:
            await cancel_and_wait(*(task for _, task in self._running.values()))

    async def _adjust(self, table: Mapping[str, Webhook]) -> None:
        """Run a task for each webhook of the table that is not disabled, and no other."""
        active = {key: webhook for key, webhook in table.items() if webhook.disabled_at is None}
        for key, (webhook, task) in tuple(self._running.items()):
            if active.get(key) == webhook and not task.done():
                continue
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                _log.error("the deliveries of a webhook failed", webhook=webhook.id, exc_info=error)
            del self._running[key]
            await cancel_and_wait(task)
        for key in active.keys() - self._running.keys():
            self._running[key] = active[key], asyncio.create_task(self._serve(active[key]))

    async def _serve(self, webhook: Webhook) -> None:
        while True:
            try:
                await self.store.add_consumer(webhook)
                await self._receive(webhook)
            except _NATS_ERRORS as error:
                _log.warning("the events of a webhook cannot be read", webhook=webhook.id, error=str(error))
                await asyncio.sleep(_PAUSE_S)

    async def _receive(self, webhook: Webhook) -> None:
        """Deliver what comes, until none has come for a while."""
        subscription = await self.store.subscribe(webhook)
        try:
            while True:
                try:
                    messages = await subscription.fetch(_AT_ONCE, timeout=_FETCH_S)
                except TimeoutError:
                    return
                await asyncio.gather(*(self._deliver(webhook, message) for message in messages))
        finally:
            with suppress(nats.errors.Error, OSError):  # closed with the connection
                await subscription.unsubscribe()

    async def _deliver(self, webhook: Webhook, message: Msg) -> None:
        event = json.loads(message.data)
        if webhook.user_id not in {None, event["user_id"]}:
            await message.ack()
            return
        body = json.dumps({"type": type_of(message), **event})
        try:
            await self.sender.send(webhook, event["id"], body)
        except DeliveryFailed as failure:
            self.counters["webhooks_failed"] += 1
            await self._retry(webhook, message, str(failure))
        except ReceiverGone:
            _log.info("a webhook is removed: its receiver answers 410", webhook=webhook.id)
            await self._finish(self.store.remove(webhook))
        else:
            self.counters["webhooks_delivered"] += 1
            await message.ack()

    async def _retry(self, webhook: Webhook, message: Msg, reason: str) -> None:
        attempts = message.metadata.num_delivered
        if attempts <= len(self.retries):
            jitter = 1 + _JITTER * random.random()
            await message.nak(delay=self.retries[attempts - 1] * jitter)
            return
        self.counters["webhooks_disabled"] += 1
        _log.warning("a webhook is disabled", webhook=webhook.id, reason=reason)
        await self._finish(
            self.store.disable(webhook, f"an event failed {attempts} times, last with: {reason}")
        )

    async def _finish(self, change: Coroutine[None, None, None]) -> None:
        """Wait for a change of the table, which ends this very task, and let it go on then."""
        changing = asyncio.ensure_future(change)
        self._changing.add(changing)
        changing.add_done_callback(self._changing.discard)
        await asyncio.shield(changing)
