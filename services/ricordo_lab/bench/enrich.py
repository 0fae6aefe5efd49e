"""How many messages a second are enriched on one core without a language model, their vectors given."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.annotations import NEUTRAL
from ricordo.language.detection import detect
from ricordo.language.emotion import estimate
from ricordo.language.event_times.extraction import event_times
from ricordo.language.topics import topics
from ricordo.memory.enrichment import enrich
from ricordo.memory.importance import importance
from ricordo.store.types.memories import Vector
from ricordo_lab.bench.embedding import encode_all, read_texts
from ricordo_lab.bench.figures import middle, rounded
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.ready import ready_models

_MESSAGES: Final = 1000
_SAID_AT: Final = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
_ZONE: Final = ZoneInfo("Europe/Rome")
_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    language: str
    vector: Vector


_PARTS: Final[Mapping[str, Callable[[_Said], object]]] = {
    _ALL: lambda one: (
        enrich(one.text, language=one.language, vector=one.vector),
        event_times(one.text, _SAID_AT, _ZONE, one.language),
    ),
    "emotion": lambda one: estimate(one.text, one.language, one.vector),
    "importance": lambda one: importance(one.text, one.language, NEUTRAL),
    "topics": lambda one: topics(one.text, one.language),
    "event_time": lambda one: event_times(one.text, _SAID_AT, _ZONE, one.language),
}


async def enrichment(options: Options, say: Say) -> None:
    """Measure messages per second of one thread, and what its parts take."""
    spoken = read_texts(options, _MESSAGES)
    async with ready_models(options.settings.embedding) as models:
        vectors = await encode_all(models.batch, spoken, options.settings.embedding)
    said = [_Said(text, detect(text), vector) for text, vector in zip(spoken, vectors, strict=True)]
    for part in _PARTS.values():
        _timed(said, part)  # what is read once is read now
    runs = []
    for run in range(1, options.runs + 1):
        took = {name: _timed(said, part) for name, part in _PARTS.items()}
        runs.append(
            {
                "messages_per_second": 1 / took[_ALL],
                **{f"us_{name}": 1_000_000 * seconds for name, seconds in took.items()},
            }
        )
        say({"bench": "enrich", "run": run, **{name: rounded(value) for name, value in runs[-1].items()}})
    say(
        {
            "bench": "enrich",
            "runs": options.runs,
            "messages": len(said),
            **{name: middle([one[name] for one in runs]) for name in runs[0]},
        }
    )


def _timed(said: Sequence[_Said], part: Callable[[_Said], object]) -> float:
    """Return the seconds of processor time that a part takes for one message."""
    began = time.thread_time()
    for one in said:
        part(one)
    return (time.thread_time() - began) / len(said)
