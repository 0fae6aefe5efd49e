"""The bus in memory, where the contract of all buses does not reach."""

import pytest
from tests.fixtures.workshop import memory_bus

from ricordo.bus.port import Outgoing
from ricordo.messages.subjects import STREAM_IN
from ricordo.testing.bus import matches
from ricordo.testing.manual_clock import ManualClock


class TestTheBusInMemory:
    @pytest.mark.parametrize(
        ("pattern", "subject", "expected"),
        [
            ("a.b", "a.b", True),
            ("a.*", "a.b", True),
            ("a.*", "a.b.c", False),
            ("a.>", "a.b.c", True),
            ("a.>", "a", False),
            (">", "a", True),
            ("*.b", "a.c", False),
        ],
    )
    def test_patterns(self, pattern: str, subject: str, expected: bool) -> None:  # noqa: FBT001 - a table
        assert matches(pattern, subject) is expected

    async def test_a_settled_message_leaves_a_work_queue(self) -> None:
        bus = memory_bus(ManualClock())
        await bus.publish([Outgoing(subject="memory.v1.acme.message.received", body=b"{}")])
        (delivery,) = await (await bus.subscribe("ingest")).fetch(1, 0.1)
        await delivery.ack()
        assert bus.stored(STREAM_IN) == []
