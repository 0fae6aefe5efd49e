"""What the user takes back of what they have said of facts: it counts as if they had never said it."""

from collections.abc import Collection, Sequence
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence, Kind
from ricordo.memory.facts.periods import Value

WORDS: Final[frozenset[Kind]] = frozenset(("verified", "rejected"))
"""What the user says of a value."""

WITHDRAWING: Final[frozenset[Kind]] = frozenset(("unverified", "restored"))
"""What takes such a word back."""


def value_of(row: Evidence) -> Value:
    """Return the value of which a row speaks."""
    return row.predicate, normalise(row.object)


def withdrawn(rows: Sequence[Evidence]) -> Collection[int]:
    """Return which words later ones take back, by their numbers.

    With a value that was put in the place of another one goes that the other was rejected.

    Args:
        rows: of one slot, in their order; all from some instant on.
    """
    unverified: set[Value] = set()
    restored: set[tuple[Value, object]] = set()
    corrections: set[str] = set()
    found: set[int] = set()
    for nth in reversed(range(len(rows))):
        row = rows[nth]
        if row.kind == "unverified":
            unverified.add(value_of(row))
        elif row.kind == "restored":
            restored.add((value_of(row), row.valid_to))
        elif row.kind == "verified" and value_of(row) in unverified:
            corrections.add(row.message_id)
            found.add(nth)
        elif row.kind == "rejected" and (
            row.message_id in corrections or (value_of(row), row.at) in restored
        ):
            found.add(nth)
    return found
