import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import NOW, count, turn
from tests.fixtures.sentence_tables import table

from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.memory.working_memory import WorkingMemory, working_memory


def view(*turns: SpokenTurn, language: str = "it") -> WorkingMemory:
    return working_memory(turns, now=NOW, count=count, language=language)


def test_lines_are_the_last_turns_oldest_first_in_any_order_of_arrival() -> None:
    turns = [turn("2", "secondo", 1), turn("1", "primo", 2), turn("3", "terzo", role="assistant", speaker="")]
    assert view(*turns).lines == ("Davide: primo", "Davide: secondo", "assistant: terzo")


def test_at_most_a_thousand_tokens() -> None:
    lines = view(*(turn(f"{n}", f"{n} " + "una frase lunga " * 20, 100 - n) for n in range(100))).lines
    assert 10 < len(lines) < 30
    assert sum(map(count, lines)) <= 1_000
    assert lines[-1].startswith("Davide: 99")


def test_a_recent_decision_stays_at_hand() -> None:
    turns = [turn("0", "Abbiamo deciso di comprare la bici", 600)]
    turns += [turn(f"{n}", f"riga {n}", 100 - n) for n in range(1, 100)]
    lines = view(*turns).lines
    assert lines[0] == "Davide: Abbiamo deciso di comprare la bici"
    assert len(lines) == 30


def test_a_day_later_it_is_out_of_mind() -> None:
    kept = view(turn("1", "vecchio", 24 * 60), turn("2", "ancora qui", 24 * 60 - 1), turn("3", "dopo", -5))
    assert kept.lines == ("Davide: ancora qui",)


def test_the_entities_last_named_come_first() -> None:
    turns = [
        turn("1", "Ho visto Marco a Torino", 5),
        turn("2", "Poi sono uscito con Anna", 4),
        turn("3", "Anna lavora a Milano", 3),
    ]
    assert view(*turns).entities == ("Anna", "Milano", "Marco", "Torino")


@pytest.mark.parametrize(("language", "said", "named"), table(__file__, "names"))
def test_a_name_of_several_words_is_one(language: str, said: str, named: tuple[str, ...]) -> None:
    assert set(view(turn("1", said), language=language).entities) == set(named)


def test_a_turn_is_read_in_its_own_language() -> None:
    turns = [turn("1", "Sono stato al Sant'Orsola", 2, language="it"), turn("2", "Davide's in Turin", 1)]
    assert view(*turns, language="en").entities == ("Davide", "Turin", "Sant'Orsola")


def test_what_was_decided_is_told_apart() -> None:
    turns = [turn(f"{n}", f"Abbiamo deciso di comprare {n} bici", 100 - n) for n in range(7)]
    decided = view(*turns, turn("9", "Bello!")).decisions
    assert [turn.message_id for turn in decided] == ["2", "3", "4", "5", "6"]


@given(st.lists(st.text(max_size=2_000), max_size=40))
def test_it_stays_small(contents: list[str]) -> None:
    lines = view(*(turn(f"{n}", content, n) for n, content in enumerate(contents))).lines
    assert len(lines) <= 30
    assert sum(map(count, lines)) <= 1_000
