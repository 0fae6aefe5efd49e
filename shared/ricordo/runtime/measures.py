"""What is measured where it happens: durations and sizes as distributions, kept in plain numbers.

Nothing here knows who shows them (see `metrics`). All of it is written and read on one event loop, without
locks: a value costs some tenths of a microsecond.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 200)
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_QUERY_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_WAIT_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Distribution:
    """How often a value fell into which range.

    Args:
        bounds: the upper ends of the ranges, each belonging to its own, rising; above the last is one more.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0
        """The sum of all values."""

    def add(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def add_all(self, values: Iterable[float]) -> None:
        """Count each of `values`."""
        bounds, counts = self.bounds, self.counts
        for value in values:
            counts[bisect_left(bounds, value)] += 1
            self.total += value


class RequestKind(StrEnum):
    """Why a model was asked: for texts, or with a text of our own, to find out whether it answers."""

    USUAL = "usual"
    PROBE = "probe"


class RequestOutcome(StrEnum):
    """How a request to a model ended."""

    OK = "ok"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HandlerMeasures:
    """Of the calls of one worker's handler.

    Attributes:
        batch: events in a call.
        seconds: that a call took, whatever came of it.
    """

    batch: Distribution = field(default_factory=lambda: Distribution(_SIZES))
    seconds: Distribution = field(default_factory=lambda: Distribution(_SECONDS))

    def called(self, events: int, seconds: float) -> None:
        """Count one call that ended."""
        self.batch.add(events)
        self.seconds.add(seconds)


ANSWERED: Final = "ok"
UNKNOWN_QUERY: Final = "unknown"
"""Stands for every name that is none of the contract: what strangers ask must not become a label each."""


class QueryMeasures:
    """Of the requests to one server, by query.

    Args:
        queries: the names that are served: these are shown before they are asked for, too.
        failures: the outcomes of a request besides `ok`.
    """

    __slots__ = ("_outcomes", "answers", "seconds")

    def __init__(self, queries: Iterable[str], failures: Iterable[str]) -> None:
        self._outcomes = (ANSWERED, *failures)
        self.seconds: dict[str, Distribution] = {}
        """From the arrival of a request to its reply, by query."""
        self.answers: dict[tuple[str, str], int] = {}
        """Replies, by query and outcome."""
        for query in queries:
            self._open(query)

    def answered(self, query: str, outcome: str, seconds: float) -> None:
        """Count one reply to `query`, which is a name of the contract or `UNKNOWN_QUERY`."""
        if query not in self.seconds:
            self._open(query)
        self.seconds[query].add(seconds)
        self.answers[query, outcome] += 1

    def _open(self, query: str) -> None:
        self.seconds[query] = Distribution(_QUERY_SECONDS)
        self.answers |= {(query, outcome): 0 for outcome in self._outcomes}


@dataclass(slots=True)
class ModelMeasures:
    """Of the requests to an embedding model.

    Attributes:
        texts: in a request, but for trials.
        seconds: that a request took, whatever came of it.
        requests: that ended, by kind and outcome.
        encoded: texts that it has encoded, but for trials.
    """

    texts: Distribution = field(default_factory=lambda: Distribution(_SIZES))
    seconds: Distribution = field(default_factory=lambda: Distribution(_SECONDS))
    requests: dict[tuple[RequestKind, RequestOutcome], int] = field(
        default_factory=lambda: {(kind, outcome): 0 for kind in RequestKind for outcome in RequestOutcome}
    )
    encoded: int = 0

    def ended(self, kind: RequestKind, outcome: RequestOutcome, texts: int, seconds: float) -> None:
        """Count one request of `texts` texts that ended after `seconds`; who was cut off has failed."""
        self.requests[kind, outcome] += 1
        self.seconds.add(seconds)
        if kind is RequestKind.USUAL:
            self.texts.add(texts)
            if outcome is RequestOutcome.OK:
                self.encoded += texts


def seconds_waited() -> Distribution:
    """Return a distribution of what texts wait for their requests: an outage may last."""
    return Distribution(_WAIT_SECONDS)
