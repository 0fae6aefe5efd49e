"""Metrics for Prometheus: what workers count and measure anyway, put into its words when it asks.

Each process has a registry of its own, so that several stacks in one process do not meet. No label tells of a
tenant, a user or a message.
"""

import asyncio
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from ricordo.models.batcher import EmbeddingBatcher
from ricordo.resilience import BreakerState
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import Page
from ricordo.runtime.measures import Distribution, HandlerMeasures, QueryMeasures

METRICS_PATH: Final = "/metrics"
TASKS: Final = "ricordo_event_loop_tasks"

_TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"

_Samples = Iterable[tuple[Sequence[str], float]]
_Distributions = Iterable[tuple[Sequence[str], Distribution]]


class Metrics:
    """The metrics of one process.

    Args:
        version: of Ricordo, for `ricordo_build_info`.
    """

    def __init__(self, version: str) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Build(version))
        self._registry.register(_Loop())
        ProcessCollector(registry=self._registry)  # memory, CPU time, open files; of Linux only

    def add_workers(self, healths: Sequence[Health]) -> None:
        """Show what each worker counts."""
        self._registry.register(_Workers(healths))

    def add_handlers(self, measures: Mapping[str, HandlerMeasures]) -> None:
        """Show the measures of handlers, by worker."""
        self._registry.register(_Handlers(measures))

    def add_queries(self, measures: Mapping[str, QueryMeasures]) -> None:
        """Show the measures of requests, by worker."""
        self._registry.register(_Queries(measures))

    def add_batcher(self, batcher: EmbeddingBatcher) -> None:
        """Show how the embedding model is asked."""
        self._registry.register(_Batcher(batcher))

    def page(self) -> Page:
        """Return all of it as of now, in the text format that every Prometheus reads."""
        return Page(generate_latest(self._registry), _TEXT_FORMAT)


class _Build(Collector):
    def __init__(self, version: str) -> None:
        self._what = (version, platform.python_version())

    def collect(self) -> Iterator[Metric]:
        yield _gauge("ricordo_build_info", "What runs: always 1.", ("version", "python"), [(self._what, 1)])


class _Loop(Collector):
    def collect(self) -> Iterator[Metric]:
        with suppress(RuntimeError):  # asked for where no event loop runs
            alive = len(asyncio.all_tasks())
            yield _gauge(TASKS, "Tasks of the event loop that have not ended.", (), [((), alive)])


class _Workers(Collector):
    def __init__(self, healths: Sequence[Health]) -> None:
        self._healths = healths

    def collect(self) -> Iterator[Metric]:
        label = ("worker",)
        processed = self._each(lambda one: one.processed)
        yield _counter("ricordo_worker_processed", "Events, requests or runs done.", label, processed)
        retried = self._each(lambda one: one.retried)
        yield _counter("ricordo_worker_retried", "Events handed back for another try.", label, retried)
        buried = self._each(lambda one: one.dead_lettered)
        yield _counter("ricordo_worker_dead_lettered", "Events given up and kept.", label, buried)
        failed = self._each(lambda one: one.failed)
        yield _counter("ricordo_worker_failed", "Requests or runs that failed by our fault.", label, failed)
        own = [((one.worker, what), count) for one in self._healths for what, count in one.figures().items()]
        name, meaning = "ricordo_worker_figure", "What a worker alone counts."
        yield _counter(name, meaning, ("worker", "figure"), own)
        in_hand = self._each(lambda one: one.in_flight)
        yield _gauge("ricordo_worker_in_flight", "Events or requests in hand.", label, in_hand)
        gates = self._each(lambda one: one.gate_open)
        yield _gauge("ricordo_worker_gate_open", "1 while it may take work, else 0.", label, gates)
        well = self._each(lambda one: one.is_well)
        name, meaning = (
            "ricordo_worker_well",
            "1 while it works, is about to, yields to others, or a model is pulled for it, else 0.",
        )
        yield _gauge(name, meaning, label, well)
        last = [
            ((one.worker,), one.last_success.timestamp())
            for one in self._healths
            if one.last_success is not None
        ]
        name = "ricordo_worker_last_success_timestamp_seconds"
        yield _gauge(name, "When something was last done; none before.", label, last)
        states = [
            ((one.worker, state), one.told[0] is state) for one in self._healths for state in WorkerState
        ]
        yield _gauge("ricordo_worker_state", "1 for the state that it is in.", ("worker", "state"), states)

    def _each(self, figure: Callable[[Health], float]) -> _Samples:
        return [((one.worker,), figure(one)) for one in self._healths]


class _Handlers(Collector):
    def __init__(self, measures: Mapping[str, HandlerMeasures]) -> None:
        self._measures = measures

    def collect(self) -> Iterator[Metric]:
        label = ("worker",)
        batches = [((worker,), one.batch) for worker, one in self._measures.items()]
        yield _histogram("ricordo_handler_batch_events", "Events in a call of the handler.", label, batches)
        seconds = [((worker,), one.seconds) for worker, one in self._measures.items()]
        yield _histogram("ricordo_handler_duration_seconds", "What a call took.", label, seconds)


class _Queries(Collector):
    def __init__(self, measures: Mapping[str, QueryMeasures]) -> None:
        self._measures = measures

    def collect(self) -> Iterator[Metric]:
        seconds = [
            ((worker, query), each)
            for worker, one in self._measures.items()
            for query, each in one.seconds.items()
        ]
        name, meaning = "ricordo_query_duration_seconds", "From the arrival of a request to its reply."
        yield _histogram(name, meaning, ("worker", "query"), seconds)
        answers = [
            ((worker, query, outcome), count)
            for worker, one in self._measures.items()
            for (query, outcome), count in one.answers.items()
        ]
        labels = ("worker", "query", "outcome")
        yield _counter("ricordo_query_replies", "Replies: ok, or the code of the error.", labels, answers)


class _Batcher(Collector):
    def __init__(self, batcher: EmbeddingBatcher) -> None:
        self._batcher = batcher
        self._primary = (batcher.models[0].name,)
        self._models = [
            ((model.name, role), model)
            for model, role in zip(batcher.models, ("primary", "fallback"), strict=False)
        ]

    def collect(self) -> Iterator[Metric]:
        yield from self._queue()
        yield from self._availability()
        yield from self._requests()

    def _queue(self) -> Iterator[Metric]:
        label, of, batcher = ("model",), self._primary, self._batcher
        name, meaning = "ricordo_embedding_waiting_texts", "Texts that are in no request."
        yield _gauge(name, meaning, label, [(of, batcher.waiting)])
        name, meaning = "ricordo_embedding_in_flight_requests", "Requests for texts under way."
        yield _gauge(name, meaning, label, [(of, batcher.in_flight)])
        name, meaning = "ricordo_embedding_wait_seconds", "What a text waited for its request."
        yield _histogram(name, meaning, label, [(of, batcher.waits)])

    def _availability(self) -> Iterator[Metric]:
        states = [
            ((*of, state), model.breaker.state is state)
            for of, model in self._models
            for state in BreakerState
        ]
        name, meaning = "ricordo_embedding_breaker_state", "1 for the state that the breaker is in."
        yield _gauge(name, meaning, ("model", "role", "state"), states)
        down = [(of, model.breaker.down_for) for of, model in self._models]
        name, meaning = "ricordo_embedding_down_seconds", "For how long the model has been away."
        yield _gauge(name, meaning, ("model", "role"), down)

    def _requests(self) -> Iterator[Metric]:
        labels, measures = ("model", "role"), [(of, model.measures) for of, model in self._models]
        ended = [
            ((*of, kind, outcome), count)
            for of, one in measures
            for (kind, outcome), count in one.requests.items()
        ]
        name, meaning = "ricordo_embedding_requests", "Requests that ended."
        yield _counter(name, meaning, (*labels, "kind", "outcome"), ended)
        name, meaning = "ricordo_embedding_encoded_texts", "Texts that it has encoded."
        yield _counter(name, meaning, labels, [(of, one.encoded) for of, one in measures])
        name, meaning = "ricordo_embedding_request_texts", "Texts in a request, but for trials."
        yield _histogram(name, meaning, labels, [(of, one.texts) for of, one in measures])
        name, meaning = "ricordo_embedding_request_duration_seconds", "What a request took."
        yield _histogram(name, meaning, labels, [(of, one.seconds) for of, one in measures])


def _counter(name: str, meaning: str, labels: Sequence[str], samples: _Samples) -> Metric:
    """Return a counter; `_total` is added to its name."""
    family = CounterMetricFamily(name, meaning, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _gauge(name: str, meaning: str, labels: Sequence[str], samples: _Samples) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _histogram(name: str, meaning: str, labels: Sequence[str], samples: _Distributions) -> Metric:
    family = HistogramMetricFamily(name, meaning, labels=labels)
    for values, found in samples:
        ends = [*map(floatToGoString, found.bounds), "+Inf"]
        up_to = accumulate(found.counts)
        family.add_metric(values, list(zip(ends, up_to, strict=True)), found.total)
    return family
