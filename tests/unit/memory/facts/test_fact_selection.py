"""Which facts are shown beside memories."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.fixtures.reference_fold import fold
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.evidence import Evidence
from ricordo.language.text import stem
from ricordo.memory.facts.fact_model import Fact, core_profile, select_facts

START = datetime(2026, 1, 1, tzinfo=UTC)


def known(lines: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return the facts of lines `subject predicate value times`, the value said from that line's day on."""
    rows = [
        Evidence(subject, predicate, value, f"{value}-{n}", START + timedelta(days=day, minutes=n))
        for day, (subject, predicate, value, times) in enumerate(line.split(" | ") for line in lines)
        for n in range(int(times))
    ]
    return fold(rows, tenant="t", user_id="u")


@pytest.mark.parametrize("row", table(__file__, "selections"))
def test_which_facts_are_shown(row: dict[str, Any]) -> None:
    besides = frozenset(stem(word, "en") for word in row.get("besides", ()))
    found = select_facts(
        known(row["known"]),
        named_entities=row.get("names", ()),
        predicates=row.get("predicates", ()),
        besides=besides,
        language="en",
        limit=row.get("limit", 10),
    )
    assert tuple(one.object for one in found) == row["shown"]


def test_the_core_is_what_is_sure_in_the_order_of_the_profile() -> None:
    facts = known(table(__file__, "of_the_core"))
    assert [one.object for one in core_profile(facts)] == ["Ada", "Rome", "tea"]
