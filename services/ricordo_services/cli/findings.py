"""What `doctor` finds: one thing looked at, how it is, and what to do about it."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from ricordo.settings import BusSettings


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


_GIVEN: Final = 0.75  # of what is free when NATS starts, which it then gives to streams: its default
_LAST: Final = "jetstream/*/streams/RICORDO_DLQ"
"""Where a stream is kept that NATS has room for after the large ones only."""
_ADVICE: Final = (
    "free some space there, choose another folder with --data-dir, or set RICORDO_BUS__INPUT_BYTES, "
    "RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES to less"
)


def told_room(data_dir: Path, needed: int) -> str:
    """Say how much is free where NATS keeps its streams, and how much would do.

    Args:
        data_dir: the folder of the stack.
        needed: bytes that all streams may take together.
    """
    return (
        f"its folder is {data_dir / 'nats'}, on a volume where {_free(data_dir) / 1e6:,.0f} MB are free and "
        f"{needed / _GIVEN / 1e6:,.0f} MB would do"
    )


def look_at_room(data_dir: Path, bus: BusSettings) -> list[Finding]:
    """Look whether `ricordo up` would find room there; silent where it would, or has its streams already."""
    needed = bus.input_bytes + bus.events_bytes + bus.dead_letter_bytes
    if any((data_dir / "nats").glob(_LAST)) or needed <= _GIVEN * _free(data_dir):
        return []
    told = f"the streams of NATS may take {needed / 1e6:,.0f} MB: {told_room(data_dir, needed)}"
    return [missing("room", told, _ADVICE)]


def _free(folder: Path) -> int:
    """Return the bytes that are free on the volume of `folder`, which may have to be made yet."""
    return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
