"""Users of NATS: one for each worker, one or more for each tenant's bots, one for the operator.

Each tenant is an account of the server's own, into which the subjects of that tenant are imported and nothing
else. What a bot publishes elsewhere, subscribes to or names as the address of a reply stays in its account:
also where JetStream or a worker answers, who may do more than a bot. Their folder holds what the server
includes, settings for each user, and a file with names, roles and hashes of passwords, never a password.
"""

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import bcrypt
from pydantic import TypeAdapter, ValidationError

from ricordo.bus.nats.permissions import GATEWAY, inbox_of_worker, of_worker
from ricordo.messages import routing
from ricordo.messages.subjects import PREFIX, InvalidSubject, checked_tenant, every_tenant
from ricordo_services import private_files as private

USERS_FILE: Final = "users.json"
OPERATOR: Final = "operator"
_PASSWORD_BYTES: Final = 24
# What is drawn from 192 bits cannot be guessed however fast: a moderate cost keeps the server's processor
# free when a hundred clients reconnect at once.
_COST: Final = 8
_BOT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)
ACCOUNT: Final = "RICORDO"
"""Where workers, the operator and all streams are; no tenant's name, since these hold no capitals."""
_TENANT_AT: Final = PREFIX.count(".") + 2  # the token of a subject that names the tenant, counted from 1
_HEAD: Final = """\
# Written by `ricordo auth`, which replaces it: change nothing here. To be included by the configuration of
# the NATS server, which names no other users. It holds hashes of passwords, no password.
"""
CONFIGURATION_FILE: Final = "ricordo-users.conf"


class AccessRefused(Exception):
    """What was asked for cannot be done; the message says why and what to do about it."""


class UserRole(StrEnum):
    """What a user is for."""

    OPERATOR = "operator"
    WORKER = "worker"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class User:
    """A user of the server."""

    name: str
    role: UserRole
    of: str  # the worker, or the tenant of a bot; empty for the operator
    hash: str = ""


def everybody_but_bots() -> tuple[User, ...]:
    """Return the users that every server has."""
    workers = (User(f"worker-{worker}", UserRole.WORKER, worker) for worker in (*routing.WORKERS, GATEWAY))
    return (User(OPERATOR, UserRole.OPERATOR, ""), *workers)


def bot(tenant: str, name: str | None = None) -> User:
    """Return a bot of `tenant`, which may have several.

    Raises:
        AccessRefused: an impossible tenant or name.
    """
    try:
        checked_tenant(tenant)
    except InvalidSubject as error:
        raise AccessRefused(str(error)) from None
    if name is not None and _BOT.fullmatch(name) is None:
        raise AccessRefused(f"{name[:80]!r} is no name of a bot: use 1 to 63 of a-z, 0-9 and -, not - first")
    return User(f"bot-{tenant}" if name is None else f"bot-{tenant}.{name}", UserRole.BOT, tenant)


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of an encrypted server."""

    cert: str
    key: str
    ca: str | None = None  # what clients check it by, where they see it; None where their system knows it


@dataclass(frozen=True, slots=True)
class Users:
    """All users of a server."""

    address: str
    tls: Tls | None = None  # how it is encrypted; None where it is not
    users: tuple[User, ...] = ()

    @property
    def tenants(self) -> tuple[str, ...]:
        """Those with bots."""
        return tuple(dict.fromkeys(user.of for user in self.users if user.role is UserRole.BOT))

    def find(self, name: str) -> User:
        """Return the user called `name`.

        Raises:
            AccessRefused: there is none.
        """
        for user in self.users:
            if user.name == name:
                return user
        names = ", ".join(user.name for user in self.users)
        raise AccessRefused(f"there is no user {name[:80]!r}; there are {names}")

    def with_missing(self, wanted: Iterable[User]) -> tuple["Users", dict[str, str]]:
        """Return all users and those of `wanted` that are missing, and the passwords drawn for these."""
        known = {user.name for user in self.users}
        return self.with_new_passwords([user for user in wanted if user.name not in known])

    def with_new_passwords(self, chosen: Sequence[User]) -> tuple["Users", dict[str, str]]:
        """Return all users and `chosen`, and the passwords drawn for these."""
        # Letters, digits, - and _ only, since a password stands in an address.
        drawn = {user.name: secrets.token_urlsafe(_PASSWORD_BYTES) for user in chosen}
        users = {user.name: user for user in (*self.users, *chosen)}
        for name, password in drawn.items():
            hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(_COST, prefix=b"2a")).decode()
            users[name] = replace(users[name], hash=hashed)
        return replace(self, users=tuple(users.values())), drawn

    def without(self, name: str) -> "Users":
        """Return all users but the bot called `name`.

        Raises:
            AccessRefused: it is none.
        """
        if self.find(name).role is not UserRole.BOT:
            raise AccessRefused(f"{name} is no bot: workers and the operator are always there")
        return replace(self, users=tuple(user for user in self.users if user.name != name))


_FILE: Final = TypeAdapter(Users)


def configuration(users: Users) -> str:
    """Return the part of the server's configuration that says who may do what, and how it is encrypted.

    The server refuses the account of a tenant what is another's.
    """
    services = {every_tenant(name): response for name, response in routing.bot_services().items()}
    exports: list[Mapping[str, object]] = [
        {"service": subject, "account_token_position": _TENANT_AT, "response_type": response}
        for subject, response in services.items()
    ]
    streams = routing.bot_subjects("*")
    exports += [{"stream": subject, "account_token_position": _TENANT_AT} for subject in streams]
    ours = [_signs_in(user) for user in users.users if user.role is not UserRole.BOT]
    accounts: dict[str, object] = {ACCOUNT: {"jetstream": "enabled", "users": ours, "exports": exports}}
    for tenant in users.tenants:
        bots = [user for user in users.users if user.role is UserRole.BOT and user.of == tenant]
        subjects = [("service", subject.replace("*", tenant, 1)) for subject in services]
        subjects += [("stream", subject) for subject in routing.bot_subjects(tenant)]
        imports = [{kind: {"account": ACCOUNT, "subject": subject}} for kind, subject in subjects]
        accounts[tenant] = {"users": [_signs_in(user) for user in bots], "imports": imports}
    text = f"{_HEAD}accounts: {json.dumps(accounts, indent=1)}\n"
    if users.tls is not None:
        text += f"tls: {json.dumps({'cert_file': users.tls.cert, 'key_file': users.tls.key})}\n"
    return text


def _signs_in(user: User) -> Mapping[str, object]:
    signs_in = {"user": user.name, "password": user.hash}
    if user.role is UserRole.OPERATOR:
        return signs_in
    is_bot = user.role is UserRole.BOT
    allowed = routing.bot_permissions(user.of) if is_bot else of_worker(user.of)
    permissions: dict[str, object] = {"publish": list(allowed.publish), "subscribe": list(allowed.subscribe)}
    if is_bot:  # the inbox of any client is heard by the bots of the same account only
        permissions["subscribe"] = ["_INBOX.>", *allowed.subscribe]
    else:
        # In its account all requests come from an operator, or from a tenant by way of the server, which
        # then names the address of the reply.
        permissions["allow_responses"] = {"max": routing.most_replies(user.of), "expires": "2m"}
    return {**signs_in, "permissions": permissions}


class AccessFolder:
    """A folder of the operator's, which others cannot look into."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.configuration = path / CONFIGURATION_FILE
        self._users = path / USERS_FILE

    def read(self) -> Users | None:
        """Return the users; None where there are none yet.

        Raises:
            AccessRefused: their file is gone or damaged, so that all would get new passwords.
        """
        try:
            return _FILE.validate_json(self._users.read_text(encoding="utf-8"))
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise AccessRefused(f"{USERS_FILE} cannot be read: {reason}") from None
        except FileNotFoundError:
            if self.configuration.exists():
                raise AccessRefused(
                    f"{self._users} is missing beside {self.configuration.name}: bring it back, or name "
                    "another folder to make all users anew"
                ) from None
            return None

    def known(self) -> Users:
        """Return the users.

        Raises:
            AccessRefused: there are none.
        """
        users = self.read()
        if users is None:
            raise AccessRefused(f"{self.path} holds no users: `ricordo auth server` makes them")
        return users

    def write(self, users: Users, drawn: Mapping[str, str], *, shown: bool = False) -> None:
        """Keep the users, and the passwords in files, unless they are `shown` and kept nowhere."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, password in drawn.items():
            if shown:
                self.file_of(name).unlink(missing_ok=True)
            else:
                private.write(self.file_of(name), settings_of(users, users.find(name), password))
        private.write(self._users, _FILE.dump_json(users, indent=1).decode() + "\n")
        private.write(self.configuration, configuration(users))

    def file_of(self, name: str) -> Path:
        """Return the file that holds the address and the password of a user."""
        return self.path / f"{name}.env"


def settings_of(users: Users, user: User, password: str) -> str:
    """Return the settings by which a process signs in as `user`, a line each."""
    scheme, ca = ("nats", None) if users.tls is None else ("tls", users.tls.ca)
    url = f"{scheme}://{user.name}:{password}@{users.address}"
    bus = {"RICORDO_BUS__URL": url, "RICORDO_BUS__TLS_CA": ca}
    client = {"RICORDO_NATS_URL": url, "RICORDO_NATS_CA": ca}
    settings = {
        UserRole.OPERATOR: {**bus, **client},
        UserRole.WORKER: {**bus, "RICORDO_BUS__INBOX_PREFIX": inbox_of_worker(user.of)},
        UserRole.BOT: client,
    }[user.role]
    return "".join(f"{name}={value}\n" for name, value in settings.items() if value is not None)
