"""`ricordo lifecycle run`: the passes that let memories fade and keep them in order."""

import asyncio
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Final

import typer
from pydantic_core import PydanticCustomError

from ricordo.messages.base import parse_instant
from ricordo.ports.clock import Clock
from ricordo_services import wiring
from ricordo_services.cli.catalogue import NOT_YET
from ricordo_services.cli.configuration import keep_logs_quiet
from ricordo_services.cli.failures import Misused, guarded
from ricordo_services.cli.groups import group
from ricordo_services.cli.later import PASSES, NotYet
from ricordo_services.cli.options import DataDir
from ricordo_services.cli.output import print_json, print_line
from ricordo_services.cli.stores import named_stores

DECAY: Final = "decay"

app = group("Run the passes that let memories fade and keep them in order.")


@app.command("run")
@guarded
async def run(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(metavar="PASS", help=f"{DECAY}; {', '.join(PASSES)} {NOT_YET}", show_default=False),
    ],
    *,
    now: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="Decay as if it were then, with an offset.", show_default=False),
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="ID", help="This user's memories only.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a pass.")] = False,
) -> None:
    """Run a pass now and say what it did."""
    if name in PASSES:
        raise NotYet(f"ricordo lifecycle run {name}", "0.6", f"`ricordo lifecycle run {DECAY}` works")
    if name != DECAY:
        raise Misused(f"there is no pass {name}: choose from {DECAY}, {', '.join(PASSES)}")
    keep_logs_quiet()
    summary = await wiring.run_decay(named_stores(context, data_dir), user, clock=_clock(now))
    counts = asdict(summary)
    counts = {"pass": counts.pop("name"), **counts}
    if as_json:
        print_json(counts)
    else:
        print_line("  ".join(f"{key} {_short(value)}" for key, value in counts.items()))


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A clock that stands at one instant, for a pass that is run as if it were then."""

    instant: datetime

    def now(self) -> datetime:
        """Return the instant."""
        return self.instant

    def monotonic(self) -> float:
        """Return seconds that go on."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for real."""
        await asyncio.sleep(seconds)


def _clock(now: str | None) -> Clock | None:
    if now is None:
        return None
    try:
        return _Moment(parse_instant(now))
    except PydanticCustomError as error:
        raise Misused(f"--now {error.message()}") from None
