"""The servers that the shared fixture starts."""

import asyncpg
import nats
import neo4j

from ricordo_services.stack import Endpoints


async def test_every_server_answers(stack: Endpoints) -> None:
    client = await nats.connect(stack.nats_url)
    assert (await client.jetstream().account_info()).api.total >= 0
    await client.close()

    worker = await asyncpg.connect(stack.postgres_dsn)
    assert await worker.fetchval("SELECT current_user::text") == stack.postgres_worker_role
    await worker.close()

    credentials = (stack.bolt_user, stack.bolt_password)
    async with neo4j.AsyncGraphDatabase.driver(stack.bolt_url, auth=credentials) as driver:
        found = await driver.execute_query("RETURN 1 AS one", database_=stack.bolt_database)
        assert found.records[0]["one"] == 1
