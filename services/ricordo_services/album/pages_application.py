"""Loads NiceGUI and all pages, and mounts them on the gateway's application."""

from importlib import import_module
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from nicegui import core, nicegui, ui

from ricordo.client import NotFound
from ricordo_services.album import sockets
from ricordo_services.album.undo import undo_all
from ricordo_services.album.visit import Visit, page

_FAVICON: Final = Path(__file__).parent / "static" / "icon.svg"
_PATH: Final = "/album"
_LOOKS_EVERY_S: Final = 10.0
"""For pages whose session has ended."""


_PAGES: Final = (
    "back chat graph journey kept live memory operations people search sleep take timeline today users"
)
"""Modules that register pages."""


def mount(app: FastAPI) -> None:
    """Mount all pages at `/album`; NiceGUI has one application a process, which is configured once."""
    for name in _PAGES.split():
        import_module(f"ricordo_services.album.pages.{name}")
    if core.app.config.has_run_config:
        app.mount(_PATH, core.app)
        return
    ui.run_with(
        app,
        title="Ricordo",
        favicon=_FAVICON,
        dark=None,
        reconnect_timeout=10.0,
        gzip_middleware_factory=None,
        mount_path=_PATH,
        tailwind=False,
        show_welcome_message=False,
    )


async def _nothing(_: Visit) -> None:
    raise NotFound("there is no such page")


async def start() -> None:
    """Begin to serve pages in this event loop."""
    sockets.guard()
    # The gateway runs without ASGI's lifespan, whose part this is.
    await nicegui._startup()  # noqa: SLF001
    core.app.timer(_LOOKS_EVERY_S, sockets.close_ended)
    page("/{rest:path}", "nothing")(_nothing)  # behind all other routes


async def stop() -> None:
    """Drop what waits to be undone, which then has not happened, and end all pages."""
    undo_all()
    await nicegui._shutdown()  # noqa: SLF001
