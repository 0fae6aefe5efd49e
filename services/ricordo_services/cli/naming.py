"""How this command was called, so that the commands it advises can be typed as they stand."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

NAME: Final = "ricordo"
_TYPED: Final = re.compile(rf"`((?:RICORDO_\S+ )*){NAME} ")
"""The beginning of a command, behind settings that may stand before it."""


def program() -> str:
    """Return what to type to call this again: `ricordo`, or its path where a shell knows no such name."""
    called = Path(sys.argv[0]) if sys.argv else Path()
    if called.name != NAME:
        return NAME
    here = called.absolute()
    found = shutil.which(NAME)
    try:
        if found is not None and here.samefile(found):
            return NAME
        return shlex.quote(str(here.relative_to(Path.cwd())))
    except (ValueError, OSError):
        return shlex.quote(str(here))


def named(text: str) -> str:
    """Return `text`, whose commands stand between backticks, with them as they can be typed here."""
    return _TYPED.sub(lambda found: f"`{found[1]}{program()} ", text)
