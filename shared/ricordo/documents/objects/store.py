"""What documents are kept in."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from ricordo.documents.port import ObjectMissing, ObjectsUnavailable, user_prefix

if TYPE_CHECKING:
    from obstore.store import S3Config  # known to type checkers only

T = TypeVar("T")

_KEY: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}/[0-9a-f]{64}/[0-9a-f]{64}")
_NOBODYS: Final = f"nobody/{'0' * 64}/{'0' * 64}"
_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600


class KeptObjects:
    """Implements `ObjectStore`.

    The library's own coroutines let its threads speak to an interpreter that may be ending, which aborts the
    process now and then; its plain calls, each in a thread of ours, do not.

    Args:
        store: of the library.
        folder: where its files are, if it keeps them in files.
    """

    def __init__(self, store: LocalStore | MemoryStore | S3Store, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder

    async def put(self, key: str, data: bytes) -> None:
        """Keep `data`; see `ObjectStore.put`."""
        await self._asked(lambda: self._put(_checked(key), data))

    async def get(self, key: str) -> bytes:
        """Return what is kept; see `ObjectStore.get`."""
        return await self._asked(lambda: self._get(_checked(key)))

    async def delete(self, key: str) -> None:
        """Delete what is kept, if anything is."""
        await self._asked(lambda: self._delete(_checked(key)))

    async def delete_all(self, tenant: str, user_id: str) -> int:
        """Delete all that is kept for a user; see `ObjectStore.delete_all`."""
        prefix = user_prefix(tenant, user_id)
        return await self._asked(lambda: self._delete_all(prefix))

    async def check(self) -> None:
        """Return when the store answers; see `ObjectStore.check`."""
        await self._asked(lambda: self._is_there(_NOBODYS))

    async def _asked(self, ask: Callable[[], T]) -> T:
        with _translated():
            return await asyncio.to_thread(ask)

    def _put(self, key: str, data: bytes) -> None:
        if self._folder is None:
            obstore.put(self._store, key, data)
            return
        path = self._folder / key
        for parent in (path.parent.parent, path.parent):
            parent.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        obstore.put(self._store, key, data)
        path.chmod(_PRIVATE_FILE)
        # The library leaves it to the system when a file reaches the disk, and the message is acknowledged.
        for written in (path, path.parent, path.parent.parent, self._folder):
            _to_disk(written)

    def _get(self, key: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            raise ObjectMissing(key) from None

    def _delete(self, key: str) -> None:
        try:
            obstore.delete(self._store, key)
        except FileNotFoundError:
            return

    def _delete_all(self, prefix: str) -> int:
        keys = [found["path"] for chunk in obstore.list(self._store, prefix) for found in chunk]
        for key in keys:
            self._delete(key)
        return len(keys)

    def _is_there(self, key: str) -> bool:
        try:
            obstore.head(self._store, key)
        except FileNotFoundError:
            return False
        return True


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _checked(key: str) -> str:
    """Refuse what `object_key` has not made: nothing else may be looked for in a folder.

    Raises:
        ValueError: it has not.
    """
    if _KEY.fullmatch(key) is None:
        raise ValueError(f"no key of an object: {key!r}")
    return key


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        # What the library adds after the first line is its own account of every attempt.
        told = str(error).split("\n", 1)[0]
        raise ObjectsUnavailable(
            f"the object store could not answer: {type(error).__name__}: {told}"
        ) from error


def in_folder(folder: Path) -> KeptObjects:
    """Return what keeps objects in files of `folder`, which only its owner can read.

    Raises:
        OSError: the folder can neither be found nor made.
    """
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    return KeptObjects(LocalStore(prefix=folder), folder)


def in_memory() -> KeptObjects:
    """Return what keeps objects as long as it lives."""
    return KeptObjects(MemoryStore())


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of S3, or of what speaks its protocol.

    Attributes:
        name: of the bucket, which exists.
        prefix: before all keys; empty for none.
        endpoint: where it answers; None for Amazon's.
        region: its region; None leaves it to the environment.
        access_key_id, secret_access_key: whose it is; None leaves it to the environment, as on a machine with
            a role.
        timeout: seconds for one request.
        retrying: seconds for which one that fails is tried again.
    """

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)
    timeout: float = 20.0
    retrying: float = 10.0


def in_bucket(bucket: Bucket) -> KeptObjects:
    """Return what keeps objects in a bucket; it is not asked yet."""
    store = S3Store(
        bucket.name,
        prefix=bucket.prefix or None,
        config=_told(bucket),
        client_options={
            "timeout": timedelta(seconds=bucket.timeout),
            "allow_http": bucket.endpoint is not None and bucket.endpoint.startswith("http://"),
        },
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=bucket.retrying)},
    )
    return KeptObjects(store)


def _told(bucket: Bucket) -> "S3Config":
    told: S3Config = {}
    if bucket.endpoint is not None:
        told["endpoint"] = bucket.endpoint
    if bucket.region is not None:
        told["region"] = bucket.region
    if bucket.access_key_id is not None:
        told["access_key_id"] = bucket.access_key_id
    if bucket.secret_access_key is not None:
        told["secret_access_key"] = bucket.secret_access_key
    return told
