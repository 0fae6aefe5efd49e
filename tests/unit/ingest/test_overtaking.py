"""Who says little is taken in before their turn; who floods the lane, and what is amiss, waits for theirs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.adapters.clock import SystemClock
from ricordo.messages.events import MemoryCreated, MessageReceived
from ricordo.messages.ids import memory_id
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN, subject_of
from ricordo.ports.bus import Outgoing
from ricordo.runtime.gates import OpenGate
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject
from ricordo.testing.bus import MemoryBus
from ricordo.testing.bus_model import MemoryStream
from ricordo_services.ingest.overtaking import Overtake
from ricordo_services.ingest.shares import LITTLE, Shares

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
    fails: bool = False

    async def __call__(self, tenant: str, events: Sequence[Envelope[MessageReceived]]) -> Sequence[Outcome]:
        if self.fails:
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


class Lane:
    """A lane that nobody fetches from, with an overtaker beside it that began while it was empty."""

    def __init__(self) -> None:
        streams = [
            MemoryStream(name=STREAM_IN, subjects=("memory.v1.*.message.>",), work_queue=True),
            MemoryStream(name=STREAM_DERIVED, subjects=("memory.v1.*.memory.>",)),
        ]
        self.bus = MemoryBus(SystemClock(), streams)
        self.handler = Recording()
        self.overtake = self.overtaker()

    def overtaker(self) -> Overtake:
        """Return one of a process that is about to begin."""
        return Overtake(self.bus, self, self.handler, OpenGate(), SystemClock())

    async def waiting(self) -> int:
        return len(self.bus.stored(STREAM_IN))

    async def hears(self, *messages: Outgoing) -> None:
        assert not any(await self.bus.publish(messages))

    @property
    def told(self) -> list[str]:
        return [json.loads(one.body)["message_id"] for one in self.bus.stored(STREAM_DERIVED)]


@pytest.fixture
async def lane() -> Lane:
    made = Lane()
    await made.overtake.run()
    return made


async def test_behind_a_flood_who_says_little_is_taken_in_and_nothing_leaves_the_lane(lane: Lane) -> None:
    await lane.hears(*flood(), said(1, "quiet"), said(2, "quiet"))
    await lane.overtake.run()
    assert lane.handler.given == [("acme", "quiet-1"), ("acme", "quiet-2")]
    assert lane.told == ["quiet-1", "quiet-2"]
    assert len(lane.bus.stored(STREAM_IN)) == FLOOD + 2
    await lane.hears(said(3, "quiet"))
    await lane.overtake.run()
    assert lane.told == ["quiet-1", "quiet-2", "quiet-3"], "each once, and what came meanwhile"


async def test_in_a_short_lane_nobody_overtakes(lane: Lane) -> None:
    await lane.hears(*flood(100), said(1, "quiet"))
    await lane.overtake.run()
    assert lane.handler.given == []


async def test_what_waited_when_the_process_began_comes_in_its_turn(lane: Lane) -> None:
    await lane.hears(*flood(), said(1, "quiet"))
    later = lane.overtaker()
    await later.run()
    assert lane.handler.given == []
    await lane.hears(*flood(100), said(2, "quiet"))
    await later.run()
    assert lane.told == ["quiet-2"]


async def test_users_of_a_quiet_tenant_overtake_a_tenant_of_many_users(lane: Lane) -> None:
    crowd = [said(n, f"u-{n}", tenant="crowd") for n in range(FLOOD)]
    await lane.hears(*crowd, *(said(n, f"v-{n}") for n in range(3)))
    await lane.overtake.run()
    assert lane.told == ["v-0-0", "v-1-1", "v-2-2"]


async def test_what_cannot_be_read_or_is_refused_is_left_to_its_turn(lane: Lane) -> None:
    lane.handler.refused = "quiet-2"
    unreadable = [said(9, "odd", role="king"), Outgoing(subject=said(0, "x").subject, body=b"{nope")]
    await lane.hears(*flood(), *unreadable, said(1, "quiet"), said(2, "quiet"), said(3, "quiet"))
    await lane.overtake.run()
    assert lane.told == ["quiet-1", "quiet-3"]


async def test_what_breaks_the_handler_is_not_tried_again_here(lane: Lane) -> None:
    await lane.hears(*flood(), said(1, "quiet"))
    lane.handler.fails = True
    with pytest.raises(RuntimeError):
        await lane.overtake.run()
    lane.handler.fails = False
    await lane.hears(said(2, "other"))
    await lane.overtake.run()
    assert lane.told == ["other-2"]


people = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("vwxyz")), max_size=60)


@given(st.lists(people, max_size=6))
def test_the_later_message_of_a_user_never_overtakes_an_earlier_one(
    pages: list[list[tuple[str, str]]],
) -> None:
    shares, left = Shares(), set[tuple[str, str]]()
    for page in pages:
        quiet = shares.quiet(page)
        assert quiet == sorted(set(quiet))
        assert not left & {page[n] for n in quiet}
        left |= set(page) - {page[n] for n in quiet}


@given(st.integers(1, 30), st.integers(1, 40))
def test_among_users_who_say_the_same_nobody_overtakes(users: int, each: int) -> None:
    shares = Shares()
    page = [("acme", f"u-{user}") for _ in range(each) for user in range(users)]
    assert shares.quiet(page) == []


@given(st.integers(LITTLE * 2, 2_000), st.integers(1, 50))
def test_beside_one_who_floods_a_small_part_overtakes(much: int, little: int) -> None:
    page = [("acme", "noisy")] * much + [("acme", "quiet")] * little
    overtakes = little * 2 * LITTLE <= much + little
    assert Shares().quiet(page) == (list(range(much, much + little)) if overtakes else [])
