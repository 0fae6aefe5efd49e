"""Who gets how much of a context, and what is told of what does not get all."""

from dataclasses import replace

import pytest
from tests.fixtures.material import Turn, count, fact, memory, text_of

from ricordo.domain.context import Material
from ricordo.domain.memory import MemoryKind


def test_the_first_five_in_full_the_rest_in_short() -> None:
    long = "A sentence that goes on for quite a while. " * 8
    kept = [memory(n, f"Memory {n}. {long}", summary=f"Summary {n}", title=f"Title {n}") for n in range(1, 8)]
    text = text_of(Material(memories=kept))
    assert all(f"Memory {n}." in text for n in range(1, 6))
    assert "Summary 6" in text
    assert "Memory 6." not in text


@pytest.mark.parametrize("summary", ["What it says, in short", ""])
def test_a_long_memory_is_compressed(summary: str) -> None:
    sentences = [f"Sentence number {n} says nothing much." for n in range(300)]
    sentences[170] = "The violin was mended in Cremona."
    told = memory(1, " ".join(sentences), summary=summary)
    text = text_of(Material(memories=[told], about="Where was the violin mended?"), token_budget=5_000)
    if summary:
        assert f"Davide: {summary}</recalled>" in text
        assert "number 0" not in text
        return
    # What shares words with the question is not lost, and all stands in the order in which it was said.
    assert "Sentence number 0 says nothing much. Sentence number 1 says" in text
    assert text.index("number 0 ") < text.index("… The violin was mended in Cremona.")
    assert 400 <= count(text) <= 550


def test_a_single_endless_sentence_is_cut() -> None:
    text = text_of(Material(memories=[memory(1, "word " * 5_000)]), token_budget=5_000)
    assert 400 <= count(text) <= 550


def test_a_long_turn_leaves_room_for_others() -> None:
    turns = [Turn("m-1", "First of all, hello."), Turn("m-2", "A page of words goes on. " * 400)]
    text = text_of(Material(recent=turns))
    assert "Davide: First of all, hello.\nDavide: A page of words goes on." in text


def test_a_memory_is_not_lost_among_turns_that_have_no_room() -> None:
    turns = [Turn(f"m-{n}", f"turn number {n} " + "word " * 10) for n in range(100)]
    turns[5] = Turn("m-5", "The violin is from Cremona.")
    found = memory(1, "The violin is from Cremona.", message_id="m-5")
    text = text_of(Material(memories=[found], recent=turns), token_budget=400)
    assert "turn number 6 " not in text
    assert f'id="{found.id}">2026-02-01, Davide: The violin is from Cremona.</recalled>' in text
    everything = text_of(Material(memories=[found], recent=turns))
    assert everything.count("The violin is from Cremona.") == 1


def test_what_the_turns_tell_does_not_count_among_the_first_five() -> None:
    turns = [Turn(f"m-{n}", f"turn number {n}") for n in range(5)]
    long = "A sentence that goes on for quite a while. " * 8
    told = [memory(n + 1, f"turn number {n}", message_id=f"m-{n}") for n in range(5)]
    told += [memory(n, f"Memory {n}. {long} End {n}.") for n in range(10, 17)]
    text = text_of(Material(memories=told, recent=turns))
    assert all(f"End {n}." in text for n in range(10, 15))
    assert not any(f"End {n}." in text for n in range(15, 17))


def test_the_sixth_memory_is_told_by_its_summary_or_by_what_matters_of_it() -> None:
    filler = "This is said at some length and means little to anybody who reads it. " * 4
    told = [memory(n, f"Short memory {n}") for n in range(1, 6)]
    told += [
        memory(6, filler, summary="Summary of the sixth"),
        memory(7, f"{filler} The keys are in the blue jar. {filler}", title="A title"),
    ]
    text = text_of(Material(memories=told, about="Where are my keys?"))
    assert "Davide: Summary of the sixth</recalled>" in text
    assert "Davide: The keys are in the blue jar.</recalled>" in text


def test_no_memory_takes_all_the_room_of_the_other_best() -> None:
    told = [memory(n, f"Memory {n} begins here. " + "It goes on and on and on. " * 60) for n in range(1, 6)]
    text = text_of(Material(memories=told), token_budget=600)
    assert all(f"Memory {n} begins here." in text for n in range(1, 6))


def test_what_was_made_of_memories_is_called_so() -> None:
    made = replace(memory(1, "She mends violins."), kind=MemoryKind.REFLECTION, speaker="")
    assert "2026-02-01, reflection: She mends violins." in text_of(Material(memories=[made]))
    assert "2026-02-01, riflessione: She mends" in text_of(Material(memories=[made]), language="it")


def test_what_always_enters_enters_first() -> None:
    kept = memory(1, "It begins. " + "It goes on. " * 80 + "It ends here.")
    turns = [Turn(f"m-{n}", f"turn number {n} " + "word " * 30) for n in range(50, 60)]
    facts = [fact("likes", f"thing {n}") for n in range(20)]
    material = Material(memories=[kept], facts=facts, recent=turns)
    assert "It ends here." not in text_of(material, token_budget=400)
    assert "It ends here." in text_of(replace(material, always={kept.id}), token_budget=400)


def test_the_newest_turns_stay_when_room_is_short() -> None:
    turns = [Turn(f"m-{n}", f"turn number {n} " + "word " * 10) for n in range(50)]
    text = text_of(Material(recent=turns, memories=[memory(99, "kept")]), token_budget=150)
    assert "turn number 49" in text
    assert "turn number 0 " not in text
    assert "kept" in text


def test_a_memory_too_long_for_the_room_is_told_in_short() -> None:
    kept = memory(1, "word " * 200, title="About words")
    assert "About words" in text_of(Material(memories=[kept]), token_budget=12)
    assert "word word word" in text_of(Material(memories=[kept]), token_budget=60)


def test_of_little_room_the_best_memory_gets_the_most() -> None:
    turns = [Turn(f"m-{n}", f"turn number {n} " + "word " * 10) for n in range(50)]
    facts = [fact("likes", f"thing {n}") for n in range(10)]
    kept = [memory(n, f"Memory {n} says this") for n in range(100, 110)]
    text = text_of(Material(memories=kept, facts=facts, recent=turns), token_budget=20)
    assert "Memory 100 says this" in text
