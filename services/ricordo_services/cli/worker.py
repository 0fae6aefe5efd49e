"""`ricordo worker`: what the containers run."""

import asyncio
from collections.abc import Callable
from typing import Annotated

import structlog
import typer

from ricordo.runtime.process import stopped_by_signals
from ricordo.runtime.waiting import unless
from ricordo.settings import Settings
from ricordo_services import wiring
from ricordo_services.cli.configuration import check_health_page, read_settings, set_up_logs
from ricordo_services.cli.globals import said_before
from ricordo_services.cli.local import check_names
from ricordo_services.cli.servers import checked_url

_log = structlog.stdlib.get_logger(__name__)

Names = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Which ones; each once.", show_default=False)
]


async def worker(context: typer.Context, names: Names) -> None:
    """Run workers against servers that settings name."""
    check_names(names)
    wanted = tuple(names)
    settings = _at(context, read_settings())
    set_up_logs(settings)
    await check_health_page(settings.worker)
    stopping = asyncio.Event()
    with stopped_by_signals(stopping):
        await unless(stopping, wiring.prepare(settings))
        if not stopping.is_set():
            await wiring.run_workers(settings, wanted, stopping=stopping, on_ready=_told(wanted))


def _told(names: tuple[str, ...]) -> Callable[[], None]:
    return lambda: _log.info("ready", workers=", ".join(names))


def _at(context: typer.Context, settings: Settings) -> Settings:
    outer = said_before(context)
    if outer.nats is None:
        return settings
    return settings.model_copy(
        update={"bus": settings.bus.model_copy(update={"url": checked_url(outer.nats, "--nats")})}
    )
