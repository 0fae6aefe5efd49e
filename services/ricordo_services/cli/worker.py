"""`ricordo worker`: what the containers run."""

import asyncio
from typing import Annotated

import typer

from ricordo.runtime.process import stopped_by_signals
from ricordo.runtime.waiting import unless
from ricordo.settings import Settings
from ricordo_services import wiring
from ricordo_services.cli.configuration import read_settings, set_up_logs
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.globals import Globals

Names = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Which ones; each once.", show_default=False)
]


async def worker(context: typer.Context, names: Names) -> None:
    """Run workers against servers that settings name."""
    wanted = tuple(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in wiring.WORKERS]:
        raise Misused(f"there is no worker {', '.join(unknown)}: choose from {', '.join(wiring.WORKERS)}")
    settings = _at(context, read_settings())
    set_up_logs(settings)
    stopping = asyncio.Event()
    with stopped_by_signals(stopping):
        await unless(stopping, wiring.prepare(settings))
        await wiring.run_workers(settings, wanted, stopping=stopping)


def _at(context: typer.Context, settings: Settings) -> Settings:
    outer = context.find_object(Globals) or Globals()
    if outer.nats is None:
        return settings
    return settings.model_copy(update={"bus": settings.bus.model_copy(update={"url": outer.nats})})
