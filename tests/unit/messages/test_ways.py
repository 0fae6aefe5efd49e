"""The way of an event as the contract tells it is the one that the server and the workers take."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ricordo_services
from ricordo.bus.nats.topology import SWEEPER, ricordo_topology
from ricordo.messages.events import MemoryRemembered
from ricordo.messages.registry import CONTRACTS, ContractKind
from ricordo.messages.subjects import every_tenant, stream_of
from ricordo.messages.ways import READERS, WORKERS, WRITERS, answerer_of, readers_of, worker_of
from ricordo_services.app import processes

SERVICES = Path(str(ricordo_services.__file__)).parent
EVENTS = {contract.body.__name__: name for name, contract in CONTRACTS.items()}
ANSWERING = {answerer_of(one).worker for one in CONTRACTS.values() if one.reply is not None}
RECEIPTS = {"stage_events", "receipt"}


def calls(folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield every function that the code below `folder` calls by its name, with its constant arguments."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                constants: dict[str, object] = {
                    str(one.arg): one.value.value
                    for one in node.keywords
                    if isinstance(one.value, ast.Constant)
                }
                yield node.func.id, constants


def test_the_readers_are_the_durable_consumers_of_the_server() -> None:
    declared = {
        consumer.name: (consumer.stream, set(consumer.subjects))
        for consumer in ricordo_topology().consumers
        if consumer.name != SWEEPER
    }

    told = {
        reader.consumer: (stream_of(reader.events[0]), {every_tenant(name) for name in reader.events})
        for reader in READERS
    }

    assert told == declared


def test_every_worker_is_told_of() -> None:
    halves = {reader.consumer for reader in READERS if reader.consumer != reader.worker}

    assert set(processes.WORKERS) - halves == set(WORKERS)
    assert {reader.worker for reader in READERS} | ANSWERING == set(WORKERS)


def test_every_derived_event_has_a_writer_that_exists() -> None:
    derived = {
        name
        for name, contract in CONTRACTS.items()
        if contract.kind is ContractKind.EVENT and not contract.from_bots
    }

    assert set(WRITERS) == derived
    assert {worker_of(writer) for writers in WRITERS.values() for writer in writers} == set(WORKERS)


@pytest.mark.parametrize("worker", WORKERS)
def test_what_a_worker_writes_is_told(worker: str) -> None:
    made = {name for name, _ in calls(SERVICES / worker)}
    written = {EVENTS[name] for name in made & EVENTS.keys()}
    if made & RECEIPTS:
        written.add(MemoryRemembered.name)

    told = {name for name, writers in WRITERS.items() if worker in map(worker_of, writers)}

    assert written <= told


def test_requests_are_answered_by_the_queue_groups_that_are_told() -> None:
    served = {
        (constants["kind"], constants["name"])
        for name, constants in calls(SERVICES / "app")
        if name == "QueryServer" and "kind" in constants
    }

    told = {(one.kind.value, answerer_of(one).queue) for one in CONTRACTS.values() if one.reply is not None}
    assert served == told


def test_an_event_may_have_several_readers_or_none() -> None:
    assert [reader.consumer for reader in readers_of("memory.created")] == ["encode", "knowledge"]
    assert readers_of("memory.remembered") == ()
