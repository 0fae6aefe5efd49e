"""What a benchmark is asked to do, and what it says."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ricordo.settings import Settings

Line = Mapping[str, object]
"""One thing that was measured, ready for JSON; `bench` says by what."""

Say = Callable[[Line], None]
"""Takes a line as soon as it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a benchmark is asked to do.

    Attributes:
        texts: a file with a text a line, in place of made-up ones.
        messages: how many are published at once; None for what the benchmark takes by itself.
        memories: how many one user has, for each size at which recall is measured, ascending.
        questions: how many are asked at each size.
        runs: how often a measurement is repeated; its median counts.
        seconds: for which texts arrive at a rate, or users come and go; None for what the benchmark takes by
            itself.
        users: who say what is in a backlog, in turn.
        days: of a life.
        daily: messages of a user, each day of a life.
        limit: seconds after which a backlog is left as far as it has come.
        facts: how many are known of one user; None for what the benchmark takes by itself.
        split: the workers of each process, by their names, the servers and the vector index in the first one;
            none for all workers in one process.
        settings: those of the system; the environment of the process has them too.
    """

    texts: Path | None = None
    messages: int | None = None
    memories: tuple[int, ...] = (1000, 10_000)
    questions: int = 200
    runs: int = 3
    seconds: float | None = None
    users: int = 10
    limit: float = 3600.0
    days: int = 365
    daily: int = 50
    facts: int | None = None
    split: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)


class Bench(Protocol):
    """A benchmark."""

    def __call__(self, options: Options, say: Say, /) -> Awaitable[None]:
        """Measure and say what was found; the last line of a benchmark is its result.

        Raises:
            BenchFailed: something did not run as it must, so that there is nothing to measure.
        """
        ...


class BenchFailed(Exception):
    """There is nothing to measure; the sentence says why."""
