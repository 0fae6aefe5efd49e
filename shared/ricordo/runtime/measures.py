"""Durations, sizes and outcomes, measured as Prometheus metrics that belong to no registry.

Their owner (a worker, a server, a model) is a label that `ricordo.runtime.metrics` adds.
"""

from collections.abc import Iterable
from typing import Final

from prometheus_client import Counter, Histogram

_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 200)
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_QUERY_SECONDS: Final = _SECONDS[:12]
_WAIT_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)

ANSWERED: Final = "ok"
_FAILED: Final = "failed"
_REGULAR: Final = "regular"
_PROBE: Final = "probe"
UNKNOWN_QUERY: Final = "unknown"
"""The label of every request whose name is not in the contract, so that callers cannot create labels."""


def histogram(name: str, meaning: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
    """Return a histogram without a registry; each value of `buckets` is an inclusive upper bound."""
    return Histogram(name, meaning, labels, buckets=buckets, registry=None)


class HandlerMeasures:
    """Measures of one worker's handler calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.batch = histogram("ricordo_handler_batch_events", "Events per handler call.", _SIZES)
        self.seconds = histogram(
            "ricordo_handler_duration_seconds", "Duration of a handler call, successful or not.", _SECONDS
        )
        self.metrics = (self.batch, self.seconds)

    def record(self, events: int, seconds: float) -> None:
        """Record one call that ended."""
        self.calls += 1
        self.batch.observe(events)
        self.seconds.observe(seconds)


class QueryMeasures:
    """Measures of one server's requests, by query.

    Args:
        queries: the names that are served; they are shown before the first request.
    """

    def __init__(self, queries: Iterable[str], failures: Iterable[str]) -> None:
        self._outcomes = (ANSWERED, *failures)
        self.seconds = histogram(
            "ricordo_query_duration_seconds",
            "Time from the arrival of a request to its reply.",
            _QUERY_SECONDS,
            "query",
        )
        self.replies = Counter(
            "ricordo_query_replies", "Replies: ok, or the error code.", ("query", "outcome"), registry=None
        )
        self.metrics = (self.seconds, self.replies)
        for query in queries:
            self._show(query)

    def record(self, query: str, outcome: str, seconds: float) -> None:
        """Record one reply to `query`, a name of the contract or `UNKNOWN_QUERY`."""
        self._show(query)
        self.seconds.labels(query).observe(seconds)
        self.replies.labels(query, outcome).inc()

    def _show(self, query: str) -> None:
        self.seconds.labels(query)
        for outcome in self._outcomes:
            self.replies.labels(query, outcome)


class ModelMeasures:
    """Measures of the requests to an embedding model.

    Attributes:
        encoded: number of encoded texts, without those of probes.
    """

    def __init__(self) -> None:
        self.encoded = 0
        self.texts = histogram("ricordo_embedding_request_texts", "Texts per regular request.", _SIZES)
        self.seconds = histogram(
            "ricordo_embedding_request_duration_seconds", "Duration of a request.", _SECONDS
        )
        self.requests = Counter(
            "ricordo_embedding_requests", "Finished requests.", ("kind", "outcome"), registry=None
        )
        for kind in (_REGULAR, _PROBE):
            for outcome in (ANSWERED, _FAILED):
                self.requests.labels(kind, outcome)

    def record(self, texts: int, seconds: float, *, probe: bool, answered: bool) -> None:
        """Record one request that ended; a cancelled one has failed. A probe has a text of its own."""
        self.requests.labels(_PROBE if probe else _REGULAR, ANSWERED if answered else _FAILED).inc()
        self.seconds.observe(seconds)
        if not probe:
            self.texts.observe(texts)
            self.encoded += texts * answered


def queue_wait() -> Histogram:
    """Return a histogram of the seconds that texts wait in the queue; an outage may last long."""
    return histogram("ricordo_embedding_wait_seconds", "Time of a text in the queue.", _WAIT_SECONDS)
