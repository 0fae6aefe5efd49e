"""Parts of a recall that run at the same time fail as if they ran alone."""

import asyncio
from collections.abc import Callable

import pytest

from ricordo.models.encoder import ModelUnavailable
from ricordo.runtime.tasks import together
from ricordo.store.database import StoreUnavailable


async def answers(value: int = 1) -> int:
    return value


async def fails(error: Exception) -> int:
    raise error


@pytest.mark.parametrize("kind", [ValueError, StoreUnavailable, ModelUnavailable])
async def test_failure_is_raised_as_itself_with_its_cause(kind: Callable[[str], Exception]) -> None:
    cause, error = OSError("reset"), kind("away")
    error.__cause__ = cause
    with pytest.raises(kind, match="away") as raised:  # type: ignore[call-overload]  # each is an exception
        await together([fails(error), answers()])
    assert raised.value.__cause__ is cause


@pytest.mark.parametrize("given_up", [True, False])
async def test_others_are_cancelled_by_a_failure_and_with_the_caller(*, given_up: bool) -> None:
    waiting, cancelled = asyncio.Event(), asyncio.Event()

    async def waits() -> int:
        try:
            waiting.set()
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return 0

    async def fails_later() -> int:
        await waiting.wait()
        if given_up:
            await asyncio.Event().wait()
        raise ValueError("a defect")

    call = asyncio.create_task(together([waits(), fails_later()]))
    await waiting.wait()
    if given_up:
        call.cancel()
    with pytest.raises(asyncio.CancelledError if given_up else ValueError):
        await call
    assert cancelled.is_set()
