"""A worker that is killed in the middle of decay: the next one goes on, and comes to the same."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import pytest
from tests.contract.store.passes import Emitted
from tests.contract.store.stores import Stores
from tests.fixtures.eventually import eventually

from ricordo.system_clock import SystemClock
from ricordo_services.lifecycle.passes import DecayPass, PassRunner

NOW = datetime.now(UTC).replace(hour=12)
DAY = timedelta(days=1)
SLICES = 2
FILL = """
insert into memories (tenant, id, user_id, conversation_id, content, role, created_at, stored_at, arousal,
                      importance)
select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'u-' || n % 7, 'c', 'x', 'user', at,
       at, n % 4 / 4.0, n % 5 / 5.0
from (select n, $2::timestamptz - n % 400 * interval '1 day' as at
      from generate_series(1, $3::integer) as n) as said
"""
STATE = "select id, decay_factor, archived_at, archive_reason from memories order by id"
WORKER = """
import asyncio, sys
from datetime import datetime, timedelta
from ricordo.system_clock import SystemClock
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.pass_store import PassLocks, PassRuns, RetentionStore
from ricordo_services.lifecycle.passes import DecayPass, PassRunner

dsn, tenant, now = sys.argv[1:]

class OneTenant:
    async def tenants(self):
        return [tenant]

class Stuck:
    told = 0
    async def emit(self, tenant, events):
        self.told += 1
        if self.told == 2:  # between a slice that is written and the note of it
            print("stuck", flush=True)
            await asyncio.Event().wait()

async def main():
    async with Database.connect(dsn, size=2) as database:
        work = DecayPass(LifecycleStore(database), RetentionStore(database), Stuck())
        runs, locks = PassRuns(database), PassLocks(dsn)
        made = PassRunner(work=work, life=OneTenant(), runs=runs, locks=locks, clock=SystemClock())
        await made.run_if_due(datetime.fromisoformat(now), timedelta(days=1))

asyncio.run(main())
"""


class OneTenant:
    """Knows one tenant."""

    def __init__(self, tenant: str) -> None:
        self._tenant = tenant

    async def tenants(self) -> list[str]:
        return [self._tenant]


def decaying(stores: Stores) -> PassRunner:
    return PassRunner(
        work=DecayPass(stores.lifecycle, stores.retention, Emitted()),
        life=OneTenant(stores.tenant),
        runs=stores.pass_runs,
        locks=stores.pass_locks,
        clock=SystemClock(),
    )


async def filled(stores: Stores) -> None:
    await stores.execute(FILL, stores.tenant, NOW, SLICES * 10_000 - 5_000)


@pytest.mark.slow
async def test_who_is_killed_between_slices_is_made_up_for(stores: Stores) -> None:
    undisturbed = stores.another_tenant()
    for one in (stores, undisturbed):
        await filled(one)
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WORKER, stores.dsn, stores.tenant, NOW.isoformat()),
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert await worker.stdout.readline() == b"stuck\n"
    assert await decaying(stores).run_if_due(NOW, DAY) is None  # it has not ended
    worker.kill()
    await worker.wait()

    async def free() -> bool:
        async with stores.pass_locks.acquire("decay") as is_alone:
            return is_alone

    await eventually(free)
    rest = await decaying(stores).run_if_due(NOW + timedelta(minutes=1), DAY)
    assert rest is not None
    assert 0 < rest.examined < SLICES * 10_000 - 5_000, "it went on, and did not begin anew"
    await decaying(undisturbed).run_if_due(NOW, DAY)
    assert await stores.fetch(STATE) == await undisturbed.fetch(STATE)
