"""A resource is opened once for all callers, and again after a failure."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from tests.support.manual_clock import ManualClock, settle

from ricordo.settings import Settings
from ricordo_services.app.resources import Resources, shared


class OneResource(Resources):
    """Opens a resource when `finish` is set; the opening fails with `error`."""

    def __init__(self) -> None:
        super().__init__(Settings(), ManualClock(), AsyncExitStack())
        self.openings = 0
        self.finish = asyncio.Event()
        self.error: Exception | None = None


@shared
async def resource(resources: Resources) -> object:
    assert isinstance(resources, OneResource)
    resources.openings += 1
    await resources.finish.wait()
    if resources.error is not None:
        raise resources.error
    return object()


async def test_concurrent_callers_share_one_opening() -> None:
    resources = OneResource()
    callers = [asyncio.ensure_future(resource(resources)) for _ in range(3)]
    await settle()
    resources.finish.set()
    first, second, third = await asyncio.gather(*callers)
    assert first is second is third is await resource(resources)
    assert resources.openings == 1


async def test_a_failed_opening_is_tried_again_by_the_next_caller() -> None:
    resources = OneResource()
    resources.finish.set()
    resources.error = OSError("away")
    with pytest.raises(OSError, match="away"):
        await resource(resources)
    resources.error = None
    assert await resource(resources) is await resource(resources)
    assert resources.openings == 2


async def test_a_cancelled_caller_does_not_cancel_the_others() -> None:
    resources = OneResource()
    cancelled, other = (asyncio.ensure_future(resource(resources)) for _ in range(2))
    await settle()
    cancelled.cancel()
    resources.finish.set()
    assert await other is await resource(resources)
    assert cancelled.cancelled()
