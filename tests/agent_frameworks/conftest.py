"""The running system for the tests of frameworks for agents, which `make test-agents` runs."""

from collections.abc import AsyncIterator

import pytest
from tests.fixtures.system import System, bot, client, system
from tests.fixtures.wire import Bot

from ricordo.client import MemoryClient

__all__ = ["bot", "client", "system"]


@pytest.fixture
async def memory(system: System, bot: Bot) -> AsyncIterator[MemoryClient]:
    async with MemoryClient.connect(system.endpoints.nats_url, bot.tenant, timeout=20) as memory:
        yield memory
