"""Streams and consumers on a real server: created, updated, and refused where they drifted too far."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nats.js.api import AckPolicy, ConsumerConfig, RetentionPolicy, StorageType, StreamConfig
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology, ricordo_topology
from ricordo.bus.port import BusUnavailable, Outgoing, PublishRefused, StreamsTooLarge, TopologyDrift
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN


def settings(server: NatsServerProcess) -> NatsSettings:
    return NatsSettings(servers=(server.url,))


async def provisioned(server: NatsServerProcess, topology: Topology) -> list[str]:
    async with open_bus(settings(server), topology) as bus:
        return list(await bus.provision())


class TestRicordosTopology:
    async def test_the_streams_are_what_the_contract_says(self, bus: NatsBus) -> None:
        streams = bus._connection.streams
        incoming = (await streams.stream_info(STREAM_IN)).config
        assert (incoming.retention, incoming.discard, incoming.storage) == ("workqueue", "new", "file")
        assert incoming.persist_mode is None
        assert incoming.duplicate_window == 0.1
        derived = (await streams.stream_info(STREAM_DERIVED)).config
        assert (derived.retention, derived.discard, derived.persist_mode) == ("limits", "old", "async")
        assert derived.max_age == 7 * 86_400
        assert derived.duplicate_window == 0.1
        assert derived.max_consumers == 10_000
        letters = (await streams.stream_info(STREAM_DEAD_LETTERS)).config
        assert letters.subjects == ["dlq.>"]

    async def test_a_body_over_the_servers_limit_is_refused_alone(self, bus: NatsBus) -> None:
        results = await bus.publish(
            [
                Outgoing(subject="memory.v1.acme.memory.created", body=b"x" * 2_000_000),
                Outgoing(subject="memory.v1.acme.memory.created", body=b"{}"),
            ]
        )
        assert isinstance(results[0], PublishRefused)
        assert results[1] is None


class TestProvisioning:
    async def test_several_processes_may_provision_at_once(
        self, server: NatsServerProcess, topology: Topology
    ) -> None:
        results = await asyncio.gather(*(provisioned(server, topology) for _ in range(5)))
        assert any(results)
        assert await provisioned(server, topology) == []

    async def test_compatible_drift_is_updated(self, server: NatsServerProcess, topology: Topology) -> None:
        await provisioned(server, topology)
        wanted = ricordo_topology(ack_wait=7.0, max_deliver=9, incoming_bytes=1_000_000)
        changes = await provisioned(server, wanted)
        assert "stream RICORDO_IN updated: max_bytes is 536870912 and 1000000 is declared" in changes
        assert (
            "consumer encode of RICORDO updated: ack_wait is 1.0 and 7.0 is declared; "
            "max_deliver is 3 and 9 is declared" in changes
        )
        assert await provisioned(server, wanted) == []
        async with open_bus(settings(server), wanted) as bus:
            encode = await bus.subscribe("encode")
            assert (encode.ack_wait, encode.max_deliver) == (7.0, 9)

    async def test_a_stream_of_before_gets_room_for_many_listeners(self, server: NatsServerProcess) -> None:
        before = StreamSpec(name="S", subjects=("s.>",), storage=StorageType.MEMORY)
        await provisioned(server, Topology(streams=[before]))
        many = Topology(streams=[replace(before, max_consumers=2_000)])
        async with open_bus(settings(server), many) as bus:
            await bus.provision()
            streams = bus._connection.streams
            explicit = AckPolicy.EXPLICIT
            made = [ConsumerConfig(durable_name=f"l-{n}", ack_policy=explicit) for n in range(1_001)]
            await asyncio.gather(*(streams.add_consumer("S", one) for one in made))
            assert (await streams.stream_info("S")).state.consumer_count == 1_001

    async def test_what_an_operator_set_beyond_the_declaration_stays(self, server: NatsServerProcess) -> None:
        spec = StreamSpec(name="S", subjects=("s.>",), max_bytes=1_000_000)
        async with open_bus(settings(server), Topology(streams=[spec])) as bus:
            await bus.provision()
            streams = bus._connection.streams
            info = await streams.stream_info("S")
            await streams.update_stream(replace(info.config, description="mine", max_bytes=5))
            assert await bus.provision() == ["stream S updated: max_bytes is 5 and 1000000 is declared"]
            assert (await streams.stream_info("S")).config.description == "mine"

    @pytest.mark.parametrize(
        ("existing", "named"),
        [
            (StreamSpec(name="S", subjects=("s.>",), storage=StorageType.MEMORY), "storage is memory"),
            (
                StreamSpec(name="S", subjects=("s.>",), retention=RetentionPolicy.WORK_QUEUE),
                "retention is workqueue",
            ),
            (StreamSpec(name="S", subjects=("s.>",), persist_async=True), "persist_mode is async"),
        ],
    )
    async def test_incompatible_drift_stops_with_the_command_to_run(
        self, server: NatsServerProcess, existing: StreamSpec, named: str
    ) -> None:
        await provisioned(server, Topology(streams=[existing]))
        declared = Topology(streams=[StreamSpec(name="S", subjects=("s.>",))])
        with pytest.raises(TopologyDrift, match=named) as stopped:
            await provisioned(server, declared)
        assert "nats stream rm S" in str(stopped.value)

    async def test_a_push_consumer_in_the_way_stops_with_the_command_to_run(
        self, server: NatsServerProcess, topology: Topology
    ) -> None:
        declared = Topology(
            streams=[StreamSpec(name="S", subjects=("s.>",))],
            consumers=[ConsumerSpec(name="c", stream="S", subjects=("s.>",))],
        )
        async with open_bus(settings(server), declared) as bus:
            streams = bus._connection.streams
            await streams.add_stream(StreamConfig(name="S", subjects=["s.>"], duplicate_window=0.1))
            await streams.add_consumer("S", name="c", durable_name="c", deliver_subject="somewhere")
            with pytest.raises(TopologyDrift, match="nats consumer rm S c"):
                await bus.provision()

    async def test_subjects_of_another_stream_stop_with_what_the_server_says(
        self, server: NatsServerProcess
    ) -> None:
        await provisioned(server, Topology(streams=[StreamSpec(name="OTHER", subjects=("s.x",))]))
        with pytest.raises(TopologyDrift, match="overlap"):
            await provisioned(server, Topology(streams=[StreamSpec(name="S", subjects=("s.>",))]))

    async def test_a_consumer_that_nobody_provisioned_is_named(self, server: NatsServerProcess) -> None:
        async with open_bus(settings(server), ricordo_topology()) as bus:
            with pytest.raises(BusUnavailable, match="consumer encode of RICORDO"):
                await bus.subscribe("encode")


async def publish(bus: NatsBus, *names: str) -> None:
    """Publish derived events, each with its number as its body."""
    sent = [Outgoing(subject=f"memory.v1.{name}", body=b"%d" % n) for n, name in enumerate(names, 1)]
    assert await bus.publish(sent) == [None] * len(names)


class TestStoredMessages:
    async def test_a_message_is_read_by_its_position_and_can_be_removed(self, bus: NatsBus) -> None:
        await publish(bus, "a.memory.created", "b.memory.created")
        found = await bus.read(STREAM_DERIVED, 2)
        assert found is not None
        assert (found.subject, found.body) == ("memory.v1.b.memory.created", b"2")
        assert (found.stream, found.sequence) == (STREAM_DERIVED, 2)
        for _ in range(2):
            await bus.remove(STREAM_DERIVED, 2)
        assert await bus.read(STREAM_DERIVED, 2) is None
        assert await bus.read(STREAM_DERIVED, 99) is None

    async def test_the_next_message_of_a_subject_is_found_behind_what_is_gone(self, bus: NatsBus) -> None:
        await publish(bus, *(f"{name}.memory.created" for name in "abaa"))
        await bus.remove(STREAM_DERIVED, 1)
        for sequence, tenant, following in ((0, "a", 3), (3, "a", 4), (4, "a", None), (0, "*", 2)):
            found = await bus.after(STREAM_DERIVED, sequence, f"memory.v1.{tenant}.memory.created")
            assert (found and found.sequence) == following


class TestUnsettledEvents:
    async def test_the_oldest_is_told_also_where_newer_ones_were_settled(self, bus: NatsBus) -> None:
        assert await bus.oldest_unsettled("encode") is None
        times = []
        for n in range(3):
            times.append(datetime.now(UTC))
            await bus.publish([Outgoing(subject=f"memory.v1.t-{n}.memory.created", body=b"{}")])
        times.append(datetime.now(UTC))
        first, second, third = await (await bus.subscribe("encode")).fetch(3, 5.0)
        for settled, oldest in ((second, 0), (first, 2), (third, None)):
            await settled.ack(confirmed=True)
            found = await bus.oldest_unsettled("encode")
            if oldest is None:
                assert found is None
            else:
                assert found is not None
                assert times[oldest] <= found <= times[oldest + 1]
        assert await bus.oldest_unsettled("encode-bulk") is None


_MB = 1_000_000
_ACCOUNT = {"jetstream": {"max_file": 60 * _MB}, "users": [{"user": "us", "password": "us"}]}


def bounded(megabytes: int) -> Topology:
    return ricordo_topology(incoming_bytes=megabytes * _MB, derived_bytes=20 * _MB, dead_letter_bytes=1 * _MB)


class TestRoom:
    @pytest.mark.parametrize("of_the_account", [False, True])
    async def test_streams_that_find_none_say_how_much_they_need(
        self, tmp_path: Path, *, of_the_account: bool
    ) -> None:
        server = (
            NatsServerProcess(tmp_path, accounts={"us": _ACCOUNT}, no_auth_user="us")
            if of_the_account
            else NatsServerProcess(tmp_path, jetstream={"max_file_store": 60 * _MB})
        )
        async with server:
            with pytest.raises(StreamsTooLarge) as new:
                await provisioned(server, bounded(50))
            assert await provisioned(server, bounded(20)), "less finds room, without anything being removed"
            with pytest.raises(StreamsTooLarge) as grown:
                await provisioned(server, bounded(50))
        assert "no room for stream RICORDO (" in str(new.value)
        assert "no room for stream RICORDO_IN (" in str(grown.value)
        for error in (new, grown):
            assert error.value.needed == 71 * _MB + 8 * 1024**2
            assert "79 MB for all (RICORDO_IN 50 MB, RICORDO 20 MB, RICORDO_DLQ 1 MB" in str(error.value)
            assert "stream rm" not in str(error.value), "nothing is to be removed for that"


class TestConnecting:
    async def test_nobody_at_the_address_is_said_in_time(self, server: NatsServerProcess) -> None:
        server.stop()
        url = server.url.replace("nats://", "nats://me:secret@")
        with pytest.raises(BusUnavailable, match="no NATS server accepts a connection") as stopped:
            async with open_bus(NatsSettings(servers=(url,), start_timeout=0.5), ricordo_topology()):
                pass
        assert "secret" not in str(stopped.value)
