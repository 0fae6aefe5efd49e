"""Patterns of subjects in the bus in memory, as NATS reads them."""

import pytest
from tests.support.bus import matches


@pytest.mark.parametrize(
    ("pattern", "subject", "expected"),
    [
        ("a.b", "a.b", True),
        ("a.*", "a.b", True),
        ("a.*", "a.b.c", False),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        (">", "a", True),
        ("*.b", "a.c", False),
        ("a.>.b", "a.x.b", False),
        ("a>", "ab", False),
    ],
)
def test_patterns(pattern: str, subject: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert matches(pattern, subject) is expected
