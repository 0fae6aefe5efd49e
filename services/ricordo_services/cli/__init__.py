"""The command line, `ricordo`: it starts what remembers, and speaks to it as any bot would."""

import importlib.util
import sys
from typing import Final, NoReturn

_NEEDED: Final = ("typer", "rich")


def main() -> NoReturn:
    """Run `ricordo` with the arguments of this process, and end it with 0 (done), 1 (failed) or 2 (usage)."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"ricordo: the command line needs {' and '.join(missing)}: run  pip install 'ricordo[local]'",
            file=sys.stderr,
        )
        sys.exit(1)
    try:
        # A base install, which holds the client only, must get as far as the sentence above.
        from ricordo_services.cli.app import run  # noqa: PLC0415

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # while the command was loading
        print("ricordo: interrupted", file=sys.stderr)
        sys.exit(130)
