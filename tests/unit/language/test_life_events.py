"""Which statements tell of a turn of a life, among ordinary ones, small talk and what only sounds like one.

The development set was looked at while the patterns were written; the others were written before any result
on them was seen. Faults that they showed were mended by class, so that by now they have been seen, too: when
first scored, between half and three quarters of the turns of a life in the further set were found.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.annotations import NEUTRAL
from ricordo.language.assertion_scope import evenly_set
from ricordo.language.life_events import _events, life_event
from ricordo.memory.importance import importance

HERE = Path(__file__).parent


class Statement(NamedTuple):
    language: str
    kind: str
    text: str


def read(name: str) -> list[Statement]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Statement(row["language"], row["class"], row["text"]) for row in rows]


DEVELOPMENT = read("statements_development.tsv")
HELD_OUT = read("statements_held_out.tsv")
FURTHER = read("statements_further.tsv")
EVERY = (DEVELOPMENT, HELD_OUT, FURTHER)


def share(statements: Sequence[Statement], kind: str, right: Callable[[Statement], bool]) -> float:
    found = [right(one) for one in statements if one.kind == kind]
    return sum(found) / len(found)


def matters(one: Statement) -> bool:
    return importance(one.text, one.language, NEUTRAL).value >= 0.7


def is_small(one: Statement) -> bool:
    return importance(one.text, one.language, NEUTRAL).value <= 0.3


def tells_no_turn(one: Statement) -> bool:
    return life_event(one.text, one.language) == ""


def test_all_sets_hold_both_languages_and_all_kinds_and_share_no_statement() -> None:
    for statements in EVERY:
        languages = Counter(one.language for one in statements)
        assert languages["it"] == pytest.approx(languages["en"], rel=0.1)
        assert {one.kind for one in statements} == {"profound", "ordinary", "small_talk"}
    said = [one.text.casefold() for statements in EVERY for one in statements]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("statements", EVERY)
def test_turns_of_a_life_matter_and_nothing_else_is_taken_for_one(statements: Sequence[Statement]) -> None:
    assert share(statements, "profound", matters) >= 0.97
    assert share(statements, "ordinary", tells_no_turn) >= 0.98
    assert share(statements, "small_talk", tells_no_turn) >= 0.97
    assert share(statements, "small_talk", is_small) >= 0.95


@pytest.mark.parametrize(
    ("said", "language", "words"),
    [
        ("Sai che è morta mia nonna?", "it", "è morta mia nonna"),
        ("Mi sposo a giugno, ci credi?", "it", "mi sposo"),
        ("e' morto papa'", "it", "e' morto papa"),
        ("Guess what, I got the job!", "en", "i got the job"),
        ("Did I tell you I'm getting married?", "en", "i'm getting married"),
        ("My wife’s pregnant", "en", "my wife’s pregnant"),
        ("My mum called. She's pregnant again!", "en", "she's pregnant"),
    ],
)
def test_what_is_told_is_named_as_it_was_said(said: str, language: str, words: str) -> None:
    found = life_event(said, language)
    assert found
    assert found in said.lower()
    assert words in found or found in words


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("If my dad died I would move to Spain", "en"),
        ("“I got the job!”", "en"),
        ("> I lost my job\nso sorry", "en"),
        ("```\nmy dog died\n```", "en"),
        ("Se muore il mio cane, muoio", "it"),
        ("Nel libro «Ho perso mio padre»", "it"),
        ("My wife is not pregnant", "en"),
        ("Mein Vater ist gestorben", "de"),
    ],
)
def test_what_is_not_so_is_no_turn(said: str, language: str) -> None:
    assert life_event(said, language) == ""


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_pattern_can_be_compiled(language: str) -> None:
    found = [pattern for turn in _events(language).turns for pattern in (turn.deed, turn.lead)]
    assert len(found) > 500
    for pattern in set(found):
        re.compile(pattern)


@given(st.text(max_size=300), st.sampled_from(["it", "en"]))
def test_any_text_can_be_looked_at_and_evidence_stands_in_it(said: str, language: str) -> None:
    assert life_event(said, language) in evenly_set(said).lower()


@pytest.mark.parametrize("blank", [" ", "  ", "\u00a0", "\u3000", "\t", " \u2009 "])
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Ho perso il lavoro ieri", "it"),
        ("I lost my job", "en"),
        ("My father died last night", "en"),
    ],
)
def test_blanks_of_any_kind_part_words(said: str, language: str, blank: str) -> None:
    assert life_event(said.replace(" ", blank), language) == life_event(said, language) != ""


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Nel  film mio padre è morto", "it"),
        ("Al tg mio padre è morto", "it"),
        ("Mia figlia è ad Amsterdam", "it"),
        ("Id like to see my father died in peace", "en"),
        ("I'd like to see my father died in peace", "en"),
    ],
)
def test_a_story_or_a_wish_is_none_however_it_is_set(said: str, language: str) -> None:
    assert life_event(said, language) == ""


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Mio padre è fuori pericolo", "it"),
        ("Mia nonna è venuta meno", "it"),
        ("Mi ha piantata", "it"),
        ("Mio fratello le ha chiesto la mano", "it"),
        ("Sono rovinata", "it"),
        ("Siamo sul lastrico", "it"),
        ("Ho vinto al superenalotto!", "it"),
        ("Mi hanno negato il visto", "it"),
        ("Sono in congedo parentale", "it"),
        ("Sono single di nuovo", "it"),
        ("Ho smesso di giocare d'azzardo", "it"),
        ("Hanno ucciso mio cugino", "it"),
        ("Abbiamo seppellito la nonna", "it"),
        ("We buried grandma on Saturday", "en"),
        ("I lost my leg", "en"),
        ("We won the case", "en"),
        ("My dad called. He fainted at work", "en"),
        ("I have to tell. He was molested", "en"),
        ("I was struck by a drunk driver", "en"),
        ("I entered the seminary", "en"),
        ("My ex stopped loving me", "en"),
        ("I have MS", "en"),
        ("I ended up in the ER again", "en"),
    ],
)
def test_no_turn_is_lost_before_it_is_looked_for(said: str, language: str) -> None:
    assert life_event(said, language) != ""


@pytest.mark.parametrize(
    "part",
    [
        "my my my dad ",
        "è morto ",
        "i got ",
        "my dad, ",
        "ho ",
        "a",
        "\u00a0 ",
    ],
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_a_long_text_made_of_nothing_but_beginnings_is_read_in_linear_time(part: str, language: str) -> None:
    assert growth(lambda text: life_event(text, language), part, 32_000) < LINEAR
