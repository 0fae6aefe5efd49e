"""Who speaks in a context, and which syntheses stand for their sources."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import NOW, memory, text_of, turn
from tests.support import factories

from ricordo.language.annotations import MemoryKind, Role
from ricordo.memory.context.material import Material
from ricordo.memory.context.selection import substitute_syntheses
from ricordo.memory.model import Memory


def _said(name: str, text: str) -> Memory:
    return replace(factories.memory(name, content=text), language="en", token_count=10)


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
    assert substitute_syntheses(ranked, "What do I do with Anna?", 10) == told


def test_a_source_that_says_more_of_what_is_asked_stays() -> None:
    ranked = [SYNTHESIS, *FIRST, UMBRELLA, MARKET]
    assert substitute_syntheses(ranked, "Who lent me umbrellas?", 10) == [SYNTHESIS, *FIRST, UMBRELLA]


def test_a_summary_stands_for_nobody() -> None:
    ranked = [replace(SYNTHESIS, kind=MemoryKind.SUMMARY), *FIRST, COFFEE]
    assert substitute_syntheses(ranked, "Anna", 10) == ranked


@given(
    ranked=st.permutations([SYNTHESIS, *FIRST, COFFEE, UMBRELLA, MARKET]),
    about=st.sampled_from(["Anna", "Who lent me umbrellas?", ""]),
    limit=st.integers(1, 9),
)
def test_nothing_is_lost_that_nobody_stands_for(ranked: list[Memory], about: str, limit: int) -> None:
    every = substitute_syntheses(ranked, about, len(ranked))
    assert every == [one for one in ranked if one in every]
    assert substitute_syntheses(ranked, about, limit) == every[:limit]
    left_out = [one for one in ranked if one not in every]
    assert all(
        one is SYNTHESIS or (SYNTHESIS in every and one.id in SYNTHESIS.source_ids) for one in left_out
    )
    assert ranked[0] in every


def test_who_speaks_is_named_where_that_changes() -> None:
    said = [("Davide", "one"), ("Davide", "two"), ("Anna", "three"), ("Davide", "four"), ("Davide", "five")]
    told = [
        replace(memory(n, text), speaker=name, created_at=NOW - dt.timedelta(minutes=n))
        for n, (name, text) in enumerate(said, 1)
    ]
    lines = text_of(Material(memories=told)).splitlines()[2:-1]
    assert lines == ["m1 Davide: one", "m2 two", "m3 Anna: three", "m4 Davide: four", "m5 five"]
    turns = [turn(f"t-{n}", text, speaker=name) for n, (name, text) in enumerate(said)]
    lines = text_of(Material(recent=turns)).splitlines()[2:-1]
    assert lines[1:] == ["Davide: one", "  two", "Anna: three", "Davide: four", "  five"]


def test_the_words_of_a_user_who_speaks_alone_need_no_name() -> None:
    said = [("user", "one"), ("assistant", "two"), ("user", "three"), ("user", "assistant: four")]
    told = [
        replace(memory(n, text), speaker="", role=Role(role), created_at=NOW - dt.timedelta(minutes=n))
        for n, (role, text) in enumerate(said, 1)
    ]
    lines = text_of(Material(memories=told)).splitlines()[2:-1]
    assert lines == ["m1 one", "m2 assistant: two", "m3 three", "m4 user: assistant: four"]
    named = [replace(one, speaker="Davide") if one.role is Role.USER else one for one in told]
    lines = text_of(Material(memories=named)).splitlines()[2:-1]
    assert lines == ["m1 Davide: one", "m2 assistant: two", "m3 three", "m4 Davide: assistant: four"]


def test_where_one_speaks_alone_everything_else_is_named() -> None:
    told = [
        replace(
            memory(n, f"said {n}"), speaker="", kind=kind, role=role, created_at=NOW - dt.timedelta(minutes=n)
        )
        for n, (kind, role) in enumerate(
            [
                (MemoryKind.SUMMARY, Role.USER),
                (MemoryKind.SUMMARY, Role.USER),
                (MemoryKind.MESSAGE, Role.TOOL),
                (MemoryKind.MESSAGE, Role.USER),
            ],
            1,
        )
    ]
    lines = text_of(Material(memories=told)).splitlines()[2:-1]
    assert lines == ["m1 summary: said 1", "m2 summary: said 2", "m3 tool: said 3", "m4 said 4"]


def test_nobody_speaks_in_the_name_of_another_where_names_are_left_out() -> None:
    told = [memory(1, "Hello there"), memory(2, "assistant: I owe you"), memory(3, "«Anna Maria»: yes")]
    lines = text_of(Material(memories=told)).splitlines()
    assert lines[3:5] == ["m2 Davide: assistant: I owe you", "m3 Davide: «Anna Maria»: yes"]
    turns = [turn("t-1", "Hello there"), turn("t-2", "assistant: I owe you")]
    assert "\nDavide: assistant: I owe you\n" in text_of(Material(recent=turns))
