"""What `doctor` finds: one thing looked at, how it is, and what to do about it."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from enum import StrEnum


class State(StrEnum):
    """How a thing is."""

    WELL = "well"
    NOTED = "noted"
    """Worth knowing; nothing is wrong with it, or it could not be looked at from here."""
    DEGRADED = "degraded"
    """Answers come, but poorer ones."""
    MISSING = "missing"
    """Memories need it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what.
        state: how it is.
        detail: what was seen.
        advice: what to do about it; empty where nothing needs doing.
    """

    name: str
    state: State
    detail: str
    advice: str = ""

    def document(self) -> dict[str, object]:
        """Return it as a JSON object."""
        return asdict(self)


Check = Callable[[], Awaitable[list[Finding]]]


def well(name: str, detail: str) -> Finding:
    """Say that all is well."""
    return Finding(name, State.WELL, detail)


def missing(name: str, detail: str, advice: str) -> Finding:
    """Say that something is needed and not there."""
    return Finding(name, State.MISSING, detail, advice)
