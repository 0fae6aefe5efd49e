"""Orders and progress reports between a command, the worker and whoever does the work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from ricordo.runtime.tasks import in_background
from ricordo.settings import EmbeddingSettings, StepSettings
from ricordo.urls import bare

Part = Literal["all", "importance", "vectors"]
Projected = Literal["graph", "vectors"]
Notify = Callable[[str], None]

ORDER: Final = ("summarize", "reflect", "expire", "compress", "decay", "retain", "archive")
"""The names of all passes, as `all` runs them: those that condense before those that archive."""
_SILENT_S: Final = 1.0
_EVERY_S: Final = 5.0  # between two lines of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOrder:
    """What to derive again.

    Attributes:
        limit: memories at the most; None for no limit.
    """

    part: Part = "all"
    tenant: str | None = None
    user_id: str | None = None
    limit: int | None = None
    dry: bool = False


@dataclass(slots=True)
class BackfillProgress:
    """The progress of a backfill."""

    version: str
    outdated: int = 0
    by_version: dict[str, int] = field(default_factory=dict)
    examined: int = 0
    changed: int = 0
    raised: int = 0
    left: int = 0
    unencoded: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexOrder:
    """Which projection to write anew from PostgreSQL."""

    projection: Projected
    tenant: str | None = None
    user_id: str | None = None


@dataclass(slots=True)
class ReindexProgress:
    """The progress of a reindex."""

    projection: Projected
    users: int = 0
    found: int = 0
    written: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class PassSummary:
    """The progress of a pass of lifecycle."""

    name: str
    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    seconds: float = 0.0
    expected: int = 0


P = TypeVar("P")
Report = Callable[[P], None]
"""Takes the progress of a job, again and again."""


class RunsElsewhere(Exception):
    """Another process runs the pass at this moment; only one at a time may."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the pass {name} runs elsewhere at this moment: let it end, and run it again")


def served_at(settings: EmbeddingSettings | StepSettings) -> str:
    """Return model and address of a model on a server; empty for one in process, and for none."""
    if isinstance(settings, StepSettings):
        return f"{settings.llm} at {bare(settings.url or '')}" if settings.llm else ""
    return f"{settings.model} at {bare(settings.ollama_url)}" if settings.provider == "ollama" else ""


@asynccontextmanager
async def waiting_for(what: str, notify: Notify, progress: Callable[[], str] = str) -> AsyncIterator[None]:
    """Report that `what` is waited for, if the block takes longer than a second; "" reports nothing."""
    async with in_background(_report_wait(what, notify, progress)) if what else nullcontext():
        yield


async def _report_wait(what: str, notify: Notify, progress: Callable[[], str]) -> None:
    await asyncio.sleep(_SILENT_S)
    notify(f"waiting for {what}")
    reported = ""
    while True:
        if (now := progress()) and now != reported:
            notify(now)
            reported = now
        await asyncio.sleep(_EVERY_S)
