import datetime as dt
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.working import WorkingMemory, working_memory

NOW = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)


def count(text: str) -> int:
    return len(text.split())


@dataclass(frozen=True)
class Turn:
    message_id: str
    content: str
    minutes_ago: float = 0
    role: str = "user"
    speaker: str = "Davide"

    @property
    def timestamp(self) -> dt.datetime:
        return NOW - dt.timedelta(minutes=self.minutes_ago)


def view(*turns: Turn, language: str = "it") -> WorkingMemory:
    return working_memory(turns, now=NOW, count=count, language=language)


def test_lines_are_the_last_turns_oldest_first_in_any_order_of_arrival() -> None:
    turns = [Turn("2", "secondo", 1), Turn("1", "primo", 2), Turn("3", "terzo", role="assistant", speaker="")]
    assert view(*turns).lines == ("Davide: primo", "Davide: secondo", "assistant: terzo")


def test_at_most_thirty_lines_the_newest() -> None:
    lines = view(*(Turn(f"{n}", f"riga {n}", 100 - n) for n in range(100))).lines
    assert len(lines) == 30
    assert lines[-1] == "Davide: riga 99"


def test_at_most_a_thousand_tokens() -> None:
    lines = view(*(Turn(f"{n}", f"{n} " + "una frase lunga " * 20, 100 - n) for n in range(100))).lines
    assert 10 < len(lines) < 30
    assert sum(map(count, lines)) <= 1_000
    assert lines[-1].startswith("Davide: 99")


def test_a_recent_decision_stays_at_hand() -> None:
    turns = [Turn("0", "Abbiamo deciso di comprare la bici", 600)]
    turns += [Turn(f"{n}", f"riga {n}", 100 - n) for n in range(1, 100)]
    lines = view(*turns).lines
    assert lines[0] == "Davide: Abbiamo deciso di comprare la bici"
    assert len(lines) == 30


def test_a_day_later_it_is_out_of_mind() -> None:
    kept = view(Turn("1", "vecchio", 24 * 60), Turn("2", "ancora qui", 24 * 60 - 1), Turn("3", "dopo", -5))
    assert kept.lines == ("Davide: ancora qui",)


def test_the_entities_last_named_come_first() -> None:
    turns = [
        Turn("1", "Ho visto Marco a Torino", 5),
        Turn("2", "Poi sono uscito con Anna", 4),
        Turn("3", "Anna lavora a Milano", 3),
    ]
    assert view(*turns).entities == ("Anna", "Milano", "Marco", "Torino")


def test_at_most_five_entities() -> None:
    assert len(view(Turn("1", "Con Anna, Marco, Giulia, Paolo, Luca e Sara a Torino")).entities) == 5


def test_notes_are_passed_on() -> None:
    noted = working_memory([], now=NOW, count=count, language="en", notes={"kpi": 3})
    assert noted == WorkingMemory(notes={"kpi": 3})


@given(st.lists(st.text(max_size=2_000), max_size=40))
def test_it_stays_small(contents: list[str]) -> None:
    lines = view(*(Turn(f"{n}", content, n) for n, content in enumerate(contents))).lines
    assert len(lines) <= 30
    assert sum(map(count, lines)) <= 1_000
