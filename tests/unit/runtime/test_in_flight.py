"""Several takers at one worker's hands: none leaves while these are open."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ricordo.bus.port import Delivery
from ricordo.runtime.in_flight import InFlightBuffer, InFlightMessage
from ricordo.testing.manual_clock import settle

LINGER_S = 0.05
MAX_DELIVER = 8


@dataclass
class Stored:
    sequence: int
    attempt: int = 1


async def give(buffer: InFlightBuffer, *sequences: int) -> None:
    reserved = await buffer.reserve(lambda: len(sequences))
    assert reserved == len(sequences)
    await buffer.receive([cast(Delivery, Stored(sequence)) for sequence in sequences], reserved, MAX_DELIVER)


def sequences(taken: Sequence[InFlightMessage]) -> list[int]:
    return [held.delivery.sequence for held in taken]


async def test_who_goes_away_empty_from_a_batch_waits_for_the_next() -> None:
    buffer = InFlightBuffer(8)
    takers = [asyncio.create_task(buffer.take(lambda: 4, LINGER_S)) for _ in range(2)]
    await settle()
    await give(buffer, 1, 2)

    (first,), pending = await asyncio.wait(takers, return_when=asyncio.FIRST_COMPLETED)
    assert sequences(first.result()) == [1, 2]
    (second,) = pending
    assert not (await asyncio.wait({second}, timeout=3 * LINGER_S))[0], "the hands are open"

    await give(buffer, 3)
    assert sequences(await asyncio.wait_for(second, 10)) == [3]


async def test_a_batch_is_waited_for_even_where_its_first_is_there_already() -> None:
    buffer = InFlightBuffer(8)
    await give(buffer, 1)
    taking = asyncio.create_task(buffer.take(lambda: 2, 30))
    await settle()
    await give(buffer, 2)
    assert sequences(await asyncio.wait_for(taking, 10)) == [1, 2]


async def give_again(buffer: InFlightBuffer, *places: tuple[int, int]) -> None:
    reserved = await buffer.reserve(lambda: len(places))
    await buffer.receive([cast(Delivery, Stored(*place)) for place in places], reserved, MAX_DELIVER)


async def test_what_was_delivered_twice_in_vain_is_handled_alone() -> None:
    buffer = InFlightBuffer(8)
    await give_again(buffer, (1, 3), (2, 2), (3, 1), (4, 4))
    usual = await buffer.take(lambda: 8, 0)
    assert sequences(usual) == [2, 3], "once is no suspicion"
    reserving, taking = (
        asyncio.create_task(buffer.reserve(lambda: 1)),
        asyncio.create_task(buffer.take(lambda: 8, 0)),
    )
    await settle()
    assert not taking.done(), "others are in work"
    await buffer.release(usual)
    suspects = await asyncio.wait_for(taking, 10)
    assert sequences(suspects) == [4], "the one that came most often"
    taking = asyncio.create_task(buffer.take(lambda: 8, 0))
    await settle()
    assert not taking.done(), "a suspect is in work"
    assert not reserving.done()
    await buffer.release(suspects)
    last = await asyncio.wait_for(taking, 10)
    assert sequences(last) == [1]
    await settle()
    assert not reserving.done(), "nothing is fetched beside it"
    await buffer.release(last)
    assert await asyncio.wait_for(reserving, 10) == 1


async def test_what_is_kept_stays_and_comes_behind_what_was_not_tried() -> None:
    buffer = InFlightBuffer(4)
    await give_again(buffer, (1, 3))
    (kept,) = await buffer.take(lambda: 8, 0)
    kept.retain()
    assert await buffer.release([kept]) == 0
    assert sequences(buffer.messages) == [1]
    assert buffer.all_attempted is True
    await give(buffer, 2)
    assert [held.attempted for held in buffer.messages].count(True) == 1
    both = await buffer.take(lambda: 8, 0)
    assert sequences(both) == [2, 1], "it has shown that it kills nobody"
    assert await buffer.release(both) == 2
    assert buffer.messages == []


async def test_a_suspect_comes_before_what_was_tried_and_behind_what_was_not() -> None:
    buffer = InFlightBuffer(4)
    await give(buffer, 1)
    (kept,) = await buffer.take(lambda: 8, 0)
    kept.retain()
    await buffer.release([kept])
    await give_again(buffer, (2, 3), (3, 1))
    first = await buffer.take(lambda: 1, 0)
    assert sequences(first) == [3]
    taking = asyncio.create_task(buffer.take(lambda: 8, 0))
    await settle()
    assert not taking.done(), "it is handled with nothing beside it"
    await buffer.release(first)
    assert sequences(await asyncio.wait_for(taking, 10)) == [2]


async def test_a_suspect_that_comes_for_the_last_time_waits_for_nothing_but_what_is_in_work() -> None:
    buffer = InFlightBuffer(8)
    await give_again(buffer, (1, 1))
    working = await buffer.take(lambda: 8, 0)
    await give_again(buffer, (2, MAX_DELIVER - 1), (3, 1), (4, MAX_DELIVER))
    taking = asyncio.create_task(buffer.take(lambda: 8, 0))
    await settle()
    assert not taking.done()
    await buffer.release(working)
    for sequence in (4, 3, 2):
        taken = await asyncio.wait_for(taking, 10)
        assert sequences(taken) == [sequence]
        taking = asyncio.create_task(buffer.take(lambda: 8, 0))
        await buffer.release(taken)
    taking.cancel()


async def test_the_limit_is_asked_for_when_there_is_something_to_take_or_to_give() -> None:
    buffer, limit = InFlightBuffer(4), 4
    taking = asyncio.create_task(buffer.take(lambda: limit, 0))
    await settle()
    limit = 0
    await give(buffer, 1, 2, 3, 4)
    assert sequences(await asyncio.wait_for(taking, 10)) == []
    assert buffer.is_over is False
    taken = await buffer.take(lambda: 4, 0)
    limit = 4
    reserving = asyncio.create_task(buffer.reserve(lambda: limit))
    await settle()
    limit = 1
    await buffer.release(taken)
    assert await asyncio.wait_for(reserving, 10) == 1
