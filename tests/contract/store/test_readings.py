"""A text is read after the turn before it: whichever of two neighbours is stored last sees both."""

import json
from typing import Final
from uuid import UUID

from tests.contract.store.stores import MODEL, STORED, Stores
from tests.support.factories import unit_vector

from ricordo.language.text import text_hash
from ricordo.store.stages import SavedReading, SavedVectors

READER: Final = "reader-1"


class Chat:
    """Two turns, of which each can be encoded and read as the worker does it."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.ids = [stores.id("m-1"), stores.id("m-2")]

    async def load(self, memory_id: UUID) -> tuple[bool, bytes | None]:
        """Return whether a turn is read after the one before it now, and the hash of that one."""
        (one,) = await self._stores.encodings.load(
            self._stores.tenant, MODEL, [memory_id], reader=READER, read_model=MODEL
        )
        return one.is_read, one.previous_hash

    async def read(self, memory_id: UUID, previous: bytes | None) -> SavedVectors:
        """Store vector and reading of a turn."""
        reading = SavedReading(json.dumps({"after": previous is not None}), previous)
        return await self._stores.encodings.save(
            self._stores.tenant,
            MODEL,
            [(memory_id, unit_vector(1))],
            [memory_id],
            STORED,
            reader=READER,
            readings={memory_id: reading},
        )


async def begun(stores: Stores) -> Chat:
    """Record two turns."""
    await stores.record(
        stores.message("m-1", content="How is Anna?"),
        stores.message("m-2", minute=1, content="She works nights."),
    )
    return Chat(stores)


async def test_a_turn_is_read_after_the_one_before_it(stores: Stores) -> None:
    chat = await begun(stores)
    first, second = chat.ids
    assert not (await chat.read(first, None)).unread
    assert await chat.load(first) == (True, None)
    is_read, previous = await chat.load(second)
    assert (is_read, previous) == (False, text_hash("How is Anna?"))
    assert not (await chat.read(second, previous)).unread
    assert await chat.load(second) == (True, previous)


async def test_what_was_read_before_its_predecessor_came_is_read_again(stores: Stores) -> None:
    chat = await begun(stores)
    first, second = chat.ids
    await chat.read(second, None)
    saved = await chat.read(first, None)
    assert [one.memory_id for one in saved.unread] == [second]
    assert await chat.load(second) == (False, text_hash("How is Anna?"))


async def test_what_is_stored_after_its_predecessor_but_read_without_it_is_read_again(stores: Stores) -> None:
    chat = await begun(stores)
    first, second = chat.ids
    await chat.read(first, None)
    saved = await chat.read(second, None)
    assert [one.memory_id for one in saved.unread] == [second]


async def test_a_repeat_tells_once_more_whose_reading_is_of_before(stores: Stores) -> None:
    """A crash between the write and its events loses neither the follower nor what follows from a reading."""
    chat = await begun(stores)
    first, second = chat.ids
    await chat.read(second, None)
    await chat.read(first, None)
    again = await stores.encodings.save(stores.tenant, MODEL, [], [first], STORED)
    assert [one.memory_id for one in again.unread] == [second]
    await stores.enrich("m-2")
    saved = await chat.read(second, text_hash("How is Anna?"))
    assert (saved.progress[0].enriched, saved.progress[0].extracted) == (None, None)
