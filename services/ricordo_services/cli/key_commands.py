"""`ricordo key create|list|revoke`: the API keys of the gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict

from rich.table import Table

from ricordo_services.api_keys import ApiKey, KeyStore
from ricordo_services.cli.client_calls import SECONDS, Call, checked_user
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.output import out_console, print_json, print_line, print_remark, print_text


@asynccontextmanager
async def _keys(call: Call) -> AsyncIterator[tuple[KeyStore, str]]:
    """Yield the keys, and the tenant."""
    target = call.target
    async with target.connection() as connection:
        yield KeyStore(connection.client.jetstream(timeout=SECONDS)), target.tenant


async def create(call: Call, name: str, *, user: str | None = None) -> None:
    """Make a key, and print it; it is not kept, and cannot be printed again."""
    if user is not None:
        checked_user(user)
    async with _keys(call) as (keys, tenant):
        key, text = await keys.create(tenant, user, name)
    if call.as_json:
        print_json({**_shown(key), "key": text})
        return
    print_line(text)
    bound = f"of user {user} in tenant {tenant}" if user else f"of all users of tenant {tenant}"
    print_remark(f"key {key.id} {bound}; keep it, it is not shown again")


async def list_(call: Call) -> None:
    """List the keys of a tenant, without their texts."""
    async with _keys(call) as (keys, tenant):
        found = await keys.all(tenant)
    if call.as_json:
        for key in found:
            print_json(_shown(key))
        return
    if not found:
        print_text(f"Tenant {tenant} has no keys; `ricordo key create NAME` makes one.")
        return
    table = Table("id", "name", "user", "created", box=None, header_style="bold")
    for key in found:
        table.add_row(key.id, key.name, key.user_id or "all", key.created_at)
    out_console().print(table)


async def revoke(call: Call, key_id: str) -> None:
    """Revoke a key; gateways refuse it within five seconds."""
    async with _keys(call) as (keys, tenant):
        if not await keys.revoke(tenant, key_id):
            raise Failed(f"tenant {tenant} has no key {key_id}; `ricordo key list` shows those there are")
    print_text(f"Revoked key {key_id}.")


def _shown(key: ApiKey) -> dict[str, object]:
    return {name: value for name, value in asdict(key).items() if name != "hash"}
