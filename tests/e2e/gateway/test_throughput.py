"""An operator who looks sees how fast messages are worked on and remembered."""

from tests.fixtures.gateway import GatewayAccess, remember
from tests.fixtures.wire import Json, msg, wait_for

CONSUMERS = ("ingest", "encode", "enrichment", "index", "knowledge")


async def test_while_somebody_looks_it_is_sampled(gateway: GatewayAccess) -> None:
    _, key = await gateway.keys.create(gateway.tenant, None, "desk", operator=True)
    async with gateway.client(key) as http:

        async def look() -> Json:
            found: Json = (await http.get("/v1/operations")).json()
            return found

        first = await look()
        assert [one for one in first["findings"] if one["state"] == "missing"] == []
        await wait_for(look, lambda found: len(found["latency_ms"]) >= 1, within=30)
        await remember(http, *(msg(f"m-{n}", f"Vivo a Trieste da {n} anni.") for n in range(10)))

        def is_seen(found: Json) -> bool:
            rates = {one["name"]: one["messages_per_second"] for one in found["consumers"]}
            return all(max(rates[name]) > 0 for name in CONSUMERS) and any(found["latency_ms"])

        seen = await wait_for(look, is_seen, within=30)
        assert max(seen["remembered_per_second"]) > 0  # of all tenants: others may speak meanwhile
        assert 0 < max(time or 0 for time in seen["latency_ms"]) < 60_000
        lengths = {len(one["messages_per_second"]) for one in seen["consumers"]}
        assert lengths == {len(seen["latency_ms"])} == {len(seen["remembered_per_second"])}
