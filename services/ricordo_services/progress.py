"""Orders and progress reports between a command, the worker and whoever does the work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from ricordo.runtime.tasks import cancel_and_wait
from ricordo.settings import AnalyserSettings, EmbeddingSettings, EnrichmentSettings
from ricordo.urls import bare

Part = Literal["all", "importance", "vectors"]
Projected = Literal["graph", "vectors"]
Tell = Callable[[str], None]

ORDER: Final = ("summarize", "reflect", "expire", "compress", "decay", "retain", "archive")
"""The names of all passes, as `all` runs them: those that condense before those that archive."""
_SILENT_S: Final = 1.0
_EVERY_S: Final = 5.0  # between two lines of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOrder:
    """What to derive again.

    Attributes:
        part: all that enrichment derives, the importance alone, or instead the vectors.
        tenant: limits it to this one.
        user_id: limits it to this user's memories.
        limit: memories at the most; None for no limit.
        dry: only count.
    """

    part: Part = "all"
    tenant: str | None = None
    user_id: str | None = None
    limit: int | None = None
    dry: bool = False


@dataclass(slots=True)
class Backfilled:
    """The progress of a backfill.

    Attributes:
        version: the current one: of the deriving code, or the embedding model.
        outdated: memories that were outdated at the start, within the limit.
        by_version: the same by the version that derived them, without the limit.
        examined: memories derived or encoded again.
        changed: of these, written.
        raised: of these, current now.
        left: not current: the model did not answer, or they changed meanwhile.
        unencoded: for vectors only: memories never encoded, which is the workers' task.
        seconds: duration.
    """

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
    """Which projection to write anew from PostgreSQL.

    Attributes:
        projection: graph or vectors.
        tenant: limits it to this one.
        user_id: limits it to this user.
    """

    projection: Projected
    tenant: str | None = None
    user_id: str | None = None


@dataclass(slots=True)
class Reindexed:
    """The progress of a reindex.

    Attributes:
        projection: graph or vectors.
        found: facts, or memories with a vector, at the start.
        written: how many of these, and of those that came meanwhile, were written or handed to the index.
        removed: for the graph only: facts removed that PostgreSQL does not know.
        users: for the graph only: users of those facts.
        seconds: duration.
    """

    projection: Projected
    found: int = 0
    written: int = 0
    removed: int = 0
    users: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class PassSummary:
    """The progress of a pass of lifecycle.

    Attributes:
        name: of the pass.
        examined: items examined.
        changed: of these, changed.
        archived: of these, archived.
        created: memories created.
        failed: items that failed and were skipped, as logged.
        seconds: duration.
        expected: about how many items there are in all.
    """

    name: str
    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    seconds: float = 0.0
    expected: int = 0


BackfillReport = Callable[[Backfilled], None]
ReindexReport = Callable[[Reindexed], None]
PassReport = Callable[[PassSummary], None]


def silent(_: PassSummary) -> None:
    """Report nothing."""


class RunsElsewhere(Exception):
    """Another process runs the pass at this moment; only one at a time may."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the pass {name} runs elsewhere at this moment: let it end, and run it again")
        self.name = name


def served_at(settings: EmbeddingSettings | AnalyserSettings | EnrichmentSettings) -> str:
    """Return model and address of a model on a server; empty for one in process."""
    if settings.provider != "ollama":
        return ""
    return f"{settings.model} at {bare(settings.ollama_url)}"


@asynccontextmanager
async def waiting_for(what: str, tell: Tell, progress: Callable[[], str] = str) -> AsyncIterator[None]:
    """Say that `what` is waited for, if the block takes longer than a second.

    Args:
        what: nothing is said where this is empty.
        tell: called with a line.
        progress: returns the progress; told when it has changed.
    """
    telling = asyncio.create_task(_tell(what, tell, progress)) if what else None
    try:
        yield
    finally:
        if telling is not None:
            await cancel_and_wait(telling)


async def _tell(what: str, tell: Tell, progress: Callable[[], str]) -> None:
    await asyncio.sleep(_SILENT_S)
    tell(f"waiting for {what}")
    told = ""
    while True:
        if (now := progress()) and now != told:
            tell(now)
            told = now
        await asyncio.sleep(_EVERY_S)
