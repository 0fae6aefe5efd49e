"""The folder of the users: what the server includes, what remembers them, and a file of settings for each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ricordo.bus.nats.permissions import inbox_of_worker
from ricordo_services import private_files as private
from ricordo_services.stack.nats_users.server_configuration import configuration
from ricordo_services.stack.nats_users.users import USERS_FILE, AccessRefused, User, UserRole, Users

CONFIGURATION_FILE: Final = "ricordo-users.conf"


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
