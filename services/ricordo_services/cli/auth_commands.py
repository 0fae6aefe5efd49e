"""`ricordo auth server|add-bot|rotate|remove`: the users of NATS."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from ricordo.client import InvalidRequest
from ricordo.client.addresses import checked_addresses
from ricordo_services.cli.command_options import NoColor, argument, flag, forbid_color, option
from ricordo_services.cli.failures import Misused, guarded
from ricordo_services.cli.output import err_console, print_line
from ricordo_services.stack.nats_users.users import AccessRefused, Tls, User, Users, everybody_but_bots
from ricordo_services.stack.nats_users.users_folder import AccessFolder, settings_of

app = typer.Typer(rich_markup_mode=None)

_ADDRESS: Final = "nats://127.0.0.1:4222"

Out = Annotated[Path, option("--out", "DIR", "The folder of the users.")]
Show = Annotated[bool, flag("--show", "Print the settings once instead of leaving them in a file.")]


@app.callback()
def auth(no_color: NoColor = False) -> None:
    """Make the users of NATS: each worker and each tenant's bots may do what they need, and no more."""
    if no_color:
        forbid_color()


@app.command("server")
@guarded
def server(
    out: Out,
    *,
    tenants: Annotated[
        list[str] | None, option("--tenant", "NAME", "One with a bot; as often as needed.")
    ] = None,
    address: Annotated[
        str | None, option("--address", "URL", f"Address of the server for clients. Default: {_ADDRESS}.")
    ] = None,
    tls_cert: Annotated[
        str | None, option("--tls-cert", "FILE", "The server's certificate, where it sees it.")
    ] = None,
    tls_key: Annotated[str | None, option("--tls-key", "FILE", "The key of the certificate.")] = None,
    tls_ca: Annotated[
        str | None, option("--tls-ca", "FILE", "What clients check the certificate by, where they see it.")
    ] = None,
) -> None:
    """Make the users of a server, or those that are missing, and what its configuration includes."""
    folder = AccessFolder(out)
    before = folder.read()
    users = _placed(before or Users(_place(_ADDRESS)), address, _tls(tls_cert, tls_key, tls_ca))
    wanted = [*everybody_but_bots(), *map(_bot, tenants or ())]
    users, drawn = users.with_missing(wanted)
    folder.write(users, drawn)
    _tell(folder, drawn)
    if before is not None and (before.address, before.tls) != (users.address, users.tls):
        err_console().print(
            "the files of the users that were there name the former place: `ricordo auth rotate --all`"
        )
    place = f"{out.resolve().name}/{folder.configuration.name}"
    err_console().print(f'the configuration of the NATS server, beside that folder, holds: include "{place}"')
    if before is not None:
        _advise(before.tenants != users.tenants)


@app.command("add-bot")
@guarded
def add_bot(
    tenant: Annotated[str, argument("TENANT", "Whose memories.")],
    out: Out,
    *,
    name: Annotated[str | None, option("--name", "NAME", "Of one more bot of that tenant.")] = None,
    show: Show = False,
) -> None:
    """Make a user for a bot of a tenant; one that is there keeps its password."""
    folder = AccessFolder(out)
    before = folder.known()
    users, drawn = before.with_missing([_bot(tenant, name)])
    _keep(folder, users, drawn, show)
    _advise(before.tenants != users.tenants)


@app.command("rotate")
@guarded
def rotate(
    names: Annotated[list[str] | None, argument("USER...", "Whose.")] = None,
    *,
    out: Out,
    everybody: Annotated[bool, flag("--all", "All users.")] = False,
    show: Show = False,
) -> None:
    """Draw new passwords; the former ones are good until the server reads its configuration again."""
    if bool(names) == everybody:
        raise Misused("name the users whose passwords to draw anew, or all of them with --all")
    folder = AccessFolder(out)
    users = folder.known()
    users, drawn = users.with_new_passwords([user.name for user in users.users] if everybody else names or ())
    _keep(folder, users, drawn, show)
    _advise(new_tenant=False)


@app.command("remove")
@guarded
def remove(name: Annotated[str, argument("USER", "A bot's user.")], out: Out) -> None:
    """Take a bot's user away, and its file. The memories of the tenant stay."""
    folder = AccessFolder(out)
    folder.write(folder.known().without(name), {})
    folder.file_of(name).unlink(missing_ok=True)
    print_line(f"{name} removed")
    _advise(new_tenant=False)


def _bot(tenant: str, name: str | None = None) -> User:
    try:
        return User.bot(tenant, name)
    except AccessRefused as error:
        raise Misused(str(error)) from None


def _keep(folder: AccessFolder, users: Users, drawn: dict[str, str], show: bool) -> None:
    folder.write(users, drawn, shown=show)
    if not show or not drawn:
        _tell(folder, drawn)
    for name, password in drawn.items() if show else ():
        print_line(settings_of(users, users.find(name), password).rstrip("\n"))


def _tell(folder: AccessFolder, drawn: Collection[str]) -> None:
    for name in drawn:
        print_line(f"{name}: {folder.file_of(name)}")
    if not drawn:
        err_console().print("nobody was missing: no password changed")


def _advise(new_tenant: bool) -> None:
    again = ", and again, since a tenant is new" if new_tenant else ""
    err_console().print(f"have the server read its configuration: `nats-server --signal reload`{again}")


def _placed(users: Users, address: str | None, tls: Tls | None) -> Users:
    return Users(users.address if address is None else _place(address), tls or users.tls, users.users)


def _place(address: str) -> str:
    """Return the host and port of an address."""
    try:
        (one,) = checked_addresses(address)
    except InvalidRequest as error:
        raise Misused(f"--address: {error.message}") from None
    except ValueError:
        raise Misused("--address: name one server") from None
    place = urlsplit(one if "://" in one else f"nats://{one}")
    if "@" in place.netloc or place.path not in ("", "/"):
        raise Misused("--address: name host and port only; users are drawn by this command")
    return place.netloc if place.port is not None else f"{place.netloc}:4222"


def _tls(cert: str | None, key: str | None, ca: str | None) -> Tls | None:
    if cert is None and key is None and ca is None:
        return None
    if not cert or not key:
        raise Misused("--tls-cert and --tls-key go together, and --tls-ca with them")
    return Tls(cert, key, ca)
