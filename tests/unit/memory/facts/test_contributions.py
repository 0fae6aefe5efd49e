"""What a message has to do with facts: a function of what is known, and not of when it came."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from ricordo.memory.facts import Evidence, Kind, MessageContribution, Polarity, by_slot, fold_slots

START = datetime(2026, 1, 1, tzinfo=UTC)


def said(
    value: str,
    day: int,
    *,
    predicate: str = "lives_in",
    polarity: Polarity = "holds",
    kind: Kind = "said",
) -> Evidence:
    at = START + timedelta(days=day)
    return Evidence("user", predicate, value, f"m-{day}", at, polarity=polarity, kind=kind)


def contribution(message_id: str, *rows: Evidence) -> MessageContribution:
    """Fold `rows`, and ask for one message."""
    folded = fold_slots(by_slot(rows), {}, tenant="acme", user_id="u-1", asked=[message_id])
    return folded.contributions.get(message_id, MessageContribution())


def told(found: MessageContribution) -> tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str]]:
    return (
        sorted(fact.object for fact in found.new),
        sorted(fact.object for fact in found.reinforced),
        sorted(fact.object for fact in found.superseded),
        sorted(fact.object for fact in found.disputed),
    )


ROME, MILAN = said("Rome", 0), said("Milan", 1)
LIKED = said("tea", 0, predicate="likes")
FIRM = [said("Rome", day) for day in range(5)]


@pytest.mark.parametrize(
    ("message_id", "rows", "expected"),
    [
        ("m-0", [ROME], (["Rome"], [], [], [])),
        ("m-1", [ROME, said("rome", 1)], ([], ["Rome"], [], [])),
        ("m-1", [ROME, MILAN], (["Milan"], [], ["Rome"], [])),
        ("m-0", [ROME, MILAN], (["Rome"], [], [], [])),
        ("m-2", [ROME, MILAN, said("Rome", 2)], (["Rome"], [], ["Milan"], [])),
        ("m-1", [ROME, said("Rome", 1, polarity="past")], ([], [], ["Rome"], [])),
        ("m-0", [said("Rome", 0, polarity="past")], (["Rome"], [], [], [])),
        ("m-5", [*FIRM, said("Milan", 5)], (["Milan"], [], [], ["Milan", "Rome"])),
        ("m-6", [*FIRM, said("Milan", 5), said("Milan", 6)], ([], ["Milan"], ["Rome"], [])),
        ("m-5", [*FIRM, said("Milan", 5), said("Milan", 6)], (["Milan"], [], [], [])),
        ("m-5", [*FIRM, said("Milan", 5), said("Rome", 6)], (["Milan"], [], [], [])),
        ("m-5", [*FIRM, said("Rome", 5, polarity="past")], ([], [], [], ["Rome"])),
        ("m-1", [LIKED, said("tea", 1, predicate="dislikes")], (["tea"], [], ["tea"], [])),
        ("m-1", [LIKED, said("cake", 1, predicate="likes")], (["cake"], [], [], [])),
        ("m-1", [said("Rome", 0, kind="verified"), said("Rome", 1)], ([], ["Rome"], [], [])),
        ("m-1", [said("Rome", 0, kind="verified"), said("Milan", 1)], (["Milan"], [], [], ["Milan", "Rome"])),
        ("m-9", [ROME], ([], [], [], [])),
        ("m-1", [ROME, said("Rome", 1, polarity="denied")], ([], [], ["Rome"], [])),
        ("m-5", [*FIRM, said("Rome", 5, polarity="denied")], ([], [], [], ["Rome"])),
        ("m-5", [*FIRM, said("Milan", 5, polarity="denied")], ([], [], [], [])),
    ],
)
def test_what_a_message_does(
    message_id: str,
    rows: Sequence[Evidence],
    expected: tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str]],
) -> None:
    assert told(contribution(message_id, *rows)) == expected


@pytest.mark.parametrize("message_id", ["m-0", "m-1", "m-2", "m-3"])
def test_it_is_the_same_in_whatever_order_they_come(message_id: str) -> None:
    rows = (ROME, MILAN, said("Turin", 2), said("Milan", 3))
    found = {contribution(message_id, *order) for order in permutations(rows)}
    assert len(found) == 1
