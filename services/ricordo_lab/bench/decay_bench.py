"""Measures a pass that archives the faded of very many memories: the first, and an idle one."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Final

from ricordo.clock import SystemClock
from ricordo.settings import Settings
from ricordo_lab.bench.measurement import Options, Report, Stopwatch, rounded
from ricordo_lab.bench.system import scratch
from ricordo_services.app import jobs, passes
from ricordo_services.app.resources import Resources
from ricordo_services.stack import LocalStack
from ricordo_services.stack.endpoints import local_settings

_MEMORIES: Final = 1_000_000
_AT_ONCE: Final = 50_000
_EACH: Final = 10_000  # memories of a user
_TENANT: Final = "bench"
_NOW: Final = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
_PASSES: Final[Mapping[str, datetime]] = {
    "the first: archives a sixth": _NOW,
    "once more: nothing": _NOW,
}

_KNOWN: Final = "insert into tenants (tenant) values ($1)"
# Stored 8 to 367 days ago; arousal and importance follow from the number.
_REMEMBERED: Final = """
insert into memories (tenant, id, user_id, message_id, conversation_id, content, role, created_at, stored_at,
                      arousal, importance)
select $1, gen_random_uuid(), 'user-' || n / $4::integer, 'm-' || n, 'c-' || n / 100,
       'On that day we spoke of the garden, of what grows in it, and of who would come to help, number ' || n,
       'user', at, at, n % 4 / 4.0, n % 5 / 5.0
from (select n, $5::timestamptz - (8 + n % 360) * interval '1 day' as at
      from generate_series($2::integer, $3::integer - 1) as n) as said
"""


async def decay(options: Options, report: Report) -> None:
    """Measure a pass over a million memories, and one that has nothing to do."""
    number = options.messages or _MEMORIES
    found = []
    with scratch() as folder:
        async with LocalStack.open(folder) as stack:
            settings = local_settings(stack.endpoints, options.settings)
            await jobs.prepare(settings)
            filling = Stopwatch()
            with filling:
                await _fill(settings, number)
            for name, now in _PASSES.items():
                done = await passes.run_pass(settings, "decay", now=now)
                counts = {"examined": done.examined, "archived": done.archived}
                found.append({"pass": name, **counts, "seconds": rounded(done.seconds)})
                report({"bench": "decay", **found[-1]})
    report(
        {
            "bench": "decay",
            "memories": number,
            "filled_in_s": rounded(filling.seconds),
            **{name: [one[name] for one in found] for name in ("archived", "seconds")},
            "examined_per_second": [rounded(number / max(float(str(one["seconds"])), 1e-3)) for one in found],
        }
    )


async def _fill(settings: Settings, number: int) -> None:
    async with AsyncExitStack() as exits:
        database = await Resources(settings, SystemClock(), exits).database()
        async with database.unscoped() as connection:
            await connection.execute(_KNOWN, _TENANT)
        for start in range(0, number, _AT_ONCE):
            async with database.transaction(_TENANT) as connection:
                end = min(number, start + _AT_ONCE)
                await connection.execute(_REMEMBERED, _TENANT, start, end, _EACH, _NOW)
