"""`ricordo auth|key|tools|mcp`: what bots, agents and assistants need to come in."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from rich.table import Table

from ricordo.client import InvalidRequest
from ricordo.client.addresses import checked_addresses
from ricordo.runtime.process import stop_on_signals
from ricordo_services.api_keys import ApiKey, KeyStore
from ricordo_services.cli.client_calls import SECONDS, Call, Option, checked_user
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.output import out_console, print_json, print_line, print_remark, print_text
from ricordo_services.stack import nats_access


def server(*, out: Path, **options: Option) -> None:
    """Make the users of a server, or those that are missing, and what its configuration includes."""
    folder = nats_access.AccessFolder(out)
    before = folder.read()
    former = before or nats_access.Users("127.0.0.1:4222")
    place = former.address if options["address"] is None else _place(options["address"])
    cert, key, ca = files = tuple(options[f"tls_{name}"] for name in ("cert", "key", "ca"))
    if any(file is not None for file in files) and not (cert and key):
        raise Misused("--tls-cert and --tls-key go together, and --tls-ca with them")
    tls = nats_access.Tls(cert, key, ca) if cert else former.tls
    wanted = (*nats_access.everybody_but_bots(), *map(_bot, options["tenants"] or ()))
    users, passwords = nats_access.Users(place, tls, former.users).with_missing(wanted)
    _write(folder, users, passwords)
    if before is not None and (before.address, before.tls) != (users.address, users.tls):
        print_remark(
            "the files of the users that were there name the former place: `ricordo auth rotate --all`"
        )
    included = f"{out.resolve().name}/{folder.configuration.name}"
    print_remark(f'the configuration of the NATS server, beside that folder, holds: include "{included}"')
    if before is not None:
        _advise(before.tenants != users.tenants)


def add_bot(tenant: str, *, out: Path, name: str | None = None, show: bool = False) -> None:
    """Make a user for a bot of a tenant; one that is there keeps its password."""
    folder = nats_access.AccessFolder(out)
    before = folder.known()
    users, passwords = before.with_missing([_bot(tenant, name)])
    _write(folder, users, passwords, shown=show)
    _advise(before.tenants != users.tenants)


def rotate(names: list[str] | None = None, *, out: Path, everybody: bool = False, show: bool = False) -> None:
    """Draw new passwords; the former ones are good until the server reads its configuration again."""
    if bool(names) == everybody:
        raise Misused("name the users whose passwords to draw anew, or all of them with --all")
    folder = nats_access.AccessFolder(out)
    known = folder.known()
    chosen = known.users if everybody else [known.find(name) for name in names or ()]
    _write(folder, *known.with_new_passwords(chosen), shown=show)
    _advise(new_tenant=False)


def remove(name: str, *, out: Path) -> None:
    """Take a bot's user away, and its file. The memories of the tenant stay."""
    folder = nats_access.AccessFolder(out)
    folder.write(folder.known().without(name), {})
    folder.file_of(name).unlink(missing_ok=True)
    print_line(f"{name} removed")
    _advise(new_tenant=False)


def _bot(tenant: str, name: str | None = None) -> nats_access.User:
    try:
        return nats_access.bot(tenant, name)
    except nats_access.AccessRefused as error:
        raise Misused(str(error)) from None


def _write(
    folder: nats_access.AccessFolder,
    users: nats_access.Users,
    passwords: dict[str, str],
    *,
    shown: bool = False,
) -> None:
    """Keep the users, and print the passwords, or the files that hold them."""
    folder.write(users, passwords, shown=shown)
    for name, password in passwords.items():
        if shown:
            print_line(nats_access.settings_of(users, users.find(name), password).rstrip("\n"))
        else:
            print_line(f"{name}: {folder.file_of(name)}")
    if not passwords:
        print_remark("nobody was missing: no password changed")


def _advise(new_tenant: bool) -> None:
    again = ", and again, since a tenant is new" if new_tenant else ""
    print_remark(f"have the server read its configuration: `nats-server --signal reload`{again}")


def _place(address: str) -> str:
    """Return the host and port of an address."""
    try:
        (server,) = checked_addresses(address)
    except InvalidRequest as error:
        raise Misused(f"--address: {error.message}") from None
    except ValueError:
        raise Misused("--address: name one server") from None
    place = urlsplit(server if "://" in server else f"nats://{server}")
    if "@" in place.netloc or place.path not in ("", "/"):
        raise Misused("--address: name host and port only; users are drawn by this command")
    return place.netloc if place.port is not None else f"{place.netloc}:4222"


@asynccontextmanager
async def _keys(call: Call) -> AsyncIterator[tuple[KeyStore, str]]:
    """Yield the keys, and the tenant."""
    target = call.target
    async with target.connection() as connection:
        yield KeyStore(connection.client.jetstream(timeout=SECONDS)), target.tenant


async def create(call: Call, name: str, *, user: str | None = None) -> None:
    """Make a key, and print it; it is not kept, and cannot be printed again."""
    if not name.strip():
        raise Misused("NAME must not be blank: `ricordo key list` shows keys by their names")
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


def tools(*, format: Literal["openai", "anthropic", "json"] = "openai") -> None:  # noqa: A002 - the name of the option
    """Print the definitions of the tools for agents."""
    from ricordo.integrations.tool_table import DefinitionFormat, tool_definitions  # noqa: PLC0415 - slow to load

    definitions = tool_definitions(DefinitionFormat(format))
    print_line(json.dumps(definitions, ensure_ascii=False, indent=2))


async def mcp(call: Call, *, user: str) -> None:
    """Serve the memory of a user over standard input and output, until the input ends."""
    if importlib.util.find_spec("mcp") is None:
        raise Misused("MCP is not installed: install the extra, with `pip install 'ricordo[gateway]'`")
    checked_user(user)
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        async with call.client() as client:
            from ricordo_services.mcp_server.server import serve_stdio  # noqa: PLC0415 - takes a second to load

            await serve_stdio(client, user, stopping)
