"""Telling whoever waits for a command what it waits for itself: a silence of minutes looks like a defect."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from ricordo.runtime.cancellation import end
from ricordo.settings import AnalyserSettings, EmbeddingSettings, EnrichmentSettings
from ricordo.urls import bare

Tell = Callable[[str], None]

_SILENT_S: Final = 1.0
_EVERY_S: Final = 5.0  # between two words of how far it is


def served_at(settings: EmbeddingSettings | AnalyserSettings | EnrichmentSettings) -> str:
    """Return model and address of what is asked on a server; empty for what is in process."""
    if settings.provider != "ollama":
        return ""
    return f"{settings.model} at {bare(settings.ollama_url)}"


@asynccontextmanager
async def waiting_for(what: str, tell: Tell, progress: Callable[[], str] = str) -> AsyncIterator[None]:
    """Say that `what` is waited for, if the work inside takes longer than a moment.

    Args:
        what: nothing is said where this is empty.
        tell: takes a line.
        progress: says how far it is; told when it has changed.
    """
    telling = asyncio.create_task(_tell(what, tell, progress)) if what else None
    try:
        yield
    finally:
        if telling is not None:
            await end(telling)


async def _tell(what: str, tell: Tell, progress: Callable[[], str]) -> None:
    await asyncio.sleep(_SILENT_S)
    tell(f"waiting for {what}")
    told = ""
    while True:
        if (now := progress()) and now != told:
            tell(now)
            told = now
        await asyncio.sleep(_EVERY_S)
