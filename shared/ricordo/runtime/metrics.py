"""The Prometheus metrics of a process, collected from health and measures at each scrape.

Each process has a registry of its own, so that several stacks can run in one process (in tests). No label
names a tenant, a user or a message.
"""

import asyncio
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.llm.ollama_server import LLM_TOKENS
from ricordo.resilience import BreakerState
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import Page
from ricordo.runtime.measures import HandlerMeasures, QueryMeasures

METRICS_PATH: Final = "/metrics"
TASKS: Final = "ricordo_event_loop_tasks"

_TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"

_Samples = Iterable[tuple[Sequence[str], float]]
_Measures = Iterable[tuple[Mapping[str, str], Histogram | Counter]]

_WORKER_COUNTERS: Final[Mapping[str, tuple[str, Callable[[Health], float]]]] = {
    "processed": ("Events, requests or runs that succeeded.", lambda health: health.processed),
    "retried": ("Events returned for redelivery.", lambda health: health.retried),
    "dead_lettered": ("Events stored as dead letters.", lambda health: health.dead_lettered),
    "failed": ("Requests and runs that failed with an internal error.", lambda health: health.failed),
}
_WORKER_GAUGES: Final[Mapping[str, tuple[str, Callable[[Health], float]]]] = {
    "in_flight": ("Events or requests in progress.", lambda health: health.in_flight),
    "gate_open": ("1 while it may fetch, else 0.", lambda health: health.gate_open),
    "healthy": ("1 while /healthz counts it as healthy, else 0.", lambda health: health.is_healthy),
}


class Metrics(Collector):
    """The metrics of one process."""

    def __init__(self, version: str) -> None:
        self._sources: list[Callable[[], Iterator[Metric]]] = [
            lambda: _process(version),
            lambda: _merged([({}, LLM_TOKENS)]),
        ]
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)  # memory, CPU time, open files; of Linux only

    def add_workers(self, healths: Sequence[Health]) -> None:
        """Add the counters and states of workers."""
        self._sources.append(lambda: _workers(healths))

    def add_measures(self, measures: Mapping[str, HandlerMeasures | QueryMeasures]) -> None:
        """Add the measures of handlers and requests, by worker."""
        self._sources.append(
            lambda: _merged(
                ({"worker": worker}, metric)
                for worker, measure in measures.items()
                for metric in measure.metrics
            )
        )

    def add_batcher(self, batcher: EmbeddingBatcher) -> None:
        """Add the queue, the circuit breakers and the requests of the embedding models."""
        self._sources.append(lambda: _batcher(batcher))

    def page(self) -> Page:
        """Return the present values in the text format that every Prometheus reads."""
        return Page(generate_latest(self._registry), _TEXT_FORMAT)

    def collect(self) -> Iterator[Metric]:
        """Return the present values; called by the registry."""
        return chain.from_iterable(source() for source in self._sources)


def _process(version: str) -> Iterator[Metric]:
    names = ("version", "python")
    yield _gauge("ricordo_build_info", "Always 1.", names, [((version, platform.python_version()), 1)])
    with suppress(RuntimeError):  # collected without a running event loop
        yield _gauge(TASKS, "Unfinished asyncio tasks.", (), [((), len(asyncio.all_tasks()))])


def _workers(healths: Sequence[Health]) -> Iterator[Metric]:
    label = ("worker",)
    for name, (meaning, value) in _WORKER_COUNTERS.items():
        samples = [((health.worker,), value(health)) for health in healths]
        yield _counter(f"ricordo_worker_{name}", meaning, label, samples)
    own = [((health.worker, name), count) for health in healths for name, count in health.counters().items()]
    yield _counter("ricordo_worker_counter", "Counters of one worker.", ("worker", "counter"), own)
    for name, (meaning, value) in _WORKER_GAUGES.items():
        samples = [((health.worker,), value(health)) for health in healths]
        yield _gauge(f"ricordo_worker_{name}", meaning, label, samples)
    last = [
        ((item.worker,), item.last_success.timestamp()) for item in healths if item.last_success is not None
    ]
    name = "ricordo_worker_last_success_timestamp_seconds"
    yield _gauge(name, "Time of the last success; absent until then.", label, last)
    states = [
        ((health.worker, state), health.status[0] is state) for health in healths for state in WorkerState
    ]
    yield _gauge("ricordo_worker_state", "1 for the current state.", ("worker", "state"), states)


def _batcher(batcher: EmbeddingBatcher) -> Iterator[Metric]:
    primary = (batcher.models[0].name,)
    models = [
        ((model.name, role), model)
        for model, role in zip(batcher.models, ("primary", "fallback"), strict=False)
    ]
    yield _gauge("ricordo_embedding_waiting_texts", "Queued texts.", ("model",), [(primary, batcher.waiting)])
    name = "ricordo_embedding_in_flight_requests"
    yield _gauge(name, "Requests in progress.", ("model",), [(primary, batcher.in_flight)])
    yield from _merged([({"model": primary[0]}, batcher.queue_wait)])
    states = [
        ((*labels, state), model.breaker.state is state) for labels, model in models for state in BreakerState
    ]
    name = "ricordo_embedding_breaker_state"
    yield _gauge(name, "1 for the current state of the breaker.", ("model", "role", "state"), states)
    down = [(labels, model.breaker.down_for) for labels, model in models]
    name = "ricordo_embedding_down_seconds"
    yield _gauge(name, "How long the model has been down.", ("model", "role"), down)
    encoded = [(labels, model.measures.encoded) for labels, model in models]
    yield _counter("ricordo_embedding_encoded_texts", "Encoded texts.", ("model", "role"), encoded)
    yield from _merged(
        ({"model": name, "role": role}, metric)
        for (name, role), model in models
        for metric in (model.measures.requests, model.measures.texts, model.measures.seconds)
    )


def _merged(measures: _Measures) -> Iterator[Metric]:
    """Return one family per name, each sample with the labels of its owner."""
    families: dict[str, Metric] = {}
    for labels, measure in measures:
        for found in measure.collect():
            family = families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
            for sample in found.samples:
                if not sample.name.endswith("_created"):
                    family.add_sample(sample.name, {**labels, **sample.labels}, sample.value)
    return iter(families.values())


def _counter(name: str, meaning: str, labels: Sequence[str], samples: _Samples) -> Metric:
    """Return a counter; `_total` is added to its name."""
    return _filled(CounterMetricFamily(name, meaning, labels=labels), samples)


def _gauge(name: str, meaning: str, labels: Sequence[str], samples: _Samples) -> Metric:
    return _filled(GaugeMetricFamily(name, meaning, labels=labels), samples)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, samples: _Samples) -> Metric:
    for values, value in samples:
        family.add_metric(values, value)
    return family
