"""In a context a synthesis stands for its sources, as far as it says what is asked for and saves room."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import MemoryKind
from ricordo.memory.context import substitute_syntheses
from ricordo.memory.model import Memory
from ricordo.testing.factories import memory


def _said(name: str, text: str) -> Memory:
    return replace(memory(name, content=text), language="en", token_count=10)


FIRST = [_said(f"f-{n}", f"Marco said {n}.") for n in range(3)]
COFFEE = _said("m-1", "I had coffee with Anna in the square.")
UMBRELLA = _said("m-2", "Anna lent me her umbrella.")
MARKET = _said("m-3", "I met Anna at the market.")
SYNTHESIS = replace(
    _said("s-1", "I had coffee with Anna; I met Anna at the market."),
    kind=MemoryKind.SYNTHESIS,
    message_id=None,
    token_count=40,
    source_ids=(COFFEE.id, UMBRELLA.id, MARKET.id),
)


@pytest.mark.parametrize(
    ("ranked", "told"),
    [
        ([SYNTHESIS, *FIRST, COFFEE], [SYNTHESIS, *FIRST]),
        ([*FIRST, SYNTHESIS, COFFEE, MARKET], [*FIRST, SYNTHESIS]),
        ([*FIRST, COFFEE, MARKET, SYNTHESIS], [*FIRST, SYNTHESIS]),
        ([*FIRST, SYNTHESIS, COFFEE], [*FIRST, COFFEE]),
        ([*FIRST, SYNTHESIS], FIRST),
        ([COFFEE, SYNTHESIS, MARKET, UMBRELLA], [COFFEE, SYNTHESIS, MARKET]),
    ],
    ids=["near", "saves", "saves from behind", "costs", "stands for nobody", "the first stay"],
)
def test_it_takes_their_place_where_it_is_near_or_saves_room(
    ranked: Sequence[Memory], told: Sequence[Memory]
) -> None:
    """The first three stay as they are."""
    assert substitute_syntheses(ranked, "What do I do with Anna?", 10) == told


def test_a_source_that_says_more_of_what_is_asked_stays() -> None:
    """The synthesis has no umbrella."""
    ranked = [SYNTHESIS, *FIRST, UMBRELLA, MARKET]
    assert substitute_syntheses(ranked, "Who lent me umbrellas?", 10) == [SYNTHESIS, *FIRST, UMBRELLA]


def test_a_summary_stands_for_nobody() -> None:
    """It was made to tell of a session, not in the place of what was said."""
    ranked = [replace(SYNTHESIS, kind=MemoryKind.SUMMARY), *FIRST, COFFEE]
    assert substitute_syntheses(ranked, "Anna", 10) == ranked


@given(
    ranked=st.permutations([SYNTHESIS, *FIRST, COFFEE, UMBRELLA, MARKET]),
    about=st.sampled_from(["Anna", "Who lent me umbrellas?", ""]),
    limit=st.integers(1, 9),
)
def test_nothing_is_lost_that_nobody_stands_for(ranked: list[Memory], about: str, limit: int) -> None:
    """In their order; a source is left out only where its synthesis is told."""
    every = substitute_syntheses(ranked, about, len(ranked))
    assert every == [one for one in ranked if one in every]
    assert substitute_syntheses(ranked, about, limit) == every[:limit]
    left_out = [one for one in ranked if one not in every]
    assert all(
        one is SYNTHESIS or (SYNTHESIS in every and one.id in SYNTHESIS.source_ids) for one in left_out
    )
    assert ranked[0] in every
