"""Pulls and loads models in the background."""

import asyncio
import math
import time
from dataclasses import dataclass
from typing import Final, Self

import structlog

from ricordo.models.encoder import ModelSlow, ModelUnavailable
from ricordo.models.llm.ollama_server import OllamaServer
from ricordo.runtime.tasks import cancel_and_wait

_LOG_EVERY: Final = 10  # percent of a pull
_LOADING_S: Final = 300.0  # to load a model, and between two progress reports of a pull

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, eq=False)
class Preparation:
    """Pulls a model if it is missing, and loads it, in the background of its context.

    Attributes:
        load: load it; an embedding model is loaded by its first texts.
        pause: seconds after a failure before another attempt.
    """

    server: OllamaServer
    model: str
    pull: bool = True
    load: bool = True
    pause: float = 0.0
    _failed_at: float = -math.inf
    _percent: int | None = None
    _logged: int = 0
    _task: asyncio.Task[None] | None = None
    _error: str = ""
    _slow: ModelSlow | None = None

    async def __aenter__(self) -> Self:
        self.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            await cancel_and_wait(self._task)

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
        if time.monotonic() - self._failed_at < self.pause:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._prepare())

    async def answered(self) -> None:
        """Wait until the present attempt has ended.

        Raises:
            ModelSlow: the server did not answer, or made no progress.
        """
        if self._task is not None:
            await asyncio.wait([self._task])
        if self._slow is not None:
            raise self._slow

    async def _prepare(self) -> None:
        self._slow = None
        server = self.server.patient(_LOADING_S)
        try:
            if self.pull and not await server.has(self.model):
                await self._fetch(server)
            if self.load:
                await server.load(self.model)
        except ModelUnavailable as error:
            self._failed_at = time.monotonic()
            self._slow = error if isinstance(error, ModelSlow) else None
            if str(error) != self._error:  # logged once, not at every attempt
                self._error = str(error)
                _log.warning("model could not be prepared", model=self.model, error=str(error))
        else:
            self._error = ""

    async def _fetch(self, server: OllamaServer) -> None:
        _log.info("pulling a model", model=self.model)
        self._percent = self._logged = 0
        try:
            await server.pull(self.model, self._on_progress)
        finally:
            self._percent = None
        _log.info("pulled a model", model=self.model)

    def _on_progress(self, percent: int) -> None:
        self._percent = percent
        if percent >= self._logged + _LOG_EVERY:
            self._logged = percent
            _log.info("pulling a model", model=self.model, percent=percent)
