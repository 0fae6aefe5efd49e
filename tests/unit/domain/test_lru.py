"""What is remembered is what was used last, and never more than there is room for."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.lru import LruCache

CALLS = st.lists(
    st.tuples(st.sampled_from(("get", "put", "take")), st.sampled_from("abcd"), st.integers(0, 5)),
    max_size=30,
)


def cache(room: int, *keys: str) -> LruCache[str, str]:
    made = LruCache[str, str](room)
    for key in keys:
        made.put(key, key.upper())
    return made


def kept(made: LruCache[str, str], keys: Sequence[str]) -> list[str]:
    return [key for key in keys if made.get(key) is not None]


def test_the_longest_unused_goes_first() -> None:
    made = cache(2, "a", "b")
    assert made.get("a") == "A"
    made.put("c", "C")
    assert kept(made, "abc") == ["a", "c"]


def test_what_is_put_again_is_used_and_counts_once() -> None:
    made = cache(2, "a", "b", "a", "c")
    assert kept(made, "abc") == ["a", "c"]
    assert (len(made), made.size) == (2, 2)


def test_what_is_taken_is_there_no_more() -> None:
    made = cache(2, "a")
    assert made.take("a") == "A"
    assert made.take("a") is None
    assert (len(made), made.size) == (0, 0)


def test_what_is_too_large_by_itself_costs_no_other_its_place() -> None:
    made = cache(2, "a", "b")
    made.put("a", "AAA", 3)
    assert kept(made, "ab") == ["b"], "what was remembered under that key has passed"


def test_without_room_nothing_is_remembered() -> None:
    assert len(cache(0, "a")) == 0


def test_what_nobody_uses_is_forgotten() -> None:
    times = iter(range(0, 50, 5))
    made = LruCache[str, str](9, idle=10, now=lambda: next(times))
    for key in "abc":
        made.put(key, key)  # at 0, 5 and 10
    assert made.get("a") == "a"
    made.put("d", "d")  # at 20: b was used 15 ago
    assert (len(made), made.size) == (3, 3)
    assert made.get("b") is None
    assert made.get("c") == "c", "which is used by that, at 25, however long it was not"


@given(st.integers(0, 6), CALLS)
def test_it_remembers_as_much_of_what_was_used_last_as_there_is_room_for(
    room: int, calls: list[tuple[str, str, int]]
) -> None:
    made, expected = LruCache[str, int](room), dict[str, int]()
    for call, key, size in calls:
        if call == "put":
            made.put(key, size, size)
            expected.pop(key, None)
            if size <= room:
                expected[key] = size
            while sum(expected.values()) > room:
                del expected[next(iter(expected))]
        elif call == "take":
            assert made.take(key) == expected.pop(key, None)
        else:
            assert made.get(key) == expected.get(key)
            if key in expected:
                expected[key] = expected.pop(key)
        assert (len(made), made.size) == (len(expected), sum(expected.values()))
