"""Stores documents as objects in a folder, a bucket or memory, through the library obstore."""

import asyncio
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from ricordo.documents.records import ObjectMissing, ObjectsUnavailable

if TYPE_CHECKING:
    from obstore.store import S3Config  # known to type checkers only

T = TypeVar("T")

_KEY: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}/[0-9a-f]{64}/[0-9a-f]{64}")
_UNUSED_KEY: Final = f"nobody/{'0' * 64}/{'0' * 64}"
_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600


class ObjectStore:
    """Stores bytes under keys made by `object_key`.

    The library's coroutines let its threads call an interpreter that may be shutting down, which sometimes
    aborts the process; its blocking calls, in our threads, do not.

    Args:
        folder: of its files, if it has files.
    """

    def __init__(self, store: LocalStore | MemoryStore | S3Store, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder

    async def put(self, key: str, data: bytes) -> None:
        """Store `data`, durably, replacing the object of that key.

        Raises:
            ObjectsUnavailable: it was not stored.
        """
        await self._call(self._put, key, data)

    async def get(self, key: str) -> bytes:
        """Return an object.

        Raises:
            ObjectMissing: there is none.
            ObjectsUnavailable: the store does not answer.
        """
        return await self._call(self._get, key)

    async def delete(self, key: str) -> None:
        """Delete an object, if it exists.

        Raises:
            ObjectsUnavailable: it may still exist.
        """
        await self._call(self._delete, key)

    async def check(self) -> None:
        """Return when the store answers.

        Raises:
            ObjectsUnavailable: it does not.
        """
        with suppress(ObjectMissing):
            await self.get(_UNUSED_KEY)

    async def _call(self, call: Callable[..., T], key: str, *data: bytes) -> T:
        """Call a method in a thread; the key must be one of `object_key`: no other path may be accessed."""
        if _KEY.fullmatch(key) is None:
            raise ValueError(f"not a key of an object: {key!r}")
        try:
            return await asyncio.to_thread(call, key, *data)
        except (BaseError, OSError) as error:
            # Further lines describe every attempt.
            text = str(error).split("\n", 1)[0]
            raise ObjectsUnavailable(
                f"the object store could not answer: {type(error).__name__}: {text}"
            ) from error

    def _put(self, key: str, data: bytes) -> None:
        if self._folder is None:
            obstore.put(self._store, key, data)
            return
        path = self._folder / key
        for parent in (path.parent.parent, path.parent):
            parent.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        obstore.put(self._store, key, data)
        path.chmod(_PRIVATE_FILE)
        # The library does not sync files, and the message is acknowledged next.
        for written in (path, path.parent, path.parent.parent, self._folder):
            _to_disk(written)

    def _get(self, key: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            raise ObjectMissing(key) from None

    def _delete(self, key: str) -> None:
        with suppress(FileNotFoundError):
            obstore.delete(self._store, key)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def in_folder(folder: Path) -> ObjectStore:
    """Return a store in files of `folder`, readable by its owner only.

    Raises:
        OSError: the folder does not exist and cannot be created.
    """
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    return ObjectStore(LocalStore(prefix=folder), folder)


def in_bucket(
    name: str,
    *,
    prefix: str = "",
    endpoint: str | None = None,
    timeout: float = 20.0,
    retrying: float = 10.0,
    **access: str | None,
) -> ObjectStore:
    """Return a store in a bucket of S3 or of a compatible service, which is not called yet.

    Args:
        prefix: of all keys; empty for none.
        endpoint: URL of the service; None for Amazon's.
        timeout: seconds per request.
        retrying: seconds for which a failed request is retried.
        access: `region`, `access_key_id` and `secret_access_key`; None for those of the environment or the
            machine's role.
    """
    config = {key: value for key, value in {**access, "endpoint": endpoint}.items() if value is not None}
    store = S3Store(
        name,
        prefix=prefix or None,
        config=cast("S3Config", config),
        client_options={
            "timeout": timedelta(seconds=timeout),
            "allow_http": endpoint is not None and endpoint.startswith("http://"),
        },
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=retrying)},
    )
    return ObjectStore(store)
