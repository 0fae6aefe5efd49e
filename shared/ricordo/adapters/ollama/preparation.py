"""Having a model fetched and loaded, beside whatever asks it meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog

from ricordo.adapters.ollama.server import OllamaServer, connect
from ricordo.ports.models import ModelUnavailable

_LOADING_S: Final = 300.0  # until a model is in memory, and between two signs of progress of a pull

_log = structlog.stdlib.get_logger(__name__)


class Preparation:
    """Fetches a model where it is missing, and has it loaded.

    Args:
        server: waits long enough for both.
        model: its name there.
        pull: fetch a missing model.
        window: tokens that the model is to have room for; another number would load it anew.
    """

    def __init__(
        self, server: OllamaServer, model: str, *, pull: bool = True, window: int | None = None
    ) -> None:
        self._server = server
        self._model = model
        self._pull = pull
        self._window = window
        self._task: asyncio.Task[None] | None = None
        self._trouble = ""

    def begin(self) -> None:
        """Begin, unless that is going on."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._prepare())

    async def finished(self) -> None:
        """Wait until what goes on has come to its end, be it a good one."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """End what goes on."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _prepare(self) -> None:
        try:
            if self._pull and not await self._server.has(self._model):
                _log.info("pulling a model", model=self._model)
                await self._server.pull(self._model)
            await self._server.load(self._model, self._window)
        except ModelUnavailable as error:
            if str(error) != self._trouble:  # told once, not at every question
                self._trouble = str(error)
                _log.warning("model could not be loaded", model=self._model, error=str(error))
        else:
            self._trouble = ""


@asynccontextmanager
async def preparing(
    url: str, model: str, *, pull: bool = True, window: int | None = None
) -> AsyncIterator[Preparation]:
    """Begin to prepare `model` on the server at `url`, for the length of an `async with`."""
    async with connect(url, _LOADING_S) as server:
        preparation = Preparation(server, model, pull=pull, window=window)
        preparation.begin()
        try:
            yield preparation
        finally:
            await preparation.close()
