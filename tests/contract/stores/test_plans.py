"""Every statement looks its rows up by key from the first row on, under row-level security too.

A plan made while a table is small is kept while it grows: one that reads all rows of the tenant for each row
that it looks for makes the first minute of an import quadratic.
"""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from uuid import UUID

import pytest
from tests.contract.stores.conftest import Dsns

from ricordo.adapters.postgres.database import Database
from ricordo.adapters.postgres.migrate import migrate
from ricordo.adapters.postgres.queries import blocks

pytestmark = pytest.mark.integration

_SAMPLES: dict[str, object] = {
    "bool": False,
    "bytea": b"",
    "float8": 1.0,
    "int4": 5,
    "int8": 5,
    "jsonb": "[]",
    "text": "x",
    "timestamptz": datetime(2026, 1, 1, tzinfo=UTC),
    "uuid": UUID(int=1),
}
_WHOLE = re.compile(
    r"Seq Scan on (?!tenants)"
    r"|Index Cond: \(tenant = [^)]*\)$"
    r"|Index Cond: .*\(user_id = .*\(id = (ANY|[a-z]+\.)"  # all that a user has, for a few ids
    r"|Index Cond: \(\(tenant = [^)]*\) AND \(model = [^)]*\)\)$"  # all vectors of a model
)


@pytest.fixture(scope="module")
def dsns(new_database: Callable[[], Dsns]) -> Dsns:
    """Return a database of its own: empty, and never analysed, as on the first day."""
    found = new_database()
    asyncio.run(migrate(found.admin))
    return found


def _sample(type_name: str) -> object:
    plain = type_name.removesuffix("[]").removeprefix("_")
    return _SAMPLES[plain] if plain == type_name else [_SAMPLES[plain]]


@pytest.mark.parametrize("file", ["intake", "projection", "facts", "life", "recollection", "stages", "links"])
async def test_by_key(database: Database, file: str) -> None:
    reading = []
    for name, query in blocks(file).items():
        async with database.transaction("x") as connection:
            await connection.execute("set local plan_cache_mode = force_generic_plan")
            parameters = (await connection.prepare(query)).get_parameters()
            plan = await connection.fetch(f"explain {query}", *(_sample(one.name) for one in parameters))
        lines = [row[0] for row in plan]
        reading += [
            (name, line.strip())
            for before, line in pairwise(["", *lines])
            if _WHOLE.search(line) and "on embedding_models" not in before  # a row for each model: no more
        ]
    assert reading == []
