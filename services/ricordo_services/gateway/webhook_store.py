"""Webhooks: kept in a JetStream bucket, each with a durable consumer of the events of its tenant."""

import asyncio
import base64
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Self

from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import BucketNotFoundError, KeyNotFoundError, KeyWrongLastSequenceError, NotFoundError
from nats.js.kv import KeyValue
from pydantic import BaseModel

from ricordo.messages.message_types import format_instant
from ricordo.messages.subjects import BUCKET_OF_WEBHOOKS, STREAM_DERIVED, Subject
from ricordo_services.api_keys import translated
from ricordo_services.gateway.event_stream import SUBJECT_NAMES, EventType

_MAX_UNACKED: Final = 256
"""Events of one webhook that wait for a retry; the next ones wait in the stream."""
_FORGOTTEN_AFTER_S: Final = 30 * 86_400.0
"""After which NATS removes a consumer that no gateway reads: it is longer than the stream keeps events."""
_ACK_MARGIN_S: Final = 5.0
_WATCH_S: Final = 30.0


class WebhookInfo(BaseModel):
    """A webhook, without its secret.

    Attributes:
        user_id: the only user whose events it receives; null for all users of the tenant.
        disabled_at: when deliveries ended because a receiver failed too often; null while they go on.
        disabled_reason: what the receiver answered last.
    """

    id: str
    url: str
    events: tuple[EventType, ...]
    user_id: str | None = None
    created_at: str
    disabled_at: str | None = None
    disabled_reason: str | None = None


class NewWebhook(WebhookInfo):
    """A webhook with the secret that verifies its signatures, which is shown once."""

    secret: str


class Webhook(NewWebhook):
    """A webhook as it is kept."""

    tenant: str

    @classmethod
    def draw(cls, tenant: str, user_id: str | None, url: str, events: tuple[EventType, ...]) -> Self:
        """Return a new webhook with a random secret."""
        return cls(
            id=secrets.token_hex(8),
            tenant=tenant,
            user_id=user_id,
            url=url,
            events=tuple(dict.fromkeys(events)),
            secret=f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}",
            created_at=format_instant(datetime.now(UTC)),
        )

    @property
    def key(self) -> str:
        """Its key in the bucket."""
        return f"{self.tenant}.{self.id}"

    @property
    def consumer(self) -> str:
        """The name of its durable consumer."""
        return f"webhook-{self.id}"


class WebhookStore:
    """The webhooks of all tenants; all changes and lists raise `Unavailable` where NATS does not answer.

    Args:
        timeout: seconds that a receiver has to answer.
    """

    def __init__(self, streams: JetStreamContext, timeout: float) -> None:
        self._streams = streams
        self._timeout = timeout

    async def add(self, webhook: Webhook) -> None:
        """Keep a webhook; it receives the events from now on."""
        with translated():
            await (await self._bucket()).put(webhook.key, webhook.model_dump_json().encode())
            await self.add_consumer(webhook)

    async def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return the webhooks of a tenant, the oldest first."""
        found: list[Webhook] = []
        prefix = f"$KV.{BUCKET_OF_WEBHOOKS}."
        with translated():
            bucket = await self._bucket()
            # Not by a watch: it leaves a consumer for minutes, of which a stream has 1,000 at most.
            stream = await self._streams.stream_info(f"KV_{BUCKET_OF_WEBHOOKS}", f"{prefix}{tenant}.>")
            for subject in stream.state.subjects or ():
                with suppress(NotFoundError):  # deleted
                    entry = await bucket.get(subject.removeprefix(prefix))
                    found.append(Webhook.model_validate_json(entry.value or b""))
        return sorted(found, key=lambda webhook: (webhook.created_at, webhook.id))

    async def remove(self, webhook: Webhook) -> None:
        """Remove a webhook; it receives no more."""
        with translated():
            await (await self._bucket()).purge(webhook.key)
            await self._delete_consumer(webhook)

    async def disable(self, webhook: Webhook, reason: str) -> None:
        """End the deliveries of a webhook, unless it was removed meanwhile."""
        now = format_instant(datetime.now(UTC))
        disabled = webhook.model_copy(update={"disabled_at": now, "disabled_reason": reason})
        with translated():
            bucket = await self._bucket()
            with suppress(KeyNotFoundError, KeyWrongLastSequenceError):
                entry = await bucket.get(webhook.key)
                await bucket.update(webhook.key, disabled.model_dump_json().encode(), last=entry.revision)
            await self._delete_consumer(webhook)

    async def tables(self) -> AsyncGenerator[Mapping[str, Webhook], None]:
        """Yield the webhooks by key, and again after each change.

        It ends after half a minute without a change. The caller has to begin again then, since a watch
        does not notice each loss of the server.
        """
        watcher = await (await self._bucket()).watch(">")
        table: dict[str, Webhook] = {}
        complete = False
        try:
            with suppress(asyncio.TimeoutError):
                while True:
                    entry = await watcher.updates(timeout=_WATCH_S)  # type: ignore[no-untyped-call]
                    if entry is None:
                        complete = True
                    elif entry.operation is None and entry.value:
                        table[entry.key] = Webhook.model_validate_json(entry.value)
                    else:
                        table.pop(entry.key, None)
                    if complete:
                        yield dict(table)
        finally:
            await watcher.stop()  # type: ignore[no-untyped-call]

    async def add_consumer(self, webhook: Webhook) -> None:
        """Create the durable consumer of a webhook, unless there is one."""
        config = ConsumerConfig(
            durable_name=webhook.consumer,
            filter_subjects=[str(Subject(webhook.tenant, SUBJECT_NAMES[event])) for event in webhook.events],
            deliver_policy=DeliverPolicy.NEW,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._timeout + _ACK_MARGIN_S,
            max_ack_pending=_MAX_UNACKED,
            inactive_threshold=_FORGOTTEN_AFTER_S,
        )
        await self._streams.add_consumer(STREAM_DERIVED, config)

    async def subscribe(self, webhook: Webhook) -> JetStreamContext.PullSubscription:
        """Return a subscription to the events of a webhook, which all gateways share."""
        return await self._streams.pull_subscribe_bind(webhook.consumer, STREAM_DERIVED)

    async def _delete_consumer(self, webhook: Webhook) -> None:
        with suppress(NotFoundError):
            await self._streams.delete_consumer(STREAM_DERIVED, webhook.consumer)

    async def _bucket(self) -> KeyValue:
        try:
            return await self._streams.key_value(BUCKET_OF_WEBHOOKS)
        except BucketNotFoundError:
            return await self._streams.create_key_value(bucket=BUCKET_OF_WEBHOOKS)
