"""Messages of light users are handled ahead of a flooded lane; nobody overtakes a message of their own."""

import json
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.bus.port import ConsumerLag, Outgoing
from ricordo.messages.events import MemoryCreated, MessageReceived
from ricordo.messages.ids import memory_id
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN, subject_of
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject
from ricordo.store.database import StoreUnavailable
from ricordo.system_clock import SystemClock
from ricordo.testing.bus import MemoryBus, MemoryStream
from ricordo_services.ingest.fair_read_ahead import FairReadAhead
from ricordo_services.ingest.user_shares import LaneMessage, UserShares

FLOOD = 600


def said(n: int, user: str, tenant: str = "acme", **fields: object) -> Outgoing:
    body = {
        "id": f"{user}-{n}",
        "user_id": user,
        "conversation_id": f"c-{user}",
        "role": "user",
        "content": f"Page {n}.",
        "timestamp": "2026-02-01T14:30:00Z",
    }
    subject = subject_of(tenant, "message.received")
    return Outgoing(subject=subject, body=json.dumps(body | fields).encode())


def flood(count: int = FLOOD) -> list[Outgoing]:
    return [said(n, "noisy") for n in range(count)]


@dataclass
class Recording:
    """A handler that notes what it is given, and tells that it was created."""

    given: list[tuple[str, str]] = field(default_factory=list)
    refused: str = ""
    breaks: set[str] = field(default_factory=set)
    away: bool = False

    async def __call__(self, tenant: str, events: Sequence[Envelope[MessageReceived]]) -> Sequence[Outcome]:
        if self.away:
            raise StoreUnavailable("away")
        if tenant in self.breaks:
            raise RuntimeError("the handler broke")
        self.given += [(tenant, one.body.id) for one in events]
        return [self._outcome(tenant, one.body) for one in events]

    def _outcome(self, tenant: str, body: MessageReceived) -> Outcome:
        if body.id == self.refused:
            return Reject("id_conflict", "it is taken")
        created = MemoryCreated(
            user_id=body.user_id,
            conversation_id=body.conversation_id,
            message_id=body.id,
            memory_id=memory_id(tenant, body.id),
        )
        return Done((created,))


async def nothing() -> None:
    """Do nothing."""


class Lane(MemoryBus):
    """A bus of whose lane nobody fetches, and a handler."""

    def __init__(self) -> None:
        streams = [
            MemoryStream(name=STREAM_IN, subjects=("memory.v1.*.message.>",), work_queue=True, pages=True),
            MemoryStream(name=STREAM_DERIVED, subjects=("memory.v1.*.memory.>",)),
        ]
        super().__init__(SystemClock(), streams)
        self.handler = Recording()
        self.floor = 0
        self.looks: Callable[[], Awaitable[None]] = nothing

    async def lag(self, consumer: str) -> ConsumerLag:
        assert consumer == "ingest"
        await self.looks()
        return ConsumerLag(len(self.stored(STREAM_IN)), 0, self.floor)

    async def hears(self, *messages: Outgoing) -> None:
        assert not any(await self.publish(messages))

    async def settles(self, until: int) -> None:
        """Have the turn of all messages up to a position be over."""
        for one in self.stored(STREAM_IN):
            if one.sequence <= until:
                await self.remove(STREAM_IN, one.sequence)
        self.floor = until

    @property
    def told(self) -> list[str]:
        return [json.loads(one.body)["message_id"] for one in self.stored(STREAM_DERIVED)]

    def process(self, gate: Gate | None = None) -> FairReadAhead:
        """Return what a process runs."""
        return FairReadAhead(self, self.handler, gate or Gate(), self.clock)


@pytest.fixture
def lane() -> Lane:
    return Lane()


@pytest.fixture
async def overtake(lane: Lane) -> FairReadAhead:
    """What a process runs that began while the lane was empty."""
    began = lane.process()
    await began.run()
    return began


async def test_behind_a_flood_who_says_little_is_taken_in_and_nothing_leaves_the_lane(
    lane: Lane, overtake: FairReadAhead
) -> None:
    await lane.hears(*flood(), said(1, "quiet"), said(2, "quiet"))
    await overtake.run()
    assert lane.handler.given == [("acme", "quiet-1"), ("acme", "quiet-2")]
    assert lane.told == ["quiet-1", "quiet-2"]
    assert len(lane.stored(STREAM_IN)) == FLOOD + 2
    await lane.hears(said(3, "quiet"))
    await overtake.run()
    assert lane.told == ["quiet-1", "quiet-2", "quiet-3"], "each once, and what came meanwhile"


async def test_a_process_counts_what_waited_when_it_began_and_leaves_it_to_its_turn(lane: Lane) -> None:
    await lane.hears(*flood(), said(1, "early"))
    later = lane.process()
    await later.run()
    assert lane.handler.given == []
    await lane.hears(said(1, "quiet"), said(2, "early"))
    await later.run()
    assert lane.told == ["quiet-1"], "who was left to their turn stays behind it"
    await lane.settles(FLOOD + 3)
    await lane.hears(*flood(), said(3, "early"))
    await later.run()
    assert lane.told == ["quiet-1", "early-3"]


async def test_what_breaks_the_handler_harms_no_other_tenant_and_is_not_tried_again(
    lane: Lane, overtake: FairReadAhead
) -> None:
    lane.handler.breaks = {"broken"}
    await lane.hears(*flood(), said(1, "quiet", tenant="broken"), said(1, "quiet", tenant="well"))
    with pytest.raises(RuntimeError, match="broke"):
        await overtake.run()
    assert lane.handler.given == [("well", "quiet-1")]
    lane.handler.breaks = set()
    await lane.hears(said(2, "quiet", tenant="broken"), said(2, "quiet", tenant="well"))
    await overtake.run()
    assert lane.handler.given == [("well", "quiet-1"), ("well", "quiet-2")], (
        "the earlier one has its turn first"
    )


people = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("vwxyz")), max_size=60)
settled = st.integers(0, 200)


@given(st.lists(st.tuples(people, settled, st.booleans()), max_size=6))
def test_nobody_overtakes_a_message_of_their_own_that_waits(
    pages: list[tuple[list[tuple[str, str]], int, bool]],
) -> None:
    shares, waiting, sequence, floor = UserShares(), dict[Hashable, int](), 0, 0
    for people, settled_to, anew in pages:
        page = [LaneMessage(sequence + n, tenant, user) for n, (tenant, user) in enumerate(people, 1)]
        sequence += len(page)
        floor = max(floor, min(settled_to, sequence - len(page)))
        if anew:
            shares.reset()
        shares.count(page)
        overtakes = shares.overtaking(page, floor)
        assert overtakes == [one for one in page if one in overtakes]
        assert not [one for one in overtakes if waiting.get(one.sender, 0) > floor]
        waiting |= {one.sender: one.sequence for one in page if one not in overtakes}


def overtaking(page: list[tuple[str, str]]) -> list[int]:
    """Return the positions of those of a first page who overtake."""
    shares = UserShares()
    lines = [LaneMessage(n, tenant, user) for n, (tenant, user) in enumerate(page, 1)]
    shares.count(lines)
    return [one.sequence for one in shares.overtaking(lines, 0)]


@given(st.integers(1, 30), st.integers(1, 40))
def test_among_users_who_say_the_same_nobody_overtakes(users: int, each: int) -> None:
    assert overtaking([("acme", f"u-{user}") for _ in range(each) for user in range(users)]) == []


@given(st.integers(1, 2_000), st.integers(1, 50))
def test_beside_one_who_floods_a_small_part_overtakes(much: int, little: int) -> None:
    found = overtaking([("acme", "noisy")] * much + [("acme", "quiet")] * little)
    quiet = list(range(much + 1, much + little + 1))
    noisy = list(range(1, much + 1))
    assert found == (quiet if 8 * little <= much + little else noisy if 8 * much <= much + little else [])


def test_of_very_many_who_wait_the_record_is_bounded_and_all_wait_on() -> None:
    shares = UserShares()
    crowd = [LaneMessage(n, "acme", f"u-{n}") for n in range(1, 60_001)]
    flood = [LaneMessage(60_000 + n, "acme", "noisy") for n in range(1, 1_001)]
    shares.leave(crowd)
    shares.count([*flood, quiet := LaneMessage(61_001, "other", "quiet")])
    assert shares.overtaking([quiet], 10) == []
    assert shares.overtaking([LaneMessage(61_002, "other", "quiet")], 61_001) != []
