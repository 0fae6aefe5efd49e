"""Cleanup deletes old rows in several transactions and skips locked rows."""

import asyncio
from datetime import timedelta

import pytest
from tests.contract.store.stores import STORED, Stores

_OLD = 12_000
_FILL = """
with inbox as (
    insert into inbox (tenant, consumer, event_id, handled_at)
    select $1, 'a', gen_random_uuid(), $3 from generate_series(1, $4)
), uses as (
    insert into memory_uses (tenant, memory_id, recall_id, accessed_at, updated_at)
    select $1, $2, gen_random_uuid(), $3, $3 from generate_series(1, $4)
), requests as (
    insert into requests (tenant, id, user_id, request_hash, handled_at)
    select $1, 'r-' || n, 'u-1', '', $3 from generate_series(1, $4) as n
), listings as (
    insert into listings (tenant, listing_id, chunk, user_id, memory_ids, created_at)
    select $1, gen_random_uuid(), 0, 'u-1', '{}', $3 from generate_series(1, $4)
)
insert into dead_letters (tenant, consumer, subject, sequence, code, reason, attempts, died_at)
select $1, 'a', 's', n, 'c', 'r', 1, $3 from generate_series(1, $4) as n
"""
_LEFT = """
select (select count(*) from inbox where tenant = $1), (select count(*) from memory_uses where tenant = $1),
       (select count(*) from requests where tenant = $1),
       (select count(*) from dead_letters where tenant = $1),
       (select count(*) from listings where tenant = $1)
"""
_HOLD = [
    f"select 1 from {table} where tenant = $1 limit 1 for update"
    for table in ("inbox", "memory_uses", "requests", "dead_letters", "listings")
]


async def _fill(stores: Stores) -> None:
    await stores.say("m-1")
    await stores.execute(_FILL, stores.tenant, stores.id("m-1"), STORED, _OLD)


async def _tidy(stores: Stores) -> None:
    before = STORED + timedelta(seconds=1)
    async with asyncio.timeout(30):
        await stores.lifecycle.tidy(
            stores.tenant,
            handled_before=before,
            used_before=before,
            died_before=before,
            listed_before=before,
        )


async def _left(stores: Stores) -> tuple[int, ...]:
    (row,) = await stores.fetch(_LEFT, stores.tenant)
    return row


async def test_what_is_held_is_left_to_the_next_time(stores: Stores) -> None:
    """More than one statement drops goes at once but for it; nobody is waited for."""
    await _fill(stores)
    async with stores.transaction() as connection:
        for query in _HOLD:
            await connection.execute(query, stores.tenant)
        await _tidy(stores)
        assert await _left(stores) == (1,) * 5
    await _tidy(stores)
    assert await _left(stores) == (0,) * 5


async def test_it_goes_in_several_transactions(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is stopped in between has dropped a part, and the next time drops the rest."""
    await _fill(stores)
    begun, transaction = 0, stores.database.transaction

    def counted(tenant: str, *, planned_anew: bool = False) -> object:
        nonlocal begun
        begun += 1
        if begun == 3:
            raise RuntimeError("the process ends here")
        return transaction(tenant, planned_anew=planned_anew)

    with monkeypatch.context() as patched:
        patched.setattr(stores.database, "transaction", counted)
        with pytest.raises(RuntimeError, match="ends here"):
            await _tidy(stores)
    dropped, *others = await _left(stores)
    assert 0 < dropped < _OLD
    assert others == [_OLD] * 4
    await _tidy(stores)
    assert await _left(stores) == (0,) * 5
