"""Users of NATS: one for each worker, one or more for each tenant's bots, one for the operator.

Each tenant is an account of the server's own, into which the subjects of that tenant are imported and nothing
else. What a bot publishes elsewhere, subscribes to or names as the address of a reply stays in its account:
also where JetStream or a worker answers, who may do more than a bot. Their folder holds what the server
includes, settings for each user, and a file with names, roles and hashes of passwords, never a password.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

import bcrypt
from pydantic import TypeAdapter, ValidationError

from ricordo.bus.nats.permissions import GATEWAY, inbox_of_worker, of_worker
from ricordo.messages.routing import (
    WORKERS,
    Permissions,
    bot_permissions,
    bot_services,
    bot_subjects,
    most_replies,
)
from ricordo.messages.subjects import PREFIX, InvalidSubject, checked_tenant, every_tenant
from ricordo_services import private_files as private

USERS_FILE: Final = "users.json"
OPERATOR: Final = "operator"
_PASSWORD_BYTES: Final = 24
# What is drawn from 192 bits cannot be guessed however fast: a moderate cost keeps the server's processor
# free when a hundred clients reconnect at once.
_COST: Final = 8
_BOT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)


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
    of: str
    hash: str = ""

    @classmethod
    def bot(cls, tenant: str, name: str | None = None) -> Self:
        """Return a bot of `tenant`, which may have several.

        Raises:
            AccessRefused: an impossible tenant or name.
        """
        try:
            checked_tenant(tenant)
        except InvalidSubject as error:
            raise AccessRefused(str(error)) from None
        if name is not None and _BOT.fullmatch(name) is None:
            raise AccessRefused(
                f"{name[:80]!r} is no name of a bot: use 1 to 63 of a-z, 0-9 and -, not - first"
            )
        return cls(f"bot-{tenant}" if name is None else f"bot-{tenant}.{name}", UserRole.BOT, tenant)

    @classmethod
    def worker(cls, worker: str) -> Self:
        """Return the user of `worker`."""
        return cls(f"worker-{worker}", UserRole.WORKER, worker)


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of an encrypted server.

    Attributes:
        ca: the certificate that clients check it by, where they see it; None where their system knows it.
    """

    cert: str
    key: str
    ca: str | None = None


@dataclass(frozen=True, slots=True)
class Users:
    """All users of a server.

    Attributes:
        tls: how it is encrypted; None where it is not.
    """

    address: str
    tls: Tls | None = None
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
        raise AccessRefused(
            f"there is no user {name[:80]!r}; there are {', '.join(u.name for u in self.users)}"
        )

    def with_missing(self, wanted: Iterable[User]) -> tuple["Users", dict[str, str]]:
        """Return all users and those of `wanted` that are missing, and the passwords drawn for these."""
        known = {user.name for user in self.users}
        fresh = [user for user in dict.fromkeys(wanted) if user.name not in known]
        drawn = {user.name: draw() for user in fresh}
        hashed = tuple(replace(user, hash=hashed_by_bcrypt(drawn[user.name])) for user in fresh)
        return replace(self, users=(*self.users, *hashed)), drawn

    def with_new_passwords(self, names: Iterable[str]) -> tuple["Users", dict[str, str]]:
        """Return all users, and the passwords drawn anew for those called `names`.

        Raises:
            AccessRefused: one of them is none.
        """
        drawn = {self.find(name).name: draw() for name in names}
        changed = tuple(
            replace(user, hash=hashed_by_bcrypt(drawn[user.name])) if user.name in drawn else user
            for user in self.users
        )
        return replace(self, users=changed), drawn

    def without(self, name: str) -> "Users":
        """Return all users but the bot called `name`.

        Raises:
            AccessRefused: it is none.
        """
        if self.find(name).role is not UserRole.BOT:
            raise AccessRefused(f"{name} is no bot: workers and the operator are always there")
        return replace(self, users=tuple(user for user in self.users if user.name != name))

    def written(self) -> str:
        """Return the text of the file."""
        return _FILE.dump_json(self, indent=1).decode() + "\n"

    @staticmethod
    def read(text: str) -> "Users":
        """Read the text of the file.

        Raises:
            AccessRefused: it is none.
        """
        try:
            return _FILE.validate_json(text)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise AccessRefused(f"{USERS_FILE} cannot be read: {reason}") from None


_FILE: Final = TypeAdapter(Users)


def everybody_but_bots() -> tuple[User, ...]:
    """Return the users that every server has."""
    return (User(OPERATOR, UserRole.OPERATOR, ""), *(User.worker(worker) for worker in (*WORKERS, GATEWAY)))


def draw() -> str:
    """Return a password: letters, digits, - and _ only, since it stands in an address."""
    return secrets.token_urlsafe(_PASSWORD_BYTES)


def hashed_by_bcrypt(password: str) -> str:
    """Return the hash of a password in the form that the server reads."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(_COST, prefix=b"2a")).decode()


ACCOUNT: Final = "RICORDO"
"""Where workers, the operator and all streams are; no tenant's name, since these hold no capitals."""
_TENANT_AT: Final = PREFIX.count(".") + 2  # the token of a subject that names the tenant, counted from 1
_HEAD: Final = """\
# Written by `ricordo auth`, which replaces it: change nothing here. To be included by the configuration of
# the NATS server, which names no other users. It holds hashes of passwords, no password.
"""
CONFIGURATION_FILE: Final = "ricordo-users.conf"


def configuration(users: Users) -> str:
    """Return the part of the server's configuration that says who may do what, and how it is encrypted."""
    accounts = {
        ACCOUNT: _of_ricordo(users),
        **{tenant: _of_tenant(users, tenant) for tenant in users.tenants},
    }
    text = f"{_HEAD}accounts: {json.dumps(accounts, indent=1)}\n"
    if users.tls is not None:
        text += f"tls: {json.dumps({'cert_file': users.tls.cert, 'key_file': users.tls.key})}\n"
    return text


def _of_ricordo(users: Users) -> Mapping[str, object]:
    """Return the account of the workers. The server refuses the account of a tenant what is another's."""
    exports: list[Mapping[str, object]] = [
        {"service": every_tenant(name), "account_token_position": _TENANT_AT, "response_type": response}
        for name, response in bot_services().items()
    ]
    exports += [{"stream": subject, "account_token_position": _TENANT_AT} for subject in bot_subjects("*")]
    ours = [user for user in users.users if user.role is not UserRole.BOT]
    return {"jetstream": "enabled", "users": [_user(user) for user in ours], "exports": exports}


def _of_tenant(users: Users, tenant: str) -> Mapping[str, object]:
    imports = [
        *_imported("service", (every_tenant(name).replace("*", tenant, 1) for name in bot_services())),
        *_imported("stream", bot_subjects(tenant)),
    ]
    bots = [user for user in users.users if user.role is UserRole.BOT and user.of == tenant]
    return {"users": [_user(user) for user in bots], "imports": imports}


def _imported(kind: str, subjects: Iterable[str]) -> Iterator[Mapping[str, object]]:
    for subject in subjects:
        yield {kind: {"account": ACCOUNT, "subject": subject}}


def _user(user: User) -> Mapping[str, object]:
    signs_in = {"user": user.name, "password": user.hash}
    match user.role:
        case UserRole.OPERATOR:
            return signs_in
        case UserRole.WORKER:
            # In its account all requests come from an operator, or from a tenant by way of the server, which
            # then names the address of the reply.
            answers = {"allow_responses": {"max": most_replies(user.of), "expires": "2m"}}
            return {**signs_in, "permissions": {**_said(of_worker(user.of)), **answers}}
        case UserRole.BOT:
            # The inbox of any client is heard by the bots of the same account only.
            allowed = bot_permissions(user.of)
            return {
                **signs_in,
                "permissions": _said(Permissions(allowed.publish, ("_INBOX.>", *allowed.subscribe))),
            }


def _said(permissions: Permissions) -> dict[str, object]:
    return {"publish": list(permissions.publish), "subscribe": list(permissions.subscribe)}


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
            return Users.read(self._users.read_text(encoding="utf-8"))
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
        """Keep the users and the files of those who got a password.

        Args:
            shown: whether the passwords are shown instead, and kept nowhere.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, password in drawn.items():
            if shown:
                self.file_of(name).unlink(missing_ok=True)
            else:
                private.write(self.file_of(name), settings_of(users, users.find(name), password))
        private.write(self._users, users.written())
        private.write(self.configuration, configuration(users))

    def file_of(self, name: str) -> Path:
        """Return the file that holds the address and the password of a user."""
        return self.path / f"{name}.env"


def settings_of(users: Users, user: User, password: str) -> str:
    """Return the settings by which a process signs in as `user`, a line each."""
    return "".join(f"{line}\n" for line in _settings(users, user, password))


def _settings(users: Users, user: User, password: str) -> Iterator[str]:
    scheme, ca = ("nats", None) if users.tls is None else ("tls", users.tls.ca)
    url = f"{scheme}://{user.name}:{password}@{users.address}"
    if user.role is not UserRole.BOT:
        yield f"RICORDO_BUS__URL={url}"
        if ca is not None:
            yield f"RICORDO_BUS__TLS_CA={ca}"
    if user.role is UserRole.WORKER:
        yield f"RICORDO_BUS__INBOX_PREFIX={inbox_of_worker(user.of)}"
        return
    yield f"RICORDO_NATS_URL={url}"
    if ca is not None:
        yield f"RICORDO_NATS_CA={ca}"
