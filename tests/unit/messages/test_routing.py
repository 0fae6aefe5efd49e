"""The routing table agrees with the server and with what the workers publish and answer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ricordo_services
from ricordo.bus.nats.topology import SWEEPER, ricordo_topology
from ricordo.messages.events import DerivedEvent, MemoryRemembered
from ricordo.messages.routing import CONSUMERS, CONTRACTS, WORKERS, ContractKind, worker_of
from ricordo.messages.subjects import every_tenant
from ricordo_services.app import worker_process

SERVICES = Path(str(ricordo_services.__file__)).parent
EVENTS = {contract.body.__name__: name for name, contract in CONTRACTS.items()}
RESPONDERS = {one.responder for one in CONTRACTS.values() if one.responder is not None}
RECEIPTS = {"stage_events", "receipt"}


def calls(folder: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield every function that the code below `folder` calls by its name, with the call."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node.func.id, node


def test_the_consumers_are_the_durable_consumers_of_the_server() -> None:
    declared = {
        consumer.name: (consumer.stream, set(consumer.subjects))
        for consumer in ricordo_topology().consumers
        if consumer.name != SWEEPER
    }

    assert declared == {
        one.name: (one.stream, {every_tenant(name) for name in one.events}) for one in CONSUMERS
    }
    assert {name for one in CONTRACTS.values() for name in one.consumers} == set(declared)


def test_every_consumer_is_fetched_from_by_one_worker() -> None:
    fetched = [
        call.args[1].value
        for name, call in calls(SERVICES / "app")
        if name == "event_worker" and isinstance(call.args[1], ast.Constant)
    ]

    assert sorted(map(str, fetched)) == sorted(one.name for one in CONSUMERS)


def test_every_worker_is_in_the_table() -> None:
    halves = {one.name for one in CONSUMERS if one.name != one.worker}

    assert set(worker_process.WORKERS) - halves - {"gateway"} == set(WORKERS)
    assert {one.worker for one in CONSUMERS} | {one.worker for one in RESPONDERS} == set(WORKERS)


def test_every_derived_event_has_a_writer_that_exists() -> None:
    events = [one for one in CONTRACTS.values() if one.kind is ContractKind.EVENT]

    assert {one.name for one in events if one.writers} == {
        one.name for one in events if issubclass(one.body, DerivedEvent)
    }
    assert {worker_of(writer) for one in events for writer in one.writers} == set(WORKERS)


@pytest.mark.parametrize("worker", WORKERS)
def test_the_table_names_a_worker_for_each_event_that_it_writes(worker: str) -> None:
    made = {name for name, _ in calls(SERVICES / worker)}
    written = {EVENTS[name] for name in made & EVENTS.keys()}
    if made & RECEIPTS:
        written.add(MemoryRemembered.name)

    assert written <= {one.name for one in CONTRACTS.values() if worker in map(worker_of, one.writers)}


def test_requests_are_answered_by_the_queue_groups_of_the_table() -> None:
    served = set()
    for name, call in calls(SERVICES / "app"):
        if name == "query_server":
            _, queue, handlers = call.args[:3]
            assert isinstance(queue, ast.Constant)
            assert isinstance(handlers, ast.Dict)
            assert isinstance(handlers.keys[0], ast.Constant)
            served.add((str(handlers.keys[0].value).partition(".")[0], queue.value))

    assert served == {
        (one.kind.value, one.responder.queue) for one in CONTRACTS.values() if one.responder is not None
    }
