"""`ricordo auth|key|tools|mcp`: what bots, agents and assistants need to come in."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import typer
from rich.table import Table

from ricordo.client import InvalidRequest
from ricordo.client.addresses import checked_addresses
from ricordo.runtime.process import stop_on_signals
from ricordo_services.api_keys import ApiKey, KeyStore, KeyUse
from ricordo_services.cli.album_command import AsOperator, check_whose
from ricordo_services.cli.client_calls import SECONDS, BusCall, Call, checked_user
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.options import (
    OnlyUser,
    ServerOptions,
    Texts,
    User,
    argument,
    flag,
    option,
    repeated,
    reworded,
)
from ricordo_services.cli.output import out_console, print_json, print_line, print_remark, print_text
from ricordo_services.stack import nats_access

Folder = Annotated[Path, option("DIR", "Folder of the users.", "--out")]
_USES: Final[Mapping[KeyUse, str]] = {"api": "programs", "session": "a browser", "link": "one sign-in"}
ShowFlag = Annotated[bool, flag("--show", "Print the settings instead of writing a file.")]


def auth() -> None:
    """Create the users of NATS: one per worker, and one per bot of a tenant.

    `server` writes a folder: a file that the configuration of the NATS server includes, and for each user
    a file of settings with its password, of mode 0600. The bots of a tenant reach its memories only. The
    local stack does not need it.

    Examples:
        ricordo auth server --out users --tenant acme --address nats://bus.example:4222
        ricordo auth add-bot acme --name telegram --out users
        ricordo auth rotate bot-acme --out users
        ricordo auth remove bot-acme.telegram --out users
    """


def server(
    *,
    out: Folder,
    tenants: Annotated[Texts, repeated("NAME", "Tenant that gets a bot", "--tenant")] = None,
    address: Annotated[str | None, option("URL", "For clients. Default: nats://127.0.0.1:4222.")] = None,
    tls_cert: Annotated[str | None, option("FILE", "Its certificate, as a path on the server.")] = None,
    tls_key: Annotated[str | None, option("FILE", "Key of the certificate, as a path on the server.")] = None,
    tls_ca: Annotated[str | None, option("FILE", "CA certificate, as a path on the clients.")] = None,
) -> None:
    """Create the missing users of a server, and the file that its configuration includes."""
    folder = nats_access.AccessFolder(out)
    before = folder.read()
    former = before or nats_access.Users("127.0.0.1:4222")
    place = former.address if address is None else _place(address)
    if (tls_cert, tls_key, tls_ca) != (None, None, None) and not (tls_cert and tls_key):
        raise Misused("--tls-cert and --tls-key go together, and --tls-ca with them")
    tls = nats_access.Tls(tls_cert, tls_key, tls_ca) if tls_cert and tls_key else former.tls
    wanted = (*nats_access.everybody_but_bots(), *map(_bot, tenants or ()))
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


def add_bot(
    tenant: Annotated[str, argument("TENANT", "Tenant of the bot.")],
    *,
    out: Folder,
    name: Annotated[str | None, option("NAME", "Name of a further bot of the tenant.")] = None,
    show: ShowFlag = False,
) -> None:
    """Create a user for a bot of a tenant; an existing one keeps its password."""
    folder = nats_access.AccessFolder(out)
    before = folder.known()
    users, passwords = before.with_missing([_bot(tenant, name)])
    _write(folder, users, passwords, shown=show)
    _advise(before.tenants != users.tenants)


def rotate(
    names: Annotated[Texts, argument("USER...", "Users to change.")] = None,
    *,
    out: Folder,
    everybody: Annotated[bool, flag("--all", "All users.")] = False,
    show: ShowFlag = False,
) -> None:
    """Create new passwords; the old ones work until the server reloads its configuration."""
    if bool(names) == everybody:
        raise Misused("name the users whose passwords to draw anew, or all of them with --all")
    folder = nats_access.AccessFolder(out)
    known = folder.known()
    chosen = known.users if everybody else [known.find(name) for name in names or ()]
    _write(folder, *known.with_new_passwords(chosen), shown=show)
    _advise(new_tenant=False)


def remove(name: Annotated[str, argument("USER", "User of a bot.")], *, out: Folder) -> None:
    """Remove the user of a bot and its file. The memories of the tenant stay."""
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


def key(servers: ServerOptions) -> None:
    """Make, list and revoke keys for HTTP.

    Examples:
        ricordo key create my-bot
        ricordo key create phone --user davide
        ricordo key create desk --operator
        ricordo key list
        ricordo key revoke 1f0c9a2b3d4e
    """


@asynccontextmanager
async def _keys(call: Call) -> AsyncIterator[tuple[KeyStore, str]]:
    """Yield the keys, and the tenant."""
    target = call.target
    async with target.connection() as connection:
        yield KeyStore(connection.client.jetstream(timeout=SECONDS)), target.tenant


async def create(
    call: Call,
    name: Annotated[str, argument("NAME", "What it is for.")],
    *,
    user: OnlyUser = None,
    operator: AsOperator = False,
) -> None:
    """Make a key of the tenant, or of one user of it, and print it once."""
    if not name.strip():
        raise Misused("NAME must not be blank: `ricordo key list` shows keys by their names")
    check_whose(user, operator=operator)
    async with _keys(call) as (keys, tenant):
        key, text = await keys.create(tenant, user, name, operator=operator)
    if call.as_json:
        print_json({**_shown(key), "key": text})
        return
    print_line(text)
    bound = f"of user {user} in tenant {tenant}" if user else f"of all users of tenant {tenant}"
    print_remark(f"key {key.id} {bound}; keep it, it is not shown again")


async def list_(call: Annotated[Call, reworded(as_json="Print one JSON object per key.")]) -> None:
    """List the keys of the tenant, and the browsers that are signed in to the album."""
    async with _keys(call) as (keys, tenant):
        found = await keys.all(tenant)
    if call.as_json:
        for key in found:
            print_json(_shown(key))
        return
    if not found:
        print_text(f"Tenant {tenant} has no keys; `ricordo key create NAME` makes one.")
        return
    table = Table("id", "name", "for", "user", "rights", "created", "expires", box=None, header_style="bold")
    for key in found:
        use, rights = _USES[key.use], "operator" if key.operator else "user"
        expires = key.expires_at or "never"
        table.add_row(key.id, key.name, use, key.user_id or "all", rights, key.created_at, expires)
    out_console().print(table)


async def revoke(
    call: BusCall, key_id: Annotated[str, argument("ID", "Id of the key: `ricordo key list` shows it.")]
) -> None:
    """Revoke a key, or sign a browser out: it is refused within five seconds."""
    async with _keys(call) as (keys, tenant):
        if not await keys.revoke(tenant, key_id):
            raise Failed(f"tenant {tenant} has no key {key_id}; `ricordo key list` shows those there are")
    print_text(f"Revoked key {key_id}.")


def _shown(key: ApiKey) -> dict[str, object]:
    return {name: value for name, value in asdict(key).items() if name != "hash"}


def tools(
    *,
    format: Annotated[Literal["openai", "anthropic", "json"], typer.Option(help="For this API.")] = "openai",  # noqa: A002 - the name of the option
) -> None:
    """Print the definitions of the tools for agents, as JSON. No server is needed.

    For a program that calls a language model by itself; `ricordo.integrations.tool_table` calls a tool.

    Examples:
        ricordo tools
        ricordo tools --format anthropic
    """
    from ricordo.integrations.tool_table import DefinitionFormat, tool_definitions  # noqa: PLC0415 - slow to load

    definitions = tool_definitions(DefinitionFormat(format))
    print_line(json.dumps(definitions, ensure_ascii=False, indent=2))


async def mcp(call: BusCall, *, user: User) -> None:
    """Serve the memory of one user to an assistant, by MCP on standard input and output.

    Assistants such as Claude, Cursor and VS Code start it by themselves. Needs the extra `gateway`.

    Examples:
        ricordo mcp --user davide
        ricordo mcp --user davide --tenant acme --nats nats://127.0.0.1:4222
    """
    if importlib.util.find_spec("mcp") is None:
        raise Misused("MCP is not installed: install the extra, with `pip install 'ricordo[gateway]'`")
    checked_user(user)
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        async with call.client() as client:
            from ricordo_services.mcp_server.server import serve_stdio  # noqa: PLC0415 - takes a second to load

            await serve_stdio(client, user, stopping)
