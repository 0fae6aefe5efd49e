"""Who may do what follows from who reads, writes and answers, so that a new consumer cannot be forgotten."""

import pytest
from tests.support import bus

from ricordo.bus.nats.permissions import GATEWAY, consumers_of, inbox_of_worker, of_worker
from ricordo.bus.nats.topology import ConsumerSpec, ricordo_topology
from ricordo.messages.routing import CONTRACTS, WORKERS, bot_permissions, inbox_prefix, worker_of
from ricordo.messages.subjects import every_tenant


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject lies within a pattern of NATS, which may name a queue behind it."""
    return bus.matches(pattern.partition(" ")[0], subject)


def publishing(subject: str) -> set[str]:
    return {worker for worker in WORKERS if any(matches(one, subject) for one in of_worker(worker).publish)}


@pytest.mark.parametrize("consumer", ricordo_topology().consumers, ids=lambda one: one.name)
def test_every_durable_consumer_is_one_workers(consumer: ConsumerSpec) -> None:
    owner = {worker for worker in WORKERS if consumer.name in consumers_of(worker)}
    assert len(owner) == 1
    assert publishing(f"$JS.API.CONSUMER.MSG.NEXT.{consumer.stream}.{consumer.name}") == owner
    assert publishing(f"$JS.ACK.{consumer.stream}.{consumer.name}.1.2.3.4.5") == owner
    assert owner <= publishing(f"dlq.{consumer.name}.memory.v1.acme.message.received")


@pytest.mark.parametrize("name", [name for name, one in CONTRACTS.items() if one.writers])
def test_an_event_is_published_by_its_writers_alone(name: str) -> None:
    contract = CONTRACTS[name]
    parting = {*map(worker_of, contract.consumers), "lifecycle"} if contract.consumers else set()
    assert publishing(every_tenant(name)) == {worker_of(writer) for writer in contract.writers} | parting


@pytest.mark.parametrize("name", [name for name, one in CONTRACTS.items() if one.reply is not None])
def test_a_request_reaches_who_answers_it_in_their_queue_group(name: str) -> None:
    responder = CONTRACTS[name].responder
    assert responder is not None
    hearing = {
        (worker, pattern.partition(" ")[2])
        for worker in WORKERS
        for pattern in of_worker(worker).subscribe
        if matches(pattern, every_tenant(name))
    }
    assert (responder.worker, responder.queue) in hearing
    assert {queue for _, queue in hearing} <= {
        one.responder.queue for one in CONTRACTS.values() if one.responder is not None
    }


@pytest.mark.parametrize("worker", WORKERS)
def test_no_worker_may_make_change_or_empty_a_stream_or_hear_what_bots_say(worker: str) -> None:
    allowed = of_worker(worker)
    for call in (
        "STREAM.CREATE.X",
        "STREAM.PURGE.RICORDO",
        "STREAM.DELETE.RICORDO_IN",
        "CONSUMER.CREATE.RICORDO.x",
    ):
        assert not any(matches(one, f"$JS.API.{call}") for one in allowed.publish)
    for subject in (
        "memory.v1.acme.message.received",
        "dlq.ingest.x",
        "_INBOX.x",
        f"{inbox_prefix('acme')}.x",
    ):
        assert not any(matches(one, subject) for one in allowed.subscribe)
    others = {inbox_of_worker(one) for one in WORKERS if one != worker}
    assert not any(matches(one, f"{other}.x") for one in allowed.subscribe for other in others)


def test_a_bot_is_kept_to_its_tenant() -> None:
    allowed = bot_permissions("acme")
    assert all(
        one.startswith(("memory.v1.acme.", "_INBOX_acme.")) for one in (*allowed.publish, *allowed.subscribe)
    )
    for name, contract in CONTRACTS.items():
        subject = f"memory.v1.acme.{name}"
        assert any(matches(one, subject) for one in allowed.publish) is contract.from_bots
        assert any(matches(one, subject) for one in allowed.subscribe) is not contract.from_bots


def test_each_stream_and_consumer_stands_once_and_reads_what_there_is() -> None:
    topology = ricordo_topology()
    streams, consumers = ([one.name for one in each] for each in (topology.streams, topology.consumers))
    assert len(set(streams)) == len(streams)
    assert len(set(consumers)) == len(consumers)
    assert {consumer.stream for consumer in topology.consumers} <= set(streams)


def test_the_gateway_may_replay_what_a_consumer_reads_and_publish_no_other_event_of_workers() -> None:
    allowed = of_worker(GATEWAY).publish
    for name, contract in CONTRACTS.items():
        subject = f"memory.v1.acme.{name}"
        may = any(matches(one, subject) for one in allowed)
        assert may is (contract.from_bots or bool(contract.consumers)), name
    for call in (
        "STREAM.PURGE.RICORDO_DLQ",
        "STREAM.MSG.DELETE.RICORDO_IN",
        "CONSUMER.MSG.NEXT.RICORDO_IN.x",
    ):
        assert not any(matches(one, f"$JS.API.{call}") for one in allowed)
