"""What a user states of a memory by hand counts once, and nothing that is derived later overrides it."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, request, summary

from ricordo.store.curation_store import CurationRequest, FixedKind, UnknownMemories
from ricordo.store.idempotency import RequestConflict


async def _edit(
    stores: Stores, memory_id: UUID, *, by: CurationRequest | None = None, **changes: object
) -> list[str]:
    fields = await stores.curation.edit(stores.tenant, by or request(), memory_id, changes, at=STORED)
    return sorted(fields)


async def test_what_is_edited_stays_whatever_is_derived_later_and_the_rest_with_it(stores: Stores) -> None:
    (one,) = await stores.say("m-1", tags=("sea",), expires_at=STORED + timedelta(days=9))
    await stores.enrich("m-1", informative=0.1)
    changed = await _edit(stores, one, kind="note", importance=0.9, by=request("e"))
    assert changed == ["importance", "informative", "kind"]
    await stores.enrich("m-1", informative=0.1)
    kept = await stores.memory()
    assert (kept.kind, kept.importance, kept.informative, kept.tags) == ("note", 0.9, 1, ("sea",))
    assert await _edit(stores, one, tags=["star"], expires_at=None) == ["expires_at", "tags"]
    assert await _edit(stores, one, tags=["star"]) == []
    assert await _edit(stores, one, kind="note", importance=0.9, by=request("e")) == changed, "a repetition"
    with pytest.raises(RequestConflict):
        await _edit(stores, one, tags=[], by=request("e", "something else"))
    await _edit(stores, one, tags=[])
    kept = await stores.memory()
    assert (kept.kind, kept.importance, kept.tags, kept.expires_at) == ("note", 0.9, (), None)
    for here, memory_id, by in (
        (stores, uuid4(), request()),
        (stores, one, request(user_id="u-2")),
        (stores.another_tenant(), one, request()),
    ):
        with pytest.raises(UnknownMemories):
            await _edit(here, memory_id, tags=["theirs"], by=by)
    assert await stores.memory() == kept


async def test_a_memory_that_had_expired_returns_unless_it_expires_again(stores: Stores) -> None:
    past, ahead = STORED - timedelta(hours=1), STORED + timedelta(hours=1)
    (one,) = await stores.say("m-1", expires_at=past)
    await stores.execute("update memories set archived_at = $1, archive_reason = 'expiry'", past)
    assert await _edit(stores, one, expires_at=past - timedelta(hours=1)) == ["expires_at"]
    assert await _edit(stores, one, expires_at=ahead) == ["archived_at", "expires_at"]
    assert (await stores.memory()).archived_at is None
    assert [move.archived for move in await stores.moves()] == [False]
    await stores.execute("update memories set archived_at = $1, archive_reason = 'decay'", past)
    assert await _edit(stores, one, expires_at=None) == ["expires_at"], "it had faded"


async def test_a_derived_memory_is_tagged_and_keeps_its_kind(stores: Stores) -> None:
    made = summary(stores, await stores.say("m-1"))
    await stores.write_derived(made)
    assert await _edit(stores, made.id, tags=["star"]) == ["tags"]
    with pytest.raises(FixedKind):
        await _edit(stores, made.id, kind="note", tags=[])
    (kept,) = await stores.found(made.id)
    assert (kept.kind, kept.tags) == (made.kind, ("star",))
