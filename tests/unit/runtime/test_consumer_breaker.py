"""The brake and the loop: when a worker halts, what it fetches, handles and tries next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from tests.support.manual_clock import ManualClock

from ricordo.bus.port import Delivery
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.worker.breaker import ConsumerBreaker, ConsumerBreakerSettings
from ricordo.runtime.worker.state import ConsumptionSettings, InFlightMessage, LoopState

MESSAGES = 4
SETTINGS = ConsumerBreakerSettings(window=MESSAGES, pauses=Backoff(first=1.0, longest=8.0, jitter=0.0))

Tries = st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=60)
"""Messages by their place, and whether their try failed."""


def breaker() -> ConsumerBreaker:
    return ConsumerBreaker("encode", ManualClock(), SETTINGS)


def tell(told: ConsumerBreaker, sequence: int, *, failed: bool, last: bool = False) -> None:
    if failed:
        told.failed(sequence, "OSError: broken", last=last)
    else:
        told.succeeded(sequence)


class TestTheRule:
    @given(Tries)
    def test_it_halts_when_more_than_the_share_of_the_last_messages_have_failed(
        self, tries: list[tuple[int, bool]]
    ) -> None:
        told = breaker()
        seen: dict[int, bool] = {}
        for sequence, failed in tries:
            was_on = told.is_open
            tell(told, sequence, failed=failed)
            if was_on and not failed:
                seen = {}  # it has gone on, and begins to count anew
            seen = {one: how for one, how in seen.items() if one != sequence} | {sequence: failed}
            seen = dict(list(seen.items())[-MESSAGES:])
            too_much = len(seen) == MESSAGES and sum(seen.values()) * 2 > MESSAGES
            assert told.is_open is (failed and (was_on or too_much))

    @given(st.lists(st.booleans(), max_size=60))
    def test_one_bad_message_never_halts_it_however_often_it_comes(self, between: list[bool]) -> None:
        told = breaker()
        tell(told, 100, failed=False)
        for place, bad in enumerate(between):
            tell(told, 7 if bad else 101 + place, failed=bad, last=True)
            assert not told.is_open

    @given(Tries)
    def test_a_share_of_all_never_halts_it(self, tries: list[tuple[int, bool]]) -> None:
        told = ConsumerBreaker("encode", ManualClock(), ConsumerBreakerSettings(window=2, share=1))
        for sequence, failed in tries:
            tell(told, sequence, failed=failed, last=True)
            assert not told.is_open

    def test_a_last_delivery_that_failed_halts_it_until_there_is_something_to_compare_with(self) -> None:
        told = breaker()
        tell(told, 1, failed=True)
        assert told.reason == ""
        tell(told, 1, failed=True, last=True)
        assert "none has passed yet" in told.reason
        told.no_message_left_to_probe()
        assert told.reason == ""
        tell(told, 1, failed=True, last=True)
        assert told.reason == "", "it may be given up now"

    def test_where_many_fail_it_does_not_matter_that_there_is_nothing_else(self) -> None:
        told = breaker()
        for sequence in range(MESSAGES):
            tell(told, sequence, failed=True)
        told.no_message_left_to_probe()
        assert told.is_open

    def test_it_says_what_it_has_seen_and_what_to_do(self) -> None:
        told = breaker()
        for sequence in range(MESSAGES):
            tell(told, sequence, failed=sequence != 0)
        assert told.reason.startswith("halted: 3 of the last 4 items failed, the last one with OSError: b")
        assert "fix the cause" in told.reason


class TestPauses:
    async def probes(self, told: ConsumerBreaker, clock: ManualClock, seconds: int) -> list[float]:
        """Probe whenever it is due, and return when."""
        began: list[float] = []
        for _ in range(seconds):
            await clock.advance(1.0)
            if told.is_open and clock.monotonic() >= told.probe_at:
                told.begin_probe()
                began.append(clock.monotonic())
        return began

    async def test_they_grow_up_to_the_longest_and_start_anew_once_all_is_well(self) -> None:
        clock = ManualClock()
        told = ConsumerBreaker("encode", clock, SETTINGS)
        assert told.probe_at < 0
        for sequence in range(MESSAGES):
            tell(told, sequence, failed=True)
        assert await self.probes(told, clock, 31) == [1.0, 3.0, 7.0, 15.0, 23.0, 31.0]
        tell(told, 1, failed=False)
        for sequence in range(10, 10 + MESSAGES):
            tell(told, sequence, failed=True)
        assert await self.probes(told, clock, 8) == [39.0], "it went on for a moment only"
        for sequence in range(20, 20 + MESSAGES):
            tell(told, sequence, failed=False)
        for sequence in range(30, 30 + MESSAGES):
            tell(told, sequence, failed=True)
        assert await self.probes(told, clock, 3) == [40.0, 42.0]


LINGER_S = 0.05
MAX_DELIVER = 8


@dataclass
class Stored:
    sequence: int
    attempt: int = 1
    subject: str = ""
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Loop:
    """A loop whose steps are taken by hand."""

    def __init__(self, *, slots: int = 8, batch: int = 8, concurrency: int = 3, linger: float = 0.0) -> None:
        self.clock = ManualClock()
        self.breaker = ConsumerBreaker("encode", self.clock, ConsumerBreakerSettings(window=2))
        settings = ConsumptionSettings(slots=slots, batch=batch, concurrency=concurrency, linger=linger)
        self.state = LoopState(settings, self.breaker)

    def give(self, *places: tuple[int, int] | int, user: str = "") -> int:
        """Fetch messages of a user, each by its place and attempt; return how many might have been."""
        size = self.state.fetch_size()
        assert self.state.begin_fetch()
        self.state.note_probe()
        stored = [Stored(*(one if isinstance(one, tuple) else (one, 1)), user) for one in places]
        self.state.end_fetch(cast("list[Delivery]", stored), MAX_DELIVER, self.clock.monotonic())
        return size

    def take(self) -> Sequence[InFlightMessage]:
        return self.state.begin_batch(self.clock.monotonic())


def sequences(taken: Sequence[InFlightMessage]) -> list[int]:
    return [message.delivery.sequence for message in taken]


async def test_a_batch_waits_for_its_linger_or_until_it_is_full() -> None:
    loop = Loop(batch=2, linger=LINGER_S)
    loop.give(1)
    assert not loop.take()
    loop.give(2)
    assert sequences(loop.take()) == [1, 2]
    loop.give(3)
    assert not loop.take()
    await loop.clock.advance(LINGER_S)
    assert sequences(loop.take()) == [3]


def test_no_more_is_fetched_than_there_are_slots_and_no_more_handled_than_at_once() -> None:
    loop = Loop(slots=4, batch=3, concurrency=1)
    assert loop.give(1, 2, 3) == 3
    assert loop.give(4) == 1
    assert loop.state.fetch_size() == 0
    first = loop.take()
    assert not loop.take(), "one batch at once"
    assert loop.state.end_batch(first) == 3
    assert (sequences(loop.take()), loop.state.fetch_size()) == ([4], 3)


def test_users_take_turns_and_the_messages_of_each_keep_their_order() -> None:
    loop = Loop(slots=16, batch=2, concurrency=1)
    loop.give(*range(1, 9), user="anna")
    first = loop.take()
    loop.give(9, 10, user="ben")
    loop.give(11, user="carla")
    handled = [sequences(first)]
    while batch := (loop.state.end_batch(first), loop.take())[1]:
        handled.append(sequences(batch))
        first = batch
    assert handled == [[1, 2], [3, 9], [11, 4], [10, 5], [6, 7], [8]]


def test_a_message_that_was_delivered_twice_in_vain_is_handled_alone() -> None:
    loop = Loop()
    loop.give((1, 3), (2, 2), (3, 1), (4, 4))
    regular = loop.take()
    assert sequences(regular) == [2, 3], "two deliveries are no suspicion"
    assert not loop.take(), "others are in work"
    loop.state.end_batch(regular)
    for sequence in (4, 1):
        suspects = loop.take()
        assert sequences(suspects) == [sequence], "the one that came most often first"
        assert not loop.take(), "nothing is handled beside it"
        assert loop.state.fetch_size() == 0, "nothing is fetched beside it"
        loop.state.end_batch(suspects)
    assert loop.state.fetch_size() == 8


def test_a_retained_message_stays_and_comes_behind_new_ones() -> None:
    loop = Loop(slots=4)
    loop.give((1, 3))
    (retained,) = loop.take()
    retained.retain()
    assert loop.state.end_batch([retained]) == 0
    assert sequences(loop.state.messages) == [1]
    loop.give(2)
    both = loop.take()
    assert sequences(both) == [2, 1], "it has shown that it kills nobody"
    assert loop.state.end_batch(both) == 2
    assert loop.state.messages == []


def test_a_suspect_comes_before_what_was_tried_and_behind_what_was_not() -> None:
    loop = Loop(slots=4, batch=1)
    loop.give(1)
    (retained,) = loop.take()
    retained.retain()
    loop.state.end_batch([retained])
    loop.give((2, 3), (3, 1))
    first = loop.take()
    assert sequences(first) == [3]
    assert not loop.take(), "it is handled with nothing beside it"
    loop.state.end_batch(first)
    assert sequences(loop.take()) == [2]


def test_a_suspect_on_its_last_delivery_waits_only_for_what_is_in_work() -> None:
    loop = Loop()
    loop.give(1)
    working = loop.take()
    loop.give((2, MAX_DELIVER - 1), (3, 1), (4, MAX_DELIVER))
    assert not loop.take()
    loop.state.end_batch(working)
    for expected in ([4], [3], [2]):
        taken = loop.take()
        assert sequences(taken) == expected
        loop.state.end_batch(taken)


async def test_while_it_is_halted_each_probe_handles_one_message_and_fetches_one() -> None:
    loop = Loop(slots=4)
    loop.give(1, 2)
    for message in (batch := loop.take()):
        loop.breaker.failed(message.delivery.sequence, "OSError")
        message.retain()
    loop.state.end_batch(batch)
    assert (loop.breaker.is_open, loop.state.fetch_size(), list(loop.take())) == (True, 0, [])
    await loop.clock.advance(1.0)
    probe = loop.take()
    assert (sequences(probe), loop.state.fetch_size()) == ([1], 1)
    assert loop.give(3) == 1
    assert (loop.state.fetch_size(), list(loop.take())) == (0, [])
    probe[0].retain()
    loop.state.end_batch(probe)
    await loop.clock.advance(2.0)
    assert sequences(loop.take()) == [3], "another message than those that failed"


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=6))
def test_a_halted_worker_probes_all_that_it_retains_by_turns(users: list[str]) -> None:
    count = len(users)
    loop = Loop(slots=count)
    for sequence, user in enumerate(users):
        loop.give(sequence, user=user)
    batch, probed = loop.take(), list[int]()
    for _ in range(2 * count):
        for message in batch:
            loop.breaker.failed(message.delivery.sequence, "OSError")
            message.retain()
        loop.state.end_batch(batch)
        batch = loop.state.begin_batch(loop.breaker.probe_at)
        probed += sequences(batch)
    assert probed == probed[:count] * 2
    assert sorted(probed[:count]) == list(range(count))


def test_when_it_stops_all_that_waits_is_taken() -> None:
    loop = Loop(linger=60.0)
    loop.give(1, 2)
    loop.state.is_stopping = True
    batch = loop.take()
    assert (sequences(batch), loop.state.fetch_size(), loop.state.is_over) == ([1, 2], 0, False)
    loop.state.end_batch(batch)
    assert loop.state.is_over
