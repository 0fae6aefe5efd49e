"""A finding of `doctor`: what was checked, its state, and what to do; and the check of disk space."""

import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from ricordo.settings import BusSettings


class State(StrEnum):
    """The state of what was checked."""

    WELL = "well"
    NOTED = "noted"
    """Information; nothing is wrong, or it could not be checked from here."""
    DEGRADED = "degraded"
    """It works, with poorer answers."""
    MISSING = "missing"
    """Required, and not there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    state: State
    detail: str
    advice: str = ""


def well(name: str, detail: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(name, State.WELL, detail)


def missing(name: str, detail: str, advice: str) -> Finding:
    """Return a finding of something required that is not there."""
    return Finding(name, State.MISSING, detail, advice)


_GIVEN: Final = 0.75  # of what is free when NATS starts, which it then gives to streams: its default
_LAST: Final = "jetstream/*/streams/RICORDO_DLQ"
"""The folder of the stream that is created last."""
_ADVICE: Final = (
    "free some space there, choose another folder with --data-dir, or set RICORDO_BUS__INPUT_BYTES, "
    "RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES to less"
)


def describe_room(data_dir: Path, needed: int) -> str:
    """Describe the free space for the streams of NATS, and what is needed.

    Args:
        needed: bytes that all streams may take together.
    """
    return (
        f"its folder is {data_dir / 'nats'}, on a volume where {_free(data_dir) / 1e6:,.0f} MB are free and "
        f"{needed / _GIVEN / 1e6:,.0f} MB would do"
    )


def check_room(data_dir: Path, bus: BusSettings) -> list[Finding]:
    """Check that `ricordo up` has room for its streams; nothing if it has, or if they exist already."""
    needed = bus.input_bytes + bus.events_bytes + bus.dead_letter_bytes
    if any((data_dir / "nats").glob(_LAST)) or needed <= _GIVEN * _free(data_dir):
        return []
    told = f"the streams of NATS may take {needed / 1e6:,.0f} MB: {describe_room(data_dir, needed)}"
    return [missing("room", told, _ADVICE)]


def _free(folder: Path) -> int:
    """Return the free bytes on the volume of `folder`, which need not exist."""
    return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
