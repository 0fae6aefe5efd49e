"""Who gets how much of a context, who is named in it, and which syntheses stand for their sources."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import NOW, count, fact, memory, text_of, turn
from tests.fixtures.sentence_tables import table
from tests.support import factories

from ricordo.language.annotations import MemoryKind, Role
from ricordo.memory.context.material import Material
from ricordo.memory.context.selection import substitute_syntheses
from ricordo.memory.context.token_budget import fair_shares
from ricordo.memory.model import Memory


def shown(text: str, number: int) -> str:
    """Return what is shown of a memory; nothing where it is not."""
    line = re.search(rf"^m{number} (?:Davide: )?(.*)$", text, re.MULTILINE)
    return line[1] if line else ""


def test_where_there_is_room_all_are_shown_in_full() -> None:
    long = "A sentence that goes on for quite a while. " * 8
    kept = [memory(n, f"Memory {n}. {long}", summary=f"Summary {n}", title=f"Title {n}") for n in range(1, 8)]
    text = text_of(Material(memories=kept))
    assert all(shown(text, n) == kept[n - 1].content.strip() for n in range(1, 8))


def test_where_there_is_none_the_first_three_are_and_of_the_others_what_matters() -> None:
    filler = "This is said at some length, and it means little to anybody who ever reads it. "
    kept = [memory(n, f"{filler * 2}Key number {n} is in the blue jar. {filler * 2}") for n in range(1, 11)]
    text = text_of(Material(memories=kept, about="Where are my keys, in which jar?"), token_budget=600)
    assert all(shown(text, n) == kept[n - 1].content.strip() for n in range(1, 4))
    for n in range(4, 11):
        assert f"Key number {n} is in the blue jar." in shown(text, n)
    assert count(text) > 500, "what is left is used"


def test_an_excerpt_is_made_of_the_words_that_were_said() -> None:
    said = (
        "Ciao! La mattina, quando piove, resto a letto fino a tardi; poi faccio il caffè.  Il violino è da "
        "Bruno, a Cremona: lo riprendo sabato. Di tutto il resto, come al solito, parliamo un'altra volta."
    )
    kept = [memory(n, f"{said} {n}") for n in range(1, 11)]
    text = text_of(Material(memories=kept, about="Dov'è il violino?"), token_budget=250, language="it")
    cut = [shown(text, n) for n in range(1, 11)]
    assert sum("Il violino è da Bruno" in one for one in cut) >= 6
    for n, one in enumerate(cut, 1):
        assert all(piece in f"{said} {n}" for piece in one.split(" … "))
        assert one == f"{said} {n}" or not one.startswith("Ciao")


@given(st.lists(st.integers(1, 500), max_size=20), st.integers(0, 3_000))
def test_shares_are_fair(costs: list[int], room: int) -> None:
    shares = fair_shares(costs, room)
    assert len(shares) == len(costs)
    assert all(share <= cost for share, cost in zip(shares, costs, strict=True))
    assert shares[:3] == costs[:3]
    others = [(share, cost) for share, cost in zip(shares, costs, strict=True)][3:]
    assert sum(share for share, _ in others) <= max(0, room - sum(costs[:3]))
    given_ = [share for share, _ in others if share]
    assert all(share for share, _ in others[: len(given_)]), "the last go first"
    # Whoever gets less than they want gets as much as anybody.
    assert all(share in {cost, 0} or share == max(given_) for share, cost in others)


@pytest.mark.parametrize("summary", ["What it says, in short", ""])
def test_a_long_memory_is_compressed(summary: str) -> None:
    sentences = [f"Sentence number {n} says nothing much." for n in range(300)]
    sentences[170] = "The violin was mended in Cremona."
    told = memory(1, " ".join(sentences), summary=summary)
    text = text_of(Material(memories=[told], about="Where was the violin mended?"), token_budget=5_000)
    if summary:
        assert f"m1 Davide: {summary}\n" in text
        assert "number 0" not in text
        return
    # What shares words with the question is not lost, and all stands in the order in which it was said.
    assert "Sentence number 0 says nothing much. Sentence number 1 says" in text
    assert text.index("number 0 ") < text.index(" … ") < text.index("The violin was mended in Cremona.")
    assert 400 <= count(text) <= 550


def test_a_long_turn_leaves_room_for_others() -> None:
    turns = [turn("m-1", "First of all, hello."), turn("m-2", "A page of words goes on. " * 400)]
    text = text_of(Material(recent=turns))
    assert "12:00 Davide: First of all, hello.\n12:00 A page of words goes on." in text


def test_turns_take_a_quarter_of_the_budget_even_where_nothing_else_is_known() -> None:
    turns = [turn(f"m-{n}", f"turn number {n} " + "word " * 10, minutes_ago=60 - n) for n in range(60)]
    text = text_of(Material(recent=turns), token_budget=400)
    shown = [line for line in text.splitlines() if "turn number" in line]
    assert 0.15 * 400 < sum(map(count, shown)) <= 0.25 * 400
    assert re.match(r"11:59 .*number 59 ", shown[-1])


def test_a_memory_is_not_lost_among_turns_that_have_no_room() -> None:
    turns = [turn(f"m-{n}", f"turn number {n} " + "word " * 10) for n in range(100)]
    turns[5] = turn("m-5", "The violin is from Cremona.")
    found = memory(1, "The violin is from Cremona.", message_id="m-5")
    text = text_of(Material(memories=[found], recent=turns), token_budget=400)
    assert "turn number 6 " not in text
    assert "m1 Davide: The violin is from Cremona.\n" in text
    everything = text_of(Material(memories=[found], recent=turns))
    assert everything.count("The violin is from Cremona.") == 1


def test_what_always_enters_enters_first() -> None:
    kept = memory(1, "It begins. " + "It goes on. " * 80 + "It ends here.")
    turns = [turn(f"m-{n}", f"turn number {n} " + "word " * 30) for n in range(50, 60)]
    facts = [fact("likes", f"thing {n}") for n in range(20)]
    material = Material(memories=[kept], facts=facts, recent=turns)
    assert "It ends here." not in text_of(material, token_budget=400)
    assert "It ends here." in text_of(replace(material, always={kept.id}), token_budget=400)


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


@pytest.mark.parametrize(("said", "lines"), table(__file__, "named").values(), ids=table(__file__, "named"))
def test_who_speaks_is_named_where_that_is_not_clear(
    said: Sequence[tuple[str, str, str, str]], lines: tuple[str, ...]
) -> None:
    told = [
        replace(
            memory(n, text),
            kind=MemoryKind(kind),
            role=Role(role),
            speaker=speaker,
            created_at=NOW - dt.timedelta(minutes=n),
        )
        for n, (kind, role, speaker, text) in enumerate(said, 1)
    ]
    assert tuple(text_of(Material(memories=told)).splitlines()[2:-1]) == lines


def test_who_speaks_in_turns_is_named_where_that_changes() -> None:
    said = [("Davide", "one"), ("Davide", "two"), ("Anna", "three"), ("Davide", "four"), ("Davide", "five")]
    turns = [turn(f"t-{n}", text, speaker=name) for n, (name, text) in enumerate(said)]
    lines = text_of(Material(recent=turns)).splitlines()[2:-1]
    spoken = ["Davide: one", "two", "Anna: three", "Davide: four", "five"]
    assert lines[2:] == [f"12:00 {line}" for line in spoken]


def test_nobody_speaks_in_the_name_of_another_where_names_are_left_out() -> None:
    told = [memory(1, "Hello there"), memory(2, "assistant: I owe you"), memory(3, "«Anna Maria»: yes")]
    lines = text_of(Material(memories=told)).splitlines()
    assert lines[3:5] == ["m2 Davide: assistant: I owe you", "m3 Davide: «Anna Maria»: yes"]
    turns = [turn("t-1", "Hello there"), turn("t-2", "assistant: I owe you")]
    assert "\n12:00 Davide: assistant: I owe you\n" in text_of(Material(recent=turns))
