"""Measures the latency of `query.facts` over NATS where very many facts of a user are known."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final

from ricordo.client import MemoryClient
from ricordo.client.options import FactsOptions
from ricordo_lab.bench.conversation import FIRST_SAID, messages
from ricordo_lab.bench.measurement import Options, Report, latencies, medians, percentile, rounded
from ricordo_lab.bench.people import PREDICATES, USER, People, texts_of
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import MeasurementFailed

_FACTS: Final = 50_000
_USER: Final = "user-1"
_TOGETHER: Final = 12  # lives that are told in one message
_AT_ONCE: Final = 16  # messages, each of some 150 facts
_WARM_UP: Final = 20
_FIRM: Final = 3
_LEAST: Final = 0.9  # of the facts that were told must be known


async def facts(options: Options, report: Report) -> None:
    """Measure the latency of questions about facts over NATS, where very many are known."""
    people, number = People(), options.facts or _FACTS
    lives = list(people.lives(number))
    told = messages(list(texts_of([*lives, *people.again(lives)], _TOGETHER)), _USER, "f")
    with scratch() as folder:
        async with up(folder) as system:
            began = time.perf_counter()
            for start in range(0, len(told), _AT_ONCE):
                await remember(system.nats, told[start : start + _AT_ONCE])
            took = time.perf_counter() - began
            async with MemoryClient.connect(system.nats) as client:
                known = (await client.stats(_USER)).facts
                if known < _LEAST * number:
                    raise MeasurementFailed(f"of {number} facts that were told {known} are known")
                span = told[-1].timestamp - told[0].timestamp
                asked = _questions(people, span)
                runs = [await _asked(client, asked, options.questions) for _ in range(options.runs)]
    found = [{"asked": name, **_figures([run[name] for run in runs])} for name in asked]
    for line in found:
        report({"bench": "facts", **line})
    report(
        {
            "bench": "facts",
            "runs": options.runs,
            "questions": options.questions,
            "messages": len(told),
            "facts": known,
            "told_in_s": rounded(took),
            **{name: [line[name] for line in found] for name in ("asked", "p50_ms", "p95_ms")},
        }
    )


Question = Callable[[random.Random], FactsOptions]


def _questions(people: People, span: timedelta) -> Mapping[str, Question]:
    """Return the kinds of questions by name; each draws the options of a question."""

    def name(draw: random.Random) -> str:
        return draw.choice(people.names)

    def instant(draw: random.Random) -> str:
        return (FIRST_SAID + draw.random() * span).isoformat()

    return {
        "all": lambda _: {},
        "about the user": lambda _: {"entity": USER},
        "about a person": lambda draw: {"entity": name(draw)},
        "about a place": lambda draw: {"entity": draw.choice(people.cities)},
        "about nobody": lambda draw: {"entity": f"{name(draw)} {name(draw)}"},
        "of a predicate": lambda draw: {"predicate": draw.choice(PREDICATES)},
        "of one that nobody used": lambda _: {"predicate": "has_condition"},
        "a predicate of a person": lambda draw: {"entity": name(draw), "predicate": "lives_in"},
        "as of an instant": lambda draw: {"as_of": instant(draw)},
        "as of an instant, about a person": lambda draw: {"entity": name(draw), "as_of": instant(draw)},
        "firm ones": lambda _: {"min_confidence": _FIRM},
        "the firmest": lambda _: {"min_confidence": 10},
        "history": lambda _: {"history": True},
        "history of a person": lambda draw: {"entity": name(draw), "history": True},
        "as many as may be": lambda _: {"limit": 200},
    }


async def _asked(
    client: MemoryClient, asked: Mapping[str, Question], number: int
) -> Mapping[str, Sequence[float]]:
    """Ask one after the other, the ways in turn, and return the milliseconds of each."""
    draw = random.Random(0)
    took: dict[str, list[float]] = {name: [] for name in asked}
    for turn in range(_WARM_UP + number):
        for name, question in asked.items():
            wanted = question(draw)
            began = time.perf_counter()
            reply = await client.facts(_USER, **wanted)
            milliseconds = 1000 * (time.perf_counter() - began)
            if reply.degraded:
                raise MeasurementFailed(f"an answer lacks {', '.join(reply.degraded)}")
            if turn >= _WARM_UP:
                took[name].append(milliseconds)
    return took


def _figures(runs: Sequence[Sequence[float]]) -> Mapping[str, object]:
    each = [rounded(percentile(took, 0.95)) for took in runs]
    return {**medians([latencies(took) for took in runs]), "p95_ms_of_each_run": each}
