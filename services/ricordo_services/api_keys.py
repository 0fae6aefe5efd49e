"""Keys of the gateway, of three uses: random, and kept as hashes in a JetStream bucket."""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, get_args

import nats.errors
import nats.js.errors
from cachetools import TTLCache
from nats.js import JetStreamContext
from nats.js.errors import BucketNotFoundError, KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from ricordo.client import InvalidRequest, Unavailable
from ricordo.messages.message_types import format_instant
from ricordo.messages.subjects import BUCKET_OF_KEYS
from ricordo.runtime.tasks import together

KeyUse = Literal["api", "link", "session"]
"""For requests of a program, for signing in to the album once, and for a browser that has signed in."""
KEY_USES: Final[tuple[KeyUse, ...]] = get_args(KeyUse)

OF_ONE_USER: Final = (
    "an operator sees the texts of all users, so no key or link of one user can be an operator's"
)

_STREAM: Final = f"KV_{BUCKET_OF_KEYS}"
_PREFIX: Final = f"$KV.{BUCKET_OF_KEYS}."
_FORM: Final = re.compile(r"ricordo_([0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
_ID: Final = re.compile(r"[0-9a-f]{12}")
_SWEPT_EVERY_S: Final = 600.0
_READ_AT_ONCE: Final = 50
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
        use: the only thing it is good for.
        expires_at: RFC 3339; empty for never.
        operator: whether it is an operator's. Such a key is one of the whole installation: it also reads dead
            letters, with the texts of all tenants, and makes keys. It is never bound to one user.
    """

    id: str
    tenant: str
    user_id: str | None = None
    name: str = ""
    created_at: str = ""
    hash: str = field(default="", repr=False)
    use: KeyUse = "api"
    expires_at: str = ""
    operator: bool = False

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return bool(self.expires_at) and datetime.fromisoformat(self.expires_at) <= datetime.now(UTC)

    def matches(self, text: str) -> bool:
        """Return whether `text` is this key, in a time that does not depend on where they differ."""
        return hmac.compare_digest(self.hash, hash_of(text))

    def is_good_for(self, text: str, use: KeyUse) -> bool:
        """Return whether `text` is this key, of that use, and its time is not over."""
        return self.use == use and not self.has_expired and self.matches(text)


def _path(key_id: str, use: KeyUse) -> str:
    """Return where a key is kept, apart from those of other uses."""
    return key_id if use == "api" else f"{use}.{key_id}"


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
        self._fixed = (
            None if fixed is None else ApiKey("local", fixed[0], hash=hash_of(fixed[1]), operator=True)
        )
        self._known: TTLCache[str, ApiKey | None] = TTLCache(_KNOWN_KEYS, _KNOWN_FOR_S)
        self._next_sweep = 0.0

    async def create(
        self,
        tenant: str,
        user_id: str | None,
        name: str,
        *,
        use: KeyUse = "api",
        lifetime: timedelta | None = None,
        operator: bool = False,
    ) -> tuple[ApiKey, str]:
        """Make a key; its text is returned once and kept nowhere. Now and then, expired ones are removed.

        Args:
            tenant: whose memories it opens.
            user_id: the only user it opens; None for all users of the tenant.
            name: what people know it by.
            use: the only thing it is good for.
            lifetime: how long it is good; None for ever.
            operator: as in `ApiKey`.

        Raises:
            InvalidRequest: an operator's, of one user.
        """
        if operator and user_id is not None:
            raise InvalidRequest(OF_ONE_USER, field="operator")
        key_id, now = secrets.token_hex(6), datetime.now(UTC)
        text = f"ricordo_{key_id}_{secrets.token_urlsafe(32)}"
        until = "" if lifetime is None else format_instant(now + lifetime)
        key = ApiKey(key_id, tenant, user_id, name, format_instant(now), hash_of(text), use, until, operator)
        with translated():
            bucket = await self._bucket()
            if bucket is None:
                bucket = await self._streams.create_key_value(bucket=BUCKET_OF_KEYS)
            elif time.monotonic() >= self._next_sweep:
                await self._current(bucket)
            await bucket.put(_path(key.id, use), json.dumps(asdict(key)).encode())
        return key, text

    async def all(self, tenant: str) -> Sequence[ApiKey]:
        """Return the keys and sessions of a tenant, the oldest first; expired ones are removed."""
        with translated():
            bucket = await self._bucket()
            keys = [] if bucket is None else await self._current(bucket)
        found = [key for key in keys if key.tenant == tenant and key.use != "link"]
        return sorted(found, key=lambda key: (key.created_at, key.id))

    async def revoke(self, tenant: str, key_id: str) -> bool:
        """Revoke a key or a session of a tenant; return whether there was one."""
        if _ID.fullmatch(key_id) is None:
            return False
        for use in KEY_USES:
            path = _path(key_id, use)
            with translated():
                bucket = await self._bucket()
                key, _ = await self._read(bucket, path)
                if bucket is not None and key is not None and key.tenant == tenant:
                    await bucket.purge(path)
                    self._known.pop(path, None)
                    return True
        return False

    async def find(self, text: str, use: KeyUse = "api") -> ApiKey | None:
        """Return what a presented text allows; None if it is no key, has another use, or has expired."""
        if self._fixed is not None and self._fixed.matches(text):
            return self._fixed if use == "api" else None
        form = _FORM.fullmatch(text)
        if form is None:
            return None
        path = _path(form[1], use)
        try:
            key = self._known[path]  # without asking first: an entry may expire at any moment
        except KeyError:
            with translated():
                key, _ = await self._read(await self._bucket(), path)
            self._known[path] = key
        return key if key is not None and key.is_good_for(text, use) else None

    async def redeem(self, text: str) -> ApiKey | None:
        """Use up a link: return what it allows the first time, and None at all others."""
        form = _FORM.fullmatch(text)
        if form is None:
            return None
        path = _path(form[1], "link")
        with translated():
            bucket = await self._bucket()
            key, revision = await self._read(bucket, path)
            if bucket is None or key is None or not key.is_good_for(text, "link"):
                return None
            try:
                await bucket.update(path, b"", last=revision)  # `delete` does not name a lost race
            except KeyWrongLastSequenceError:
                return None
        return key

    async def _bucket(self) -> KeyValue | None:
        try:
            return await self._streams.key_value(BUCKET_OF_KEYS)
        except BucketNotFoundError:
            return None

    async def _current(self, bucket: KeyValue) -> Sequence[ApiKey]:
        """Return the keys of all tenants, and remove what is left of expired, used and revoked ones."""
        self._next_sweep = time.monotonic() + _SWEPT_EVERY_S
        # Not by a watch: it leaves a consumer for minutes, of which a stream has 1,000 at most.
        stream = await self._streams.stream_info(_STREAM, f"{_PREFIX}>")
        paths = [subject.removeprefix(_PREFIX) for subject in stream.state.subjects or ()]
        found: list[ApiKey] = []
        for start in range(0, len(paths), _READ_AT_ONCE):
            chunk = paths[start : start + _READ_AT_ONCE]
            entries = await together([self._read(bucket, path) for path in chunk])
            for path, (key, _) in zip(chunk, entries, strict=True):
                if key is None or key.has_expired:
                    await self._streams.purge_stream(_STREAM, subject=f"{_PREFIX}{path}")
                else:
                    found.append(key)
        return found

    @staticmethod
    async def _read(bucket: KeyValue | None, path: str) -> tuple[ApiKey | None, int]:
        """Return a key and its revision in the bucket."""
        try:
            entry = None if bucket is None else await bucket.get(path)
        except KeyNotFoundError:
            return None, 0
        if entry is None or not entry.value:
            return None, 0
        return ApiKey(**json.loads(entry.value)), entry.revision or 0
