"""What a fact has is written and read by each statement that does so, from one list of columns."""

from dataclasses import fields

import pytest

from ricordo.memory.facts.fact_model import Fact
from ricordo.store.database import blocks

FIELDS = {one.name for one in fields(Fact)}


STATEMENTS = [("fact_queries", one) for one in ("of_user", "of_predicate", "of_entity")]


@pytest.mark.parametrize(("file", "name"), [*STATEMENTS, ("fact_assertions", "lock_fact")])
def test_all_of_a_fact_is_asked_for(file: str, name: str) -> None:
    words = {word.strip(",()") for word in blocks(file)[name].split()}
    assert words >= FIELDS
    assert not any(word.startswith("include:") for word in words)
