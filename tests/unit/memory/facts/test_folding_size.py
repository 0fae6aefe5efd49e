"""What a folding takes in memory is no more than it says."""

import gc
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable

import pytest

from ricordo.memory.facts import Evidence, Folding, partitions_of
from ricordo.testing.factories import at

pytestmark = pytest.mark.slow

ROWS = 256  # all of which can be taken back


def _spelt(nth: int) -> str:
    """Return one of 1,024 spellings of a name."""
    return "".join(c.upper() if nth >> place & 1 else c for place, c in enumerate("montecchio"))


CASES: dict[str, Callable[[int], tuple[str, str, str]]] = {
    "the same value": lambda _: ("user", "age", "5"),
    "another spelling": lambda nth: ("user", "lives_in", _spelt(nth)),
    "another slot of one entity": lambda nth: ("Marco", "likes", f"thing {nth}"),
    "another entity": lambda nth: (f"Person {nth}", "lives_in", f"City {nth}"),
}


@pytest.fixture(scope="module")
def weighed() -> dict[str, tuple[int, int]]:
    """Return the size that a folding of each case says, and the bytes that it takes.

    They are weighed in a process of their own: in this one other tests have left caches that grow beside it.
    """
    code = f"import json, {__name__} as own; print(json.dumps({{one: own.weigh(one) for one in own.CASES}}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return {case: (size, took) for case, (size, took) in json.loads(found.stdout).items()}


@pytest.mark.parametrize("case", CASES)
def test_the_size_is_the_most_that_it_takes(case: str, weighed: dict[str, tuple[int, int]]) -> None:
    size, took = weighed[case]
    assert 0 < took <= 1000 * size


def test_rows_that_can_be_taken_back_share_the_messages_that_they_name(
    weighed: dict[str, tuple[int, int]],
) -> None:
    _, took = weighed["the same value"]
    assert 0 < took < 1150 * ROWS  # each names a hundred: with a list of their own they took 1471


def weigh(case: str) -> tuple[int, int]:
    """Return the size that a folding says, and the bytes that go with it when it goes."""
    gc.collect()
    tracemalloc.start()
    try:
        folding = _fold(case)
        gc.collect()
        size, with_it = folding.size, tracemalloc.get_traced_memory()[0]
        del folding
        gc.collect()
        return size, with_it - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def _fold(case: str) -> Folding:
    folding = Folding("acme", "u")
    for nth in range(ROWS):
        row = Evidence(*CASES[case](nth), f"message-of-u-{nth:08d}-0123456789abcdef", at(nth))
        for part in partitions_of(row):
            folding.add(part, [row])
    folding.take_changes()
    return folding
