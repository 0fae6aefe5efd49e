"""`ricordo auth server|add-bot|rotate|remove`: the users of NATS."""

from collections.abc import Collection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ricordo.client import InvalidRequest
from ricordo.client.addresses import checked_addresses
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import print_line, print_remark
from ricordo_services.stack.nats_access import AccessFolder, settings_of
from ricordo_services.stack.nats_users import AccessRefused, Tls, User, Users, everybody_but_bots

_ADDRESS: Final = "nats://127.0.0.1:4222"


def server(
    *,
    out: Path,
    tenants: list[str] | None = None,
    address: str | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    tls_ca: str | None = None,
) -> None:
    """Make the users of a server, or those that are missing, and what its configuration includes."""
    folder = AccessFolder(out)
    before = folder.read()
    former = before or Users(_place(_ADDRESS))
    place = former.address if address is None else _place(address)
    users = Users(place, _tls(tls_cert, tls_key, tls_ca) or former.tls, former.users)
    users, passwords = users.with_missing([*everybody_but_bots(), *map(_bot, tenants or ())])
    folder.write(users, passwords)
    _print_files(folder, passwords)
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
    folder = AccessFolder(out)
    before = folder.known()
    users, passwords = before.with_missing([_bot(tenant, name)])
    _write(folder, users, passwords, show)
    _advise(before.tenants != users.tenants)


def rotate(names: list[str] | None = None, *, out: Path, everybody: bool = False, show: bool = False) -> None:
    """Draw new passwords; the former ones are good until the server reads its configuration again."""
    if bool(names) == everybody:
        raise Misused("name the users whose passwords to draw anew, or all of them with --all")
    folder = AccessFolder(out)
    known = folder.known()
    chosen = [user.name for user in known.users] if everybody else names or ()
    _write(folder, *known.with_new_passwords(chosen), show)
    _advise(new_tenant=False)


def remove(name: str, *, out: Path) -> None:
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


def _write(folder: AccessFolder, users: Users, passwords: dict[str, str], show: bool) -> None:
    folder.write(users, passwords, shown=show)
    if not show or not passwords:
        _print_files(folder, passwords)
    for name, password in passwords.items() if show else ():
        print_line(settings_of(users, users.find(name), password).rstrip("\n"))


def _print_files(folder: AccessFolder, names: Collection[str]) -> None:
    for name in names:
        print_line(f"{name}: {folder.file_of(name)}")
    if not names:
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


def _tls(cert: str | None, key: str | None, ca: str | None) -> Tls | None:
    if cert is None and key is None and ca is None:
        return None
    if not cert or not key:
        raise Misused("--tls-cert and --tls-key go together, and --tls-ca with them")
    return Tls(cert, key, ca)
