"""The graph of the stack, and a tenant for each test."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from tests.fixtures.fact_graphs import graph_of

from ricordo.graph.fact_graph import FactGraph
from ricordo_services.stack.endpoints import Endpoints


@pytest.fixture
def tenant() -> str:
    """Name a tenant that no other test uses."""
    return f"t-{uuid4().hex[:12]}"


@pytest.fixture
async def graph(stack: Endpoints) -> AsyncIterator[FactGraph]:
    async with graph_of(stack) as graph:
        yield graph
