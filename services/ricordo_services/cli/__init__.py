"""The command line, `ricordo`: runs servers and workers, and calls them as a bot would."""

import gc
import importlib.util
import signal
import sys
from types import FrameType
from typing import Final, NoReturn

_NEEDED: Final = ("typer", "rich")
_INTERRUPTED: Final = 130
_TERMINATED: Final = 143


def main() -> NoReturn:
    """Run `ricordo` with the arguments of this process, and end it with 0 (done), 1 (failed) or 2 (usage)."""
    gc.set_threshold(100_000, 20, 50)  # collecting while modules load takes a sixth of the time of a start
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"ricordo: this needs {' and '.join(missing)}: run  pip install '.[local]'  in a checkout",
            file=sys.stderr,
        )
        sys.exit(1)
    terminated: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does, so that servers are stopped and the command reports its progress."""
        terminated.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # it is ignored, as in the background of a shell
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, terminate)
    try:
        # A base install, which holds the client only, must get as far as the sentence above.
        from ricordo_services.cli.application import run  # noqa: PLC0415

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command was loading
        print("ricordo: interrupted", file=sys.stderr)
        code = _INTERRUPTED
    sys.exit(_TERMINATED if terminated and code == _INTERRUPTED else code)
