"""API keys of the gateway: random, kept as hashes in a JetStream bucket, bound to a tenant or a user."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Final, Self

import nats.errors
import nats.js.errors
from cachetools import TTLCache
from nats.js import JetStreamContext
from nats.js.errors import BucketNotFoundError, KeyNotFoundError, NoKeysError
from nats.js.kv import KeyValue

from ricordo.client import Unavailable
from ricordo.messages.message_types import format_instant
from ricordo.messages.subjects import BUCKET_OF_KEYS

_FORM: Final = re.compile(r"ricordo_([0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
_KNOWN_FOR_S: Final = 5.0
"""Seconds after which a revoked key is refused by every gateway."""
_KNOWN_KEYS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What a key allows.

    Attributes:
        id: the public part of the key, for lists and revocation.
        user_id: the only user it may read and write; None for all users of the tenant.
        created_at: RFC 3339.
    """

    id: str
    tenant: str
    user_id: str | None = None
    name: str = ""
    created_at: str = ""
    hash: str = field(default="", repr=False)

    @classmethod
    def draw(cls, tenant: str, user_id: str | None, name: str) -> tuple[Self, str]:
        """Return a new key, and its text, which is not kept."""
        key_id = secrets.token_hex(6)
        text = f"ricordo_{key_id}_{secrets.token_urlsafe(32)}"
        return cls(key_id, tenant, user_id, name, format_instant(datetime.now(UTC)), hash_of(text)), text

    def matches(self, text: str) -> bool:
        """Return whether `text` is this key, in a time that does not depend on where they differ."""
        return hmac.compare_digest(self.hash, hash_of(text))


def hash_of(text: str) -> str:
    """Hash a key. Its 256 random bits need no slow hash and no salt."""
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors of NATS as `Unavailable`."""
    try:
        yield
    except (nats.errors.Error, nats.js.errors.Error, OSError) as error:
        raise Unavailable(f"NATS does not answer: {type(error).__name__} {error}") from None


class KeyStore:
    """The keys of all tenants. Each method raises `Unavailable` if NATS does not answer.

    Args:
        streams: of a connection that may use the bucket.
        fixed: a key that is always good, with its text, such as the one of a local stack.
    """

    def __init__(self, streams: JetStreamContext, fixed: tuple[str, str] | None = None) -> None:
        self._streams = streams
        self._fixed = None if fixed is None else ApiKey("local", fixed[0], hash=hash_of(fixed[1]))
        self._known: TTLCache[str, ApiKey | None] = TTLCache(_KNOWN_KEYS, _KNOWN_FOR_S)

    async def create(self, tenant: str, user_id: str | None, name: str) -> tuple[ApiKey, str]:
        """Make a key; its text is returned once and kept nowhere."""
        key, text = ApiKey.draw(tenant, user_id, name)
        with translated():
            bucket = await self._bucket() or await self._streams.create_key_value(bucket=BUCKET_OF_KEYS)
            await bucket.put(key.id, json.dumps(asdict(key)).encode())
        return key, text

    async def all(self, tenant: str) -> Sequence[ApiKey]:
        """Return the keys of a tenant, the oldest first."""
        with translated():
            bucket = await self._bucket()
            try:
                ids = [] if bucket is None else await bucket.keys()
            except NoKeysError:
                return ()
        found = [key for one in ids if (key := await self._read(one)) and key.tenant == tenant]
        return sorted(found, key=lambda key: (key.created_at, key.id))

    async def revoke(self, tenant: str, key_id: str) -> bool:
        """Revoke a key of a tenant; return whether there was one."""
        key = await self._read(key_id)
        with translated():
            bucket = await self._bucket()
            if key is None or bucket is None or key.tenant != tenant:
                return False
            await bucket.purge(key_id)
        self._known.pop(key_id, None)
        return True

    async def find(self, text: str) -> ApiKey | None:
        """Return what a presented text allows; None if it is no key."""
        if self._fixed is not None and self._fixed.matches(text):
            return self._fixed
        form = _FORM.fullmatch(text)
        if form is None:
            return None
        try:
            key = self._known[form[1]]  # without asking first: an entry may expire at any moment
        except KeyError:
            key = self._known[form[1]] = await self._read(form[1])
        return key if key is not None and key.matches(text) else None

    async def _bucket(self) -> KeyValue | None:
        try:
            return await self._streams.key_value(BUCKET_OF_KEYS)
        except BucketNotFoundError:
            return None

    async def _read(self, key_id: str) -> ApiKey | None:
        with translated():
            bucket = await self._bucket()
            try:
                entry = None if bucket is None else await bucket.get(key_id)
            except KeyNotFoundError:
                return None
        return None if entry is None or not entry.value else ApiKey(**json.loads(entry.value))
