"""The contract of `ObjectStore`, for every adapter."""

import asyncio
from uuid import uuid4

import pytest

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.records import ObjectMissing, object_key


class ObjectStoreContract:
    """Inherit from it, and provide a fixture `objects`."""

    async def test_what_was_put_is_there(self, objects: ObjectStore) -> None:
        """All of it, whatever bytes it holds."""
        data = bytes(range(256)) * 1000
        key = object_key("acme", "u-1", "m-1", data)
        await objects.put(key, data)
        assert await objects.get(key) == data

    async def test_the_same_is_put_twice(self, objects: ObjectStore) -> None:
        """And at once: a redelivery may come while the first is still at work."""
        key = object_key("acme", "u-1", "m-1", b"twice")
        await asyncio.gather(*(objects.put(key, b"twice") for _ in range(8)))
        assert await objects.get(key) == b"twice"

    async def test_what_is_not_there(self, objects: ObjectStore) -> None:
        """It cannot be read, and is deleted without a word."""
        key = object_key("acme", "u-1", "m-1", b"never put")
        with pytest.raises(ObjectMissing):
            await objects.get(key)
        await objects.delete(key)

    async def test_what_is_deleted_is_gone(self, objects: ObjectStore) -> None:
        """And nothing else."""
        gone, kept = (object_key("acme", "u-1", "m-1", data) for data in (b"gone", b"kept"))
        await objects.put(gone, b"gone")
        await objects.put(kept, b"kept")
        await objects.delete(gone)
        with pytest.raises(ObjectMissing):
            await objects.get(gone)
        assert await objects.get(kept) == b"kept"

    async def test_all_of_a_user(self, objects: ObjectStore) -> None:
        """Goes, and nothing of anybody else's, be their names alike."""
        user = f"u-{uuid4()}"
        others = [("acme", f"{user}1"), ("acme", f"{user}/.."), ("acme-2", user)]
        for tenant, owner in [("acme", user), *others]:
            for data in (b"1", b"2"):
                await objects.put(object_key(tenant, owner, "m-1", data), data)
        assert await objects.delete_all("acme", user) == 2
        assert await objects.delete_all("acme", user) == 0
        for tenant, owner in others:
            assert await objects.get(object_key(tenant, owner, "m-1", b"2")) == b"2"

    @pytest.mark.parametrize(
        "key",
        ["", "a", "../etc/passwd", "acme/../../x", f"acme/{'a' * 64}/../x", "\0", f"A/{'a' * 64}/{'a' * 64}"],
    )
    async def test_a_key_of_somebody_elses_making(self, objects: ObjectStore, key: str) -> None:
        """Is refused before anybody is asked."""
        for asked in (objects.put(key, b"x"), objects.get(key), objects.delete(key)):
            with pytest.raises(ValueError, match="not a key"):
                await asked

    async def test_it_says_that_it_answers(self, objects: ObjectStore) -> None:
        """Without anything kept."""
        await objects.check()
