"""The embedded engine takes no filter that would match the points of others."""

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.index.qdrant.edge_requests import filter_of


@pytest.mark.parametrize("condition", table(__file__, "nothing_said"))
def test_a_filter_that_says_nothing_is_refused(condition: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no filter of Qdrant"):
        filter_of(condition)
