"""Which users' knowledge a worker remembers."""

from uuid import uuid4

from ricordo.memory.facts import Evidence, Folding, partitions_of
from ricordo.store.evidence_store import RememberedFoldings
from ricordo.testing.factories import at


def _folding(rows: int) -> Folding:
    folding = Folding("acme", "u")
    evidence = [Evidence("user", "age", str(n), f"m-{n}", at(n)) for n in range(rows)]
    (part,) = partitions_of(evidence[0])
    folding.add(part, evidence)
    return folding


def test_what_is_remembered_counts_in_the_state_in_which_it_was_left() -> None:
    remembered, folding, state = RememberedFoldings(100), _folding(1), uuid4()
    assert remembered.take("acme", "u", None) is None
    remembered.keep("acme", "u", folding, state)
    assert remembered.take("elsewhere", "u", state) is None
    assert remembered.take("acme", "u", state) is folding
    assert remembered.take("acme", "u", state) is None, "whoever takes it may change it"
    remembered.keep("acme", "u", folding, state)
    assert remembered.take("acme", "u", uuid4()) is None
    assert remembered.take("acme", "u", state) is None


def test_those_that_were_used_longest_ago_are_forgotten() -> None:
    size = _folding(7).size
    remembered, state = RememberedFoldings(2 * size), uuid4()
    kept = {user: _folding(7) for user in "abc"}
    for user in "ab":
        remembered.keep("acme", user, kept[user], state)
    remembered.keep("acme", "a", kept["a"], state)
    remembered.keep("acme", "c", kept["c"], state)
    assert remembered.take("acme", "b", state) is None
    assert remembered.take("acme", "a", state) is kept["a"]
    assert remembered.take("acme", "c", state) is kept["c"]


def test_what_is_too_much_by_itself_is_not_remembered_and_costs_no_other_its_place() -> None:
    small = _folding(7)
    remembered, state = RememberedFoldings(small.size), uuid4()
    remembered.keep("acme", "b", small, state)
    remembered.keep("acme", "a", _folding(7), state)
    assert remembered.take("acme", "b", state) is None, "there is room for one"
    remembered.keep("acme", "b", small, state)
    remembered.keep("acme", "a", _folding(8), state)
    assert remembered.take("acme", "a", state) is None
    assert remembered.take("acme", "b", state) is small
