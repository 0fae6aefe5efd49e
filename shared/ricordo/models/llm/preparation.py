"""Pulls and loads models in the background."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog

from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.models.llm.ollama_server import OllamaServer, connect

_LOG_EVERY: Final = 10  # percent of a pull
_LOADING_S: Final = 300.0  # to load a model, and between two progress reports of a pull

_log = structlog.stdlib.get_logger(__name__)


class Preparation:
    """Pulls a model if it is missing, and loads it.

    Args:
        load: load it; an embedding model is loaded by its first texts.
        pause: seconds after a failure before another attempt.
    """

    def __init__(
        self,
        server: OllamaServer,
        model: str,
        *,
        pull: bool = True,
        load: bool = True,
        window: int | None = None,
        pause: float = 0.0,
    ) -> None:
        self._server = server
        self._model = model
        self._pull = pull
        self._load = load
        self._window = window
        self._pause = pause
        self._failed_at = float("-inf")
        self._percent: int | None = None
        self._logged = 0
        self._task: asyncio.Task[None] | None = None
        self._error = ""
        self._slow: ModelSlow | None = None

    @property
    def progress(self) -> str:
        """The progress or the failure, as a part of a sentence; empty for neither."""
        if self._percent is not None:
            return f"it is being pulled, {self._percent} %"
        return f"and it could not be pulled: {self._error}" if self._error else ""

    @property
    def pulls(self) -> bool:
        """Whether the model is being pulled."""
        return self._percent is not None

    def begin(self) -> None:
        """Begin, unless it runs or has just failed."""
        if time.monotonic() - self._failed_at < self._pause:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._prepare())

    async def finished(self) -> None:
        """Wait until the present attempt has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def answered(self) -> None:
        """Wait until the present attempt has ended.

        Raises:
            ModelSlow: the server did not answer, or made no progress.
        """
        await self.finished()
        if self._slow is not None:
            raise self._slow

    async def close(self) -> None:
        """Cancel the present attempt."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _prepare(self) -> None:
        self._slow = None
        try:
            if self._pull and not await self._server.has(self._model):
                await self._fetch()
            if self._load:
                await self._server.load(self._model, self._window)
        except ModelUnavailable as error:
            self._failed_at = time.monotonic()
            self._slow = error if isinstance(error, ModelSlow) else None
            if str(error) != self._error:  # logged once, not at every attempt
                self._error = str(error)
                _log.warning("model could not be prepared", model=self._model, error=str(error))
        else:
            self._error = ""

    async def _fetch(self) -> None:
        _log.info("pulling a model", model=self._model)
        self._percent = self._logged = 0
        try:
            await self._server.pull(self._model, self._on_progress)
        finally:
            self._percent = None
        _log.info("pulled a model", model=self._model)

    def _on_progress(self, percent: int) -> None:
        self._percent = percent
        if percent >= self._logged + _LOG_EVERY:
            self._logged = percent
            _log.info("pulling a model", model=self._model, percent=percent)


@asynccontextmanager
async def preparing(
    url: str,
    model: str,
    *,
    key: str | None = None,
    pull: bool = True,
    load: bool = True,
    window: int | None = None,
    pause: float = 0.0,
) -> AsyncIterator[Preparation]:
    """Prepare `model` on the server at `url` in the background, for the length of the context."""
    async with connect(url, _LOADING_S, key) as server:
        preparation = Preparation(server, model, pull=pull, load=load, window=window, pause=pause)
        preparation.begin()
        try:
            yield preparation
        finally:
            await preparation.close()
