"""What a fact has is written and read by each statement that does so, from one list of columns."""

from dataclasses import fields

import pytest

from ricordo.memory.facts import Fact
from ricordo.store.database import blocks

FIELDS = {one.name for one in fields(Fact)}
IDENTITY = {"id", "predicate"}
"""Which fact it is: never another one in the same row."""


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("fact_queries", "of_user"),
        ("fact_queries", "of_predicate"),
        ("fact_queries", "of_entity"),
        ("fact_queries", "surfacing"),
        ("facts", "write_facts"),
        ("fact_assertions", "lock_fact"),
    ],
)
def test_all_of_a_fact_is_asked_for(file: str, name: str) -> None:
    words = {word.strip(",()") for word in blocks(file)[name].split()}
    assert words >= FIELDS
    assert not any(word.startswith("include:") for word in words)


@pytest.mark.parametrize("row", ["f", "i", "excluded"])
def test_all_that_can_change_of_a_fact_is_compared_and_changed(row: str) -> None:
    words = {word.strip(",()") for word in blocks("facts")["write_facts"].split()}
    assert words >= {f"{row}.{name}" for name in FIELDS - IDENTITY}
