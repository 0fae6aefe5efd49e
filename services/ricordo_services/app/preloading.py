"""Loads rules in the background once a process is ready, so that neither the start nor a message waits."""

import asyncio
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product
from zoneinfo import ZoneInfo

from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import event_times
from ricordo.language.facts.message_words import MessageWords
from ricordo.memory.enrichment import enrich
from ricordo.models.query_analyser import Question, by_rules
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.runtime.tasks import run_until

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_ZONE = ZoneInfo("UTC")
_TEXT = "My father died yesterday, e ieri sono andato a Roma con Anna."


def enrichment_rules(language: str) -> None:
    """Load what `enrich` and `event_times` read from files."""
    document = Document(_TEXT, language)
    enrich(document)
    event_times(document, _MOMENT, _ZONE)


def fact_words(language: str) -> None:
    """Load the words by which statements are validated."""
    MessageWords(Document(_TEXT, language))


def question_rules(language: str) -> None:
    """Load what the analysis of a question reads from files."""
    by_rules(Question(text=_TEXT, now=_MOMENT, zone=_ZONE, language=language))


@dataclass(eq=False)
class Preloading:
    """A service that calls each of `loaders` for each language, once `begin` is set."""

    executor: CpuExecutor
    loaders: Sequence[Callable[[str], None]]
    name: str = "preloading"
    begin: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Load; `ready` is called at once, as nothing depends on it."""
        ready()
        if await run_until(stopping, self.begin.wait()):
            for load, language in product(self.loaders, LANGUAGES):
                await run_until(stopping, self.executor.map(load, (language,)))  # messages go between
            gc.freeze()  # `freeze_gc` came before the rules, which live as long
