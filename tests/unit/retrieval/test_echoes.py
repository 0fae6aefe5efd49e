"""What a person writes that only looks a little like a context is kept."""

import pytest

from ricordo.memory.context.recalled_tags import strip_recalled


@pytest.mark.parametrize(
    "said",
    [
        "m1 is closed today, take the other one",
        "f1 was great\nf1 is always great",
        "M1 is slow\nM25 is slower",
        "Today is Thursday, 5 November 2026, 09:00.",
        "Thursday, 5 November\n\nI went to the market.",
        "Recent conversation:\nAnna: hello",
        "My day:\n  m1 in the morning",
        "Notes:\n- buy milk",
    ],
)
def test_what_only_looks_a_little_like_a_context_is_kept(said: str) -> None:
    assert strip_recalled(said) == said
