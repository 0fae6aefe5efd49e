"""Measures the analysis of questions, and the enrichment and fact extraction of messages, on one core."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, islice
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from ricordo.language.detection import detect
from ricordo.language.emotion import estimate
from ricordo.language.event_times.extraction import event_times
from ricordo.language.query_analysis import analyse
from ricordo.language.topics import topics
from ricordo.memory.enrichment import enrich
from ricordo.memory.facts import extract
from ricordo.store.rows import Vector
from ricordo_lab.bench.conversation import LANGUAGES, questions, read_texts, texts
from ricordo_lab.bench.embedding import encode_all, ready_models
from ricordo_lab.bench.measurement import (
    Figures,
    Options,
    Report,
    latencies,
    middle,
    percentile,
    repeated,
)
from ricordo_lab.bench.people import People

_NOW: Final = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
_ZONE: Final = ZoneInfo("Europe/Rome")
_NAMES: Final = tuple(f"Person{n} Of The Past" for n in range(200))  # as many as a recall knows
_LONGEST: Final = 32_768  # characters of a query or a message
_WARM_UP: Final = 50
_ENRICHED: Final = 1000
_EXTRACTED: Final = 2000
_TALK: Final = 3  # messages, of which a third states something, to one that is made of statements
_TOGETHER: Final = 3  # statements in such a message

T = TypeVar("T")
Enriched = tuple[str, str, Vector]
"""A text, its language and its vector."""


async def analyser(options: Options, report: Report) -> None:
    """Measure how long the analysis of a question takes, of a message, and of the longest query."""
    asked = list(islice(questions(seed=1), options.questions))
    if options.texts is not None:
        asked = list(read_texts(options, 0))
    said = list(islice(texts(seed=1), options.questions))
    work = partial(analyse, now=_NOW, zone=_ZONE, known_names=_NAMES)
    _timed([*asked[:_WARM_UP], *said[:_WARM_UP]], work)

    async def measure(_: int) -> Figures:
        return {
            **latencies(_timed(asked, work)),
            "p95_ms_of_messages": percentile(_timed(said, work), 0.95),
            "ms_of_the_longest": _timed([_longest(said)], work)[0],
        }

    found = await repeated("analyse", options.runs, report, measure)
    counts = {"runs": options.runs, "questions": len(asked), "known_names": len(_NAMES)}
    report({"bench": "analyse", **counts, **found})


async def enrichment(options: Options, report: Report) -> None:
    """Measure messages enriched per second, and the time of the parts of enrichment."""
    spoken = read_texts(options, _ENRICHED)
    async with ready_models(options.settings.embedding) as models:
        vectors = await encode_all(models.batch, spoken, options.settings.embedding)
    said = [(text, detect(text), vector) for text, vector in zip(spoken, vectors, strict=True)]
    parts: dict[str, Callable[[Enriched], object]] = {
        "all": lambda one: (
            enrich(one[0], language=one[1], vector=one[2]),
            event_times(one[0], _NOW, _ZONE, one[1]),
        ),
        "emotion": lambda one: estimate(*one),
        "topics": lambda one: topics(one[0], one[1]),
        "event_time": lambda one: event_times(one[0], _NOW, _ZONE, one[1]),
    }
    for part in parts.values():
        _timed(said, part)  # loads word lists and heads

    async def measure(_: int) -> Figures:
        took = {name: sum(_timed(said, part)) / len(said) for name, part in parts.items()}
        return {
            "messages_per_second": 1000 / took["all"],
            **{f"us_{name}": 1000 * took[name] for name in took},
        }

    found = await repeated("enrich", options.runs, report, measure)
    report({"bench": "enrich", "runs": options.runs, "messages": len(said), **found})


async def extraction(options: Options, report: Report) -> None:
    """Measure messages per second from which facts are extracted; half of them state some."""
    number = options.messages or _EXTRACTED

    async def measure(run: int) -> Figures:
        spoken = _statements(options, number, seed=run)  # others each time, so that caches do not help
        counts: list[int] = []
        took = _timed([(text, detect(text)) for text in spoken], lambda one: counts.append(_facts(*one)))
        return {
            "messages_per_second": 1000 * len(took) / sum(took),
            "stating_percent": 100 * sum(count > 0 for count in counts) / len(counts),
            "facts_per_message": sum(counts) / len(counts),
            "p95_us": 1000 * percentile(took, 0.95),
        }

    found = await repeated("extract", options.runs, report, measure)
    spoken = _statements(options, number, seed=0)
    longest = (_longest(spoken), "en")
    slowest = middle([_timed([longest], lambda one: _facts(*one))[0] for _ in range(options.runs)])
    counts = {"runs": options.runs, "messages": len(spoken)}
    report({"bench": "extract", **counts, **found, "ms_of_the_longest": slowest})


def _timed(items: Sequence[T], work: Callable[[T], object]) -> list[float]:
    """Return the milliseconds of processor time that `work` takes for each item."""
    took = []
    for item in items:
        began = time.thread_time()
        work(item)
        took.append(1000 * (time.thread_time() - began))
    return took


def _facts(text: str, language: str) -> int:
    return len(extract(text, language=language, speaker="", role="user"))


def _longest(spoken: Sequence[str]) -> str:
    text = " ".join(spoken)
    return (text * (1 + _LONGEST // len(text)))[:_LONGEST]


def _statements(options: Options, number: int, seed: int) -> Sequence[str]:
    return read_texts(options, number) if options.texts else list(islice(_talk(seed), number))


def _talk(seed: int) -> Iterator[str]:
    """Yield messages without end, in English and Italian: of four, three talk and one states facts."""
    talk = texts(seed)
    for language, life in zip(cycle(LANGUAGES), People(seed).lives(), strict=False):
        yield from islice(talk, _TALK)
        yield " ".join(one.sentence(language) for one in life[:_TOGETHER])
