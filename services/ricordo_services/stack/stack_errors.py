"""Errors of the local stack; each message says what to do."""


class StackError(Exception):
    """Base class; raised itself where the package of a server is not installed."""


class FolderRefused(StackError):
    """The data folder cannot be used as it stands: in use, too new, damaged or full."""


class BackupRefused(StackError):
    """A backup is damaged, or made by a version that this one cannot follow; nothing was changed."""


class ServerFailed(StackError):
    """A server did not start, or kept ending."""

    def __init__(self, server: str, reason: str, log_tail: str = "") -> None:
        tail = f"\n--- last lines of its log ---\n{log_tail}" if log_tail else ""
        super().__init__(f"{server}: {reason}{tail}")
