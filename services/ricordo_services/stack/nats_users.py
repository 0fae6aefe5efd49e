"""Users of NATS: one for each worker, one or more for each tenant's bots, one for the operator.

Each tenant is an account of the server's own, into which the subjects of that tenant are imported and nothing
else. What a bot publishes elsewhere, subscribes to or names as the address of a reply stays in its account:
also where JetStream or a worker answers, who may do more than a bot. Their file has names, roles and hashes
of passwords, never a password.
"""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self

import bcrypt
from pydantic import TypeAdapter, ValidationError

from ricordo.bus.nats.permissions import GATEWAY
from ricordo.messages.routing import WORKERS
from ricordo.messages.subjects import InvalidSubject, checked_tenant

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
