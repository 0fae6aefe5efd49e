"""What is left of a conversation whose sessions were summed up in part."""

from datetime import timedelta

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.contract.store.test_stages import SETTERS

from ricordo.memory.sessions import SILENCE
from ricordo.store.database import Database
from ricordo.store.session_store import SessionStore, SummaryPlan
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("more", [True, False])
async def test_what_a_crash_leaves_is_due_at_once_where_it_is_over(
    database: Database, stores: Stores, *, more: bool
) -> None:
    """Who sums up several sessions of a conversation does so one by one."""
    sessions, whose = SessionStore(database), (stores.tenant, "u-1", "c-1")
    messages = [new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(90 * n)) for n in range(2)]
    await stores.record(*messages, at=STORED)
    for setter in SETTERS.values():
        await setter(stores, [one.message_id for one in messages], STORED)
    await sessions.end(*whose, at(1), STORED)
    (due,) = await sessions.due(stores.tenant, STORED, SILENCE, user_id=None, limit=9)
    first, second = (await sessions.load(stores.tenant, MODEL, due, STORED, SILENCE)).sessions
    assert first.over
    left = SummaryPlan(rest=second.place, more=more)
    assert await sessions.summarise(stores.tenant, due, left, STORED) is not None
    found = await sessions.due(stores.tenant, STORED + timedelta(minutes=1), SILENCE, user_id=None, limit=9)
    assert [one.since for one in found] == [second.place] * more
