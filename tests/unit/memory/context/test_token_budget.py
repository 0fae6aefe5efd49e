"""Who gets how much of a context, and what is told of what does not get all."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import count, fact, memory, text_of, turn

from ricordo.memory.context.material import Material
from ricordo.memory.context.token_budget import fair_shares


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


@given(
    st.lists(st.integers(1, 500), max_size=20),
    st.integers(0, 3_000),
)
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
    assert "Davide: First of all, hello.\n  A page of words goes on." in text


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
