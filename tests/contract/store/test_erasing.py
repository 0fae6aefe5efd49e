"""Erasure on request, on PostgreSQL: nothing of what is forgotten is left, and nothing else is touched."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_derived import say, summary, write
from tests.contract.store.test_lifecycle_store import kept, letter

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import derived_id
from ricordo.messages.vocabulary import ForgetScope
from ricordo.store.database import Database, RequestConflict
from ricordo.store.erasure import (
    DeadLetterPosition,
    ErasureCounts,
    ErasureRequest,
    ErasureSlice,
    ErasureStore,
)
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

LATER = STORED + timedelta(days=1)
END_OF_TIME = datetime.max.replace(tzinfo=UTC)


@pytest.fixture
def erasing(database: Database) -> ErasureStore:
    return ErasureStore(database)


def burial(scope: ForgetScope, key: str, user_id: str = "u-1", until: datetime = LATER) -> ErasureRequest:
    return ErasureRequest(user_id, scope, key, until)


A_MESSAGE = burial(ForgetScope.MESSAGE, "m-2")
A_CONVERSATION = burial(ForgetScope.CONVERSATION, "c-1")
A_USER = burial(ForgetScope.USER, "u-1")


async def forget(
    erasing: ErasureStore,
    stores: Stores,
    what: ErasureRequest,
    *,
    limit: int = 100,
    request: str | None = None,
    projection: Projection | None = None,
) -> tuple[ErasureCounts, list[ErasureSlice]]:
    """Erase it as a whole, and return what the tombstone says, and the slices."""
    slices: list[ErasureSlice] = []
    buried = await erasing.put_tombstone(stores.tenant, what, request=request)
    if isinstance(buried, ErasureCounts):
        return buried, slices
    while not slices or slices[-1].more:
        slices.append(await erasing.erase(stores.tenant, buried, projection or Projection(), limit))
    return await erasing.finish(stores.tenant, buried), slices


async def erase_all(erasing: ErasureStore, stores: Stores, what: ErasureRequest) -> ErasureCounts:
    """Erase what was buried, in small slices, and return what the tombstone says."""
    while (await erasing.erase(stores.tenant, what, Projection(), 2)).more:
        pass
    return await erasing.finish(stores.tenant, what)


async def rows_that_hold(database: Database, stores: Stores, *words: str) -> dict[str, int]:
    """Count, by table, the rows of the tenant in which one of `words` stands anywhere; but for tombstones."""
    async with database.transaction(stores.tenant) as connection:
        tables = await connection.fetch(
            "select table_name from information_schema.columns "
            "where table_schema = current_schema() and column_name = 'tenant'"
        )
        found = {}
        for (table,) in tables:
            found[table] = await connection.fetchval(
                f"select count(*) from {table} t where exists "
                "(select from unnest($1::text[]) as word where position(word in t::text) > 0)",
                list(words),
            )
    return {table: count for table, count in found.items() if count and table != "tombstones"}


async def test_of_a_forgotten_message_nothing_is_left(
    erasing: ErasureStore, database: Database, stores: Stores
) -> None:
    """Row, vector, stages, evidence, links and what was made of it; its neighbours close the ranks."""
    await say(stores, "m-1", "m-2", "m-3")
    await stores.encode("m-1", "m-2", "m-3")
    await learn(stores, tell(stores, "m-2", said("has_pet", "Max")), tell(stores, "m-1"))
    projection = Projection()
    counts, (first, *_) = await forget(erasing, stores, A_MESSAGE, projection=projection)
    assert counts == ErasureCounts(rows=2, vectors=1, graph=1)
    assert list(first.memory_ids) == [stores.id("m-2")]
    held = await rows_that_hold(database, stores, "m-2", "Max", str(stores.id("m-2")))
    assert held == {"withdrawn_memories": 1}, "which has its point follow"
    assert (await stores.memory("m-1")).following_id == stores.id("m-3")
    assert (await stores.memory("m-3")).preceding_id == stores.id("m-1")
    (learned,) = projection.learned
    assert len(learned.gone) == 1
    assert (await stores.recollection.status(stores.tenant, "m-2"))[0] is None


async def test_who_came_behind_it_is_indexed_anew(erasing: ErasureStore, stores: Stores) -> None:
    """Its point shows it in the light of what is forgotten. The missing stage stays until that is done."""
    await say(stores, "m-1", "m-2", "m-3")
    await stores.encode("m-1", "m-2", "m-3")
    ids = [stores.id(one) for one in ("m-1", "m-2", "m-3")]
    await stores.indexing.mark(stores.tenant, ids, STORED)
    _, (first, *_) = await forget(erasing, stores, A_MESSAGE)
    assert [one.message_id for one in first.behind] == ["m-3"]
    assert (progress := await stores.progress("m-3")) is not None
    assert progress.indexed is None
    assert (untouched := await stores.progress("m-1")) is not None
    assert untouched.indexed == STORED


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_of_a_conversation_only_that_users_part_goes(
    erasing: ErasureStore, database: Database, stores: Stores, limit: int
) -> None:
    mine = [new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in (1, 3, 5)]
    theirs = [new_message(f"n-{n}", tenant=stores.tenant, user_id="u-2", timestamp=at(n)) for n in (2, 4)]
    elsewhere = new_message("o-1", tenant=stores.tenant, conversation_id="c-2", timestamp=at(6))
    await stores.record(*mine, *theirs, elsewhere)
    counts, slices = await forget(erasing, stores, A_CONVERSATION, limit=limit)
    assert (counts.rows, len(slices)) == (6, 3 // limit + 1 + (3 % limit > 0))
    assert set(await rows_that_hold(database, stores, "m-1", "m-3", "m-5")) == set()
    first, second = await stores.memory("n-2", "u-2"), await stores.memory("n-4", "u-2")
    assert (first.preceding_id, first.following_id) == (None, second.id)
    assert (second.preceding_id, second.following_id) == (first.id, None)
    assert (await stores.memory("o-1")).content


async def test_of_a_user_nothing_is_left(erasing: ErasureStore, database: Database, stores: Stores) -> None:
    """In no table, but for the tombstones, and ids of points that have still to follow."""
    other = new_message("n-1", tenant=stores.tenant, user_id="u-2", timestamp=at(9))
    await stores.record(other)
    await say(stores, "m-1", "m-2", "m-3")
    await stores.encode("m-1", "m-2")
    await learn(
        stores,
        tell(stores, "m-1", said("has_pet", "Max"), said("lives_in", "Rome")),
        tell(stores, "m-2", said("lives_in", "Milan", minute=1)),
    )
    await forget(erasing, stores, A_USER, limit=2)
    assert await rows_that_hold(database, stores, "u-1") == {"withdrawn_memories": 3, "link_versions": 1}
    assert await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1", history=True)) == []
    assert (await stores.memory("n-1", "u-2")).content


async def test_what_was_made_of_it_goes_and_the_rest_is_as_if_it_had_never_been_condensed(
    erasing: ErasureStore, database: Database, stores: Stores
) -> None:
    """A summary that the user has confirmed, too; and what was made of what was made."""
    sources = await say(stores, "m-1", "m-2", "m-3")
    made = replace(summary(stores, sources[:2]), verified=True)
    insight = replace(
        summary(stores, [made.id]),
        id=derived_id(stores.tenant, MemoryKind.REFLECTION, [made.id]),
        kind=MemoryKind.REFLECTION,
    )
    await write(database, stores, made)
    await write(database, stores, insight)
    async with database.transaction(stores.tenant) as connection:
        await connection.execute(
            "update memories set compressed = true, synthesis_id = $1 where id = any($2)",
            made.id,
            sources[:2],
        )
    counts, (first, *_) = await forget(erasing, stores, A_MESSAGE)
    assert set(first.memory_ids) == {stores.id("m-2"), made.id, insight.id}
    assert counts.rows == 4
    assert not (await stores.memory("m-1")).compressed
    assert (await stores.memory("m-3")).content


async def test_what_is_forgotten_never_comes_back_and_who_comes_back_begins_anew(
    erasing: ErasureStore, stores: Stores
) -> None:
    """By its id, also where it was dated ahead of its time; and nothing that was said by then."""
    ahead = new_message("ahead", tenant=stores.tenant, timestamp=LATER + timedelta(days=9))
    await stores.record(ahead)
    await forget(erasing, stores, A_USER)
    late = new_message("late", tenant=stores.tenant, timestamp=at(5))
    new = new_message("new", tenant=stores.tenant, timestamp=LATER + timedelta(minutes=1))
    recorded = await stores.record(ahead, late, new, at=new.timestamp)
    assert [one.status for one in recorded] == ["forgotten", "forgotten", "kept"]
    await forget(erasing, stores, A_USER)
    assert (await stores.memory("new")).content, "which that did not mean"


async def test_a_request_counts_once(erasing: ErasureStore, stores: Stores) -> None:
    await say(stores, "m-1", "m-2")
    first, _ = await forget(erasing, stores, A_CONVERSATION, request="r-1")
    again = replace(A_CONVERSATION, at=LATER + timedelta(days=1))
    await stores.record(
        new_message("m-9", tenant=stores.tenant, timestamp=LATER + timedelta(hours=1)), at=again.at
    )
    second, slices = await forget(erasing, stores, again, request="r-1")
    assert (second, slices) == (first, [])
    assert (await stores.memory("m-9")).content
    with pytest.raises(RequestConflict):
        await erasing.put_tombstone(stores.tenant, A_MESSAGE, request="r-1", asked=b"another")
    third, _ = await forget(erasing, stores, again, request="r-2")
    assert third.rows == 2


async def test_what_a_crash_leaves_is_found_and_counted_in_all(erasing: ErasureStore, stores: Stores) -> None:
    """Also by another process, and without the request; who asks again under it is told so."""
    await say(stores, "m-1", "m-2", "m-3")
    assert await erasing.put_tombstone(stores.tenant, A_CONVERSATION, request="r-1") == A_CONVERSATION
    await erasing.erase(stores.tenant, A_CONVERSATION, Projection(), 1)
    assert await erasing.unfinished(stores.tenant, LATER) == []
    (left,) = await erasing.unfinished(stores.tenant, LATER + timedelta(minutes=1))
    assert left == A_CONVERSATION
    since = LATER + timedelta(hours=1)
    await stores.record(new_message("since", tenant=stores.tenant, timestamp=since), at=since)
    counts = await erase_all(erasing, stores, left)
    assert counts.rows == 6
    again = replace(A_CONVERSATION, at=since + timedelta(hours=1))
    assert await erasing.put_tombstone(stores.tenant, again, request="r-1") == counts
    assert await erasing.unfinished(stores.tenant, END_OF_TIME) == []
    assert (await stores.memory("since")).content


@pytest.mark.parametrize("what", [A_MESSAGE, A_CONVERSATION, A_USER], ids=lambda one: one.scope.value)
async def test_who_asks_again_while_it_is_under_way_asks_for_no_more(
    erasing: ErasureStore, stores: Stores, what: ErasureRequest
) -> None:
    await say(stores, "m-1", "m-2")
    await erasing.put_tombstone(stores.tenant, what, request="r-1")
    since = LATER + timedelta(hours=1)
    await stores.record(new_message("since", tenant=stores.tenant, timestamp=since), at=since)
    later = replace(what, at=since + timedelta(hours=1))
    assert await erasing.put_tombstone(stores.tenant, later, request="r-1") == what
    first, _ = await forget(erasing, stores, later, request="r-1")
    assert (await stores.memory("since")).content
    assert (await forget(erasing, stores, later, request="r-1"))[0] == first
    assert await erasing.put_tombstone(stores.tenant, later, request="r-2") == later, (
        "which means what came since"
    )


async def test_who_asked_before_is_told_by_the_erasure_of_what_was_buried_since(
    erasing: ErasureStore, stores: Stores
) -> None:
    """The end of the earlier one is no end; and what is kept of a request survives that of its user."""
    await say(stores, "m-1", "m-2")
    first = await erasing.put_tombstone(stores.tenant, A_USER, request="r-1")
    since = LATER + timedelta(hours=1)
    await stores.record(new_message("since", tenant=stores.tenant, timestamp=since), at=since)
    second = await erasing.put_tombstone(stores.tenant, replace(A_USER, at=since), request="r-2")
    assert isinstance(first, ErasureRequest)
    assert isinstance(second, ErasureRequest)
    await erase_all(erasing, stores, first)
    assert await erasing.unfinished(stores.tenant, END_OF_TIME) == [second]
    counts = await erase_all(erasing, stores, second)
    assert await erasing.unfinished(stores.tenant, END_OF_TIME) == []
    assert counts.rows == 6
    for request in ("r-1", "r-2"):
        assert (
            await erasing.put_tombstone(stores.tenant, replace(A_USER, at=since), request=request) == counts
        )


async def test_the_reason_of_a_dead_letter_goes_and_no_other(
    database: Database, erasing: ErasureStore, stores: Stores
) -> None:
    for sequence in (1, 2):
        await stores.life.record_dead_letter(stores.tenant, letter(stores, "m-9", sequence=sequence), kept)
    await erasing.put_tombstone(stores.tenant, A_USER)
    gone = letter(stores, "m-9", sequence=1)
    await erasing.count_dead_letter(
        stores.tenant, A_USER, DeadLetterPosition(gone.consumer, gone.subject, gone.sequence, "k-9")
    )
    assert (await rows_that_hold(database, stores, "m-9"))["dead_letters"] == 1
    assert (await rows_that_hold(database, stores, "k-9"))["discarded_objects"] == 1, "nobody ever read it"
    assert (await erasing.finish(stores.tenant, A_USER)).stream == 1


async def test_names_that_nobody_is_called_by_any_more_are_not_kept(
    database: Database, erasing: ErasureStore, stores: Stores
) -> None:
    """Of what a model has said, or is to be asked."""
    doubting = replace(stores, ledger=FactLedger(database, doubting=True))
    await say(stores, "m-1", "m-2")
    friend = tell(stores, "m-1", said("friend", "Nicola"))
    await learn(doubting, friend, tell(stores, "m-2", said("lives_in", "Bari", subject="Nico")))
    assert (await rows_that_hold(database, stores, "nico"))["identity_decisions"] == 1
    await forget(erasing, stores, A_MESSAGE)
    assert "identity_decisions" not in await rows_that_hold(database, stores, "nico")


async def test_where_the_graph_does_not_follow_nothing_is_erased(
    erasing: ErasureStore, stores: Stores
) -> None:
    await say(stores, "m-2")
    await learn(stores, tell(stores, "m-2", said("has_pet", "Max")))
    with pytest.raises(RuntimeError):
        await forget(erasing, stores, A_MESSAGE, projection=Projection(failing=RuntimeError()))
    assert (await stores.memory("m-2")).content
    assert (await forget(erasing, stores, A_MESSAGE))[0].graph == 1


async def test_who_erases_the_same_at_once_counts_it_once(erasing: ErasureStore, stores: Stores) -> None:
    names = [f"m-{n}" for n in range(12)]
    await say(stores, *names)
    await asyncio.gather(*(forget(erasing, stores, A_CONVERSATION, limit=2) for _ in range(4)))
    counts = await erasing.finish(stores.tenant, A_CONVERSATION)
    assert counts.rows == 2 * len(names)


async def test_of_whom_nothing_is_known_nothing_is_erased(erasing: ErasureStore, stores: Stores) -> None:
    await say(stores, "m-1", "m-2")
    for what in (A_MESSAGE, A_CONVERSATION, A_USER):
        stranger = replace(what, user_id="u-9", key=what.key.replace("u-1", "u-9"))
        assert (await forget(erasing, stores, stranger))[0] == ErasureCounts()
    assert (await stores.recollection.counts(stores.tenant, "u-1")).memories == 2


async def test_another_tenant_takes_nothing_away(erasing: ErasureStore, stores: Stores) -> None:
    await say(stores, "m-1", "m-2")
    await forget(erasing, stores.elsewhere(), A_USER)
    assert (await stores.recollection.counts(stores.tenant, "u-1")).memories == 2
