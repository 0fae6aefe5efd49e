"""How many messages a second facts are read from on one core, without a language model."""

import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Final

from ricordo.language.detection import detect
from ricordo.memory.facts import extract
from ricordo_lab.bench.conversation import LANGUAGES, texts
from ricordo_lab.bench.embedding import read_texts
from ricordo_lab.bench.figures import middle, percentile, rounded
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.people import People

_MESSAGES: Final = 2000
_WARM_UP: Final = 200
_TALK: Final = 3  # messages of which a third states something, to one that is made of statements
_TOGETHER: Final = 3  # statements in such a message
_LONGEST: Final = 32_768  # characters of a message


async def extraction(options: Options, say: Say) -> None:
    """Measure messages per second of one thread, as facts are read from them; half of them state some."""
    _timed(_spoken(options, _WARM_UP, seed=0))
    number = options.messages or _MESSAGES
    runs = []
    for run in range(1, options.runs + 1):  # of others each time, so that nothing is known by heart
        runs.append(_figures(_spoken(options, number, seed=run)))
        say({"bench": "extract", "run": run, **{name: rounded(value) for name, value in runs[-1].items()}})
    spoken = _spoken(options, number, seed=0)
    all_of_it = " ".join(spoken)
    longest = (all_of_it * (1 + _LONGEST // len(all_of_it)))[:_LONGEST]
    say(
        {
            "bench": "extract",
            "runs": options.runs,
            "messages": len(spoken),
            **{name: middle([one[name] for one in runs]) for name in runs[0]},
            "ms_of_the_longest": middle([1000 * _timed([longest])[0][0] for _ in range(options.runs)]),
        }
    )


def _spoken(options: Options, number: int, seed: int) -> Sequence[str]:
    return list(islice(_talk(seed), number)) if options.texts is None else read_texts(options, number)


def _talk(seed: int) -> Iterator[str]:
    """Yield messages without end, in English and in Italian: of four, three talk and one states facts."""
    talk = texts(seed)
    for language, life in zip(cycle(LANGUAGES), People(seed).lives(), strict=False):
        yield from islice(talk, _TALK)
        yield " ".join(said.told(language) for said in life[:_TOGETHER])


def _figures(spoken: Sequence[str]) -> dict[str, float]:
    took = _timed(spoken)
    seconds = [one for one, _ in took]
    return {
        "messages_per_second": len(took) / sum(seconds),
        "stating_percent": 100 * sum(found > 0 for _, found in took) / len(took),
        "facts_per_message": sum(found for _, found in took) / len(took),
        "p95_us": 1_000_000 * percentile(seconds, 0.95),
    }


def _timed(spoken: Sequence[str]) -> list[tuple[float, int]]:
    """Return for each message the seconds of processor time that it took, and how many facts it states."""
    took = []
    for text in spoken:
        language = detect(text)  # which is known already when facts are read
        began = time.thread_time()
        found = extract(text, language=language, speaker="", role="user")
        took.append((time.thread_time() - began, len(found)))
    return took
