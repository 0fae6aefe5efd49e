"""The brake: when a worker halts, what it tries, and when it goes on."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.manual_clock import ManualClock

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.worker.breaker import ConsumerBreaker, ConsumerBreakerSettings

MESSAGES = 4
SETTINGS = ConsumerBreakerSettings(messages=MESSAGES, pauses=Backoff(first=1.0, longest=8.0, jitter=0.0))

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
        told = ConsumerBreaker("encode", ManualClock(), ConsumerBreakerSettings(messages=2, share=1))
        for sequence, failed in tries:
            tell(told, sequence, failed=failed, last=True)
            assert not told.is_open

    def test_a_last_delivery_that_failed_halts_it_until_there_is_something_to_compare_with(self) -> None:
        told = breaker()
        tell(told, 1, failed=True)
        assert told.reason == ""
        tell(told, 1, failed=True, last=True)
        assert "none has passed yet" in told.reason
        told.found_no_other()
        assert told.reason == ""
        tell(told, 1, failed=True, last=True)
        assert told.reason == "", "it may be given up now"

    def test_where_many_fail_it_does_not_matter_that_there_is_nothing_else(self) -> None:
        told = breaker()
        for sequence in range(MESSAGES):
            tell(told, sequence, failed=True)
        told.found_no_other()
        assert told.is_open

    def test_it_says_what_it_has_seen_and_what_to_do(self) -> None:
        told = breaker()
        for sequence in range(MESSAGES):
            tell(told, sequence, failed=sequence != 0)
        assert told.reason.startswith("halted: 3 of the last 4 messages failed, the last one with OSError: b")
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
        assert told.probes == 6

        tell(told, 1, failed=False)
        for sequence in range(10, 10 + MESSAGES):
            tell(told, sequence, failed=True)
        assert await self.probes(told, clock, 8) == [39.0], "it went on for a moment only"

        for sequence in range(20, 20 + MESSAGES):
            tell(told, sequence, failed=False)
        for sequence in range(30, 30 + MESSAGES):
            tell(told, sequence, failed=True)
        assert await self.probes(told, clock, 3) == [40.0, 42.0]
