"""What corrects what follows from the messages that there are: late ones, other words and erasures too."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import permutations

from tests.contract.store.conftest import waits_for_a_lock
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_erasure import A_MESSAGE, A_USER, forget
from tests.fixtures.eventually import eventually
from tests.fixtures.sentence_tables import table

from ricordo.memory.model import Progress
from ricordo.store.corrections import link_corrections, lock_corrections
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.intake import NewMessage

STORY = table(__file__, "story")
LINKED = {"m-3": "m-2", "m-4": "m-3"}


async def arrive(stores: Stores, *names: str) -> None:
    """Take messages in, and link them once all are there, as enrichment does."""
    for name in names:
        await stores.record(message(stores, name))
    await link(stores, names)


def message(stores: Stores, name: str) -> NewMessage:
    minute, conversation, content = STORY[name]
    return stores.message(name, minute=minute, content=content, conversation_id=conversation)


async def link(stores: Stores, names: Iterable[str]) -> Sequence[Progress]:
    """Link messages, and return the corrections that are to be read again."""
    async with linking(stores, names) as unread:
        return unread


@asynccontextmanager
async def linking(stores: Stores, names: Iterable[str]) -> AsyncIterator[Sequence[Progress]]:
    """Link messages in a transaction that is open while this is."""
    ids = [stores.id(name) for name in names]
    loaded = await stores.enrichments.load(stores.tenant, ids)
    messages = [(one.user_id, one.user_message) for one in loaded if one.user_message is not None]
    async with stores.transaction() as connection:
        users = sorted({user for user, _ in messages})
        await lock_corrections(connection, stores.tenant, users)
        yield await link_corrections(connection, stores.tenant, messages)


async def corrections(stores: Stores, names: Iterable[str] = tuple(STORY)) -> Mapping[str, str]:
    """Return what corrects what, once both ends have told the same."""
    by_id = {stores.id(name): name for name in names}
    found = await stores.queries.memories(stores.tenant, "u-1", list(by_id))
    forth = {by_id[one.id]: by_id[other] for one in found for other in one.corrects}
    back = {by_id[other]: by_id[one.id] for one in found for other in one.corrected_by}
    assert forth == back
    return forth


async def test_links_are_the_same_in_any_order_of_arrival(stores: Stores) -> None:
    for order in random.Random(3).sample(list(permutations(STORY)), 30):
        place = stores.another_tenant()
        for name in order:
            await arrive(place, name)
        assert await corrections(place) == LINKED, order
    together = stores.another_tenant()
    await arrive(together, *reversed(STORY))
    await link(together, STORY)
    assert await corrections(together) == LINKED


async def test_what_corrects_something_else_than_before_is_to_be_read_again(stores: Stores) -> None:
    await arrive(stores, "m-1", "m-3", "m-4")
    for name in ("m-1", "m-3", "m-4"):
        await learn(stores, extracted(stores, name))
    await stores.record(message(stores, "m-2"))
    unread = await link(stores, ["m-2"])
    assert sorted(str(one.message_id) for one in unread) == ["m-3", "m-4"], "and what corrects it"
    assert [one.extracted for one in unread] == [None, None]
    assert not await link(stores, ["m-2", "m-3"])
    ids = [stores.id("m-1"), stores.id("m-3")]
    assert list(await stores.ledger.evidence_of_memories(stores.tenant, ids)) == ids[:1]


async def test_what_was_read_before_it_was_linked_is_not_kept(stores: Stores) -> None:
    await stores.record(message(stores, "m-2"), message(stores, "m-3"))
    (early,) = await stores.ledger.load(stores.tenant, [stores.id("m-3")])
    assert early.put_right == ()
    await link(stores, ["m-3"])
    _, progress = await learn(stores, replace(extracted(stores, "m-3"), put_right=early.put_right))
    assert list(progress) == []
    found = await stores.ledger.load(stores.tenant, [stores.id("m-2")])
    assert [(one.message_id, one.put_right) for one in found] == [("m-2", ()), ("m-3", (STORY["m-2"][2],))]
    _, (read,) = await learn(stores, replace(extracted(stores, "m-3"), put_right=found[1].put_right))
    assert read.extracted is not None


async def test_who_links_while_facts_are_kept_has_them_read_again(stores: Stores) -> None:
    """No stage is set of what was read without the link, even if no event is ever heard of it."""
    await stores.record(message(stores, "m-2"), message(stores, "m-3"))
    early = replace(extracted(stores, "m-3"), put_right=())
    async with linking(stores, ["m-3"]):
        keeping = asyncio.create_task(learn(stores, early))
        await eventually(lambda: waits_for_a_lock(stores.fetch))
        assert not keeping.done(), "it waits for what this transaction makes of it"
    _, progress = await keeping
    assert list(progress) == []
    found = await stores.progress("m-3")
    assert found.extracted is None


async def test_who_keeps_facts_while_it_is_linked_has_them_read_again(stores: Stores) -> None:
    await stores.record(message(stores, "m-2"), message(stores, "m-3"))
    early = replace(extracted(stores, "m-3", claim("lives_in", "Rome")), put_right=())
    async with stores.transaction() as connection:
        await connection.execute("lock table facts in exclusive mode")
        keeping = asyncio.create_task(learn(stores, early))
        await eventually(lambda: waits_for_a_lock(stores.fetch))
        linked = asyncio.create_task(link(stores, ["m-3"]))
        await asyncio.wait([linked], timeout=0.3)
        assert not keeping.done()
    _, (kept,) = await keeping
    assert kept.extracted is not None
    await linked
    found = await stores.progress("m-3")
    assert found.extracted is None


async def test_rows_that_go_round_in_a_circle_end_somewhere(stores: Stores) -> None:
    await arrive(stores, "m-2", "m-3", "m-4")
    async with stores.transaction() as connection:
        await connection.execute(
            "insert into corrections (tenant, user_id, correcting_id, sent_at, corrected_id) "
            "values ($1, 'u-1', $2, now(), $3)",
            stores.tenant,
            stores.id("m-2"),
            stores.id("m-4"),
        )
    found = await stores.ledger.load(stores.tenant, [stores.id("m-2")])
    assert sorted(one.message_id for one in found) == ["m-2", "m-3", "m-4"]
    assert {len(one.put_right) for one in found} == {2}
    statements = [replace(extracted(stores, one.message_id), put_right=one.put_right) for one in found]
    assert len((await learn(stores, *statements))[1]) == 3


async def test_facts_that_a_correction_states_by_itself_do_not_count_as_erased(stores: Stores) -> None:
    await arrive(stores, "m-2", "m-3")
    await learn(
        stores,
        extracted(stores, "m-2", claim("has_pet", "Max")),
        extracted(stores, "m-3", claim("lives_in", "Rome"), claim("likes", "tea", position=9)),
    )
    counts, (first, *_) = await forget(stores, A_MESSAGE)
    assert [one.message_id for one in first.unread] == ["m-3"]
    assert counts.graph == 1
    assert await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1", history=True)) == []


async def test_what_is_forgotten_leaves_links_as_if_it_was_never_said(stores: Stores) -> None:
    await arrive(stores, *STORY)
    await forget(stores, A_MESSAGE)
    assert await corrections(stores) == {"m-3": "m-1", "m-4": "m-3"}
    await forget(stores, replace(A_MESSAGE, key="m-3"))
    assert await corrections(stores) == {}
    await forget(stores, A_USER)
    assert await stores.fetch("select count(*) from corrections") == [(0,)]


async def test_other_words_correct_something_else(stores: Stores) -> None:
    """What corrects something else than before is read again, with what corrects that in turn."""
    await arrive(stores, *STORY)
    for name in STORY:
        await learn(stores, extracted(stores, name))
    for name, words, linked, read_again in (
        ("m-2", "Il 13 maggio è il compleanno di Ada", {"m-3": "m-1", "m-4": "m-3"}, ["m-3", "m-4"]),
        ("m-3", "Ci vediamo là", {}, ["m-3", "m-4"]),
    ):
        await stores.execute("update memories set content = $1 where message_id = $2", words, name)
        assert sorted(str(one.message_id) for one in await link(stores, [name])) == read_again
        assert await corrections(stores) == linked


async def test_whom_a_ranking_moves_is_told_by_way_of_others_too(stores: Stores) -> None:
    await arrive(stores, *STORY)
    found = await stores.recalls.ranking_rows(stores.tenant, "u-1", [stores.id(one) for one in STORY], STORED)
    ranked = {one.id: list(one.corrected_by) for one in found if one.corrected_by}
    third, fourth = stores.id("m-3"), stores.id("m-4")
    assert ranked == {stores.id("m-2"): [fourth, third], third: [fourth]}
    await stores.execute("update memories set archived_at = now() where message_id = 'm-4'")
    found = await stores.recalls.ranking_rows(stores.tenant, "u-1", [stores.id("m-2"), third], STORED)
    assert {one.id: list(one.corrected_by) for one in found} == {stores.id("m-2"): [third], third: []}


async def test_nobody_corrects_somebody_else(stores: Stores) -> None:
    await stores.record(
        stores.message("m-1", minute=0, content="La visita è il 12"),
        stores.message("a-1", minute=1, content="Scusa, il 14 non il 12", role="assistant"),
        stores.message("m-2", minute=2, content="Scusa, il 14 non il 12", user_id="u-2"),
    )
    await link(stores, ("m-1", "a-1", "m-2"))
    assert await corrections(stores, ("m-1", "a-1", "m-2")) == {}
