"""Which users' knowledge a worker remembers."""

from uuid import uuid4

from ricordo.memory.facts import Evidence, Folding, partitions_of
from ricordo.store.evidence_store import FoldingCache
from ricordo.testing.factories import at


def _folding(rows: int) -> Folding:
    folding = Folding("acme", "u")
    evidence = [Evidence("user", "age", str(n), f"m-{n}", at(n)) for n in range(rows)]
    (part,) = partitions_of(evidence[0])
    folding.add(part, evidence)
    return folding


def test_the_folds_used_longest_ago_are_dropped() -> None:
    size = _folding(7).size
    cache, version = FoldingCache(2 * size), uuid4()
    kept = {user: _folding(7) for user in "abc"}
    for user in "ab":
        cache.put("acme", user, kept[user], version)
    cache.put("acme", "a", kept["a"], version)
    cache.put("acme", "c", kept["c"], version)
    assert cache.pop("acme", "b", version) is None
    assert cache.pop("acme", "a", version) is kept["a"]
    assert cache.pop("acme", "c", version) is kept["c"]


def test_a_fold_larger_than_the_cache_evicts_no_other() -> None:
    small = _folding(7)
    cache, version = FoldingCache(small.size), uuid4()
    cache.put("acme", "b", small, version)
    cache.put("acme", "a", _folding(7), version)
    assert cache.pop("acme", "b", version) is None, "there is room for one"
    cache.put("acme", "b", small, version)
    cache.put("acme", "a", _folding(8), version)
    assert cache.pop("acme", "a", version) is None
    assert cache.pop("acme", "b", version) is small
