"""The folder of the users of NATS: what the server includes, what remembers them, and settings for each."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from ricordo.bus.nats.permissions import inbox_of_worker, of_worker
from ricordo.messages.routing import Permissions, bot_permissions, bot_services, bot_subjects, most_replies
from ricordo.messages.subjects import PREFIX, every_tenant
from ricordo_services import private_files as private
from ricordo_services.stack.nats_users import USERS_FILE, AccessRefused, User, UserRole, Users

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
