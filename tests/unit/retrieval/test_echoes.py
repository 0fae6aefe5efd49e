"""What a person writes that only looks a little like a context is kept."""

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.memory.context.recalled_tags import strip_recalled


@pytest.mark.parametrize("said", table(__file__, "what_only_looks_a_little_like_a_context_is_kept"))
def test_what_only_looks_a_little_like_a_context_is_kept(said: str) -> None:
    assert strip_recalled(said) == said
