"""The benchmarks of the language steps, and the people that are generated for them."""

from itertools import islice
from pathlib import Path

from ricordo.language.detection import detect
from ricordo.memory.facts import PREDICATES as VOCABULARY
from ricordo.memory.facts import extract
from ricordo_lab.bench.conversation import LANGUAGES
from ricordo_lab.bench.language import analyser, extraction
from ricordo_lab.bench.measurement import Line, Options
from ricordo_lab.bench.people import PREDICATES, People, texts_of


async def _measured(options: Options) -> list[Line]:
    said: list[Line] = []
    await extraction(options, said.append)
    return said


async def test_reading_is_measured_in_runs_of_which_the_median_counts() -> None:
    *runs, result = await _measured(Options(messages=40, runs=3))
    assert [line["run"] for line in runs] == [1, 2, 3]
    assert (result["runs"], result["messages"]) == (3, 40)
    for name in ("messages_per_second", "p95_us", "ms_of_the_longest"):
        assert float(str(result[name])) > 0


async def test_it_may_be_of_texts_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("Mia sorella Nora vive a Lisbona.\nPiove.\n", encoding="utf-8")
    result = (await _measured(Options(texts=file, runs=1)))[-1]
    assert (result["messages"], result["stating_percent"], result["facts_per_message"]) == (2, 50.0, 1.0)


async def test_of_messages_that_are_made_up_about_half_state_something() -> None:
    result = (await _measured(Options(messages=400, runs=1)))[-1]
    assert 40 <= float(str(result["stating_percent"])) <= 60


def test_people_are_the_same_for_a_seed_and_no_two_are_alike() -> None:
    people = People(3)
    lives = list(people.lives(500))
    assert lives == list(People(3).lives(500))
    assert lives != list(People(4).lives(500))
    assert sum(map(len, lives)) == 500
    assert len(set(people.names)) == len(people.names) == len(lives)
    assert {one.predicate for life in lives for one in life} == set(PREDICATES) <= set(VOCABULARY)


def test_what_is_told_of_them_is_what_is_read() -> None:
    people = People()
    lives = list(islice(people.lives(), 24))
    told = list(texts_of(lives, 12))
    assert [detect(text) for text in told] == list(LANGUAGES)
    for text, language, start in zip(told, LANGUAGES, (0, 12), strict=True):
        found = {
            (one.subject, one.predicate, one.object)
            for one in extract(text, language=language, speaker="", role="user")
        }
        wanted = {
            (one.subject, one.predicate, one.value) for life in lives[start : start + 12] for one in life
        }
        assert len(found & wanted) >= 0.95 * len(wanted)


def test_some_are_told_of_again() -> None:
    people = People()
    lives = list(people.lives(3_000))
    again = list(people.again(lives))
    assert 0 < len({life[0] for life in again}) < len(lives) / 4
    assert all(life in lives for life in again)


async def test_the_analyser_is_measured_in_runs_of_which_the_median_counts(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Cosa abbiamo fatto ieri?\nWhere does Anna live?\n")
    for options, questions in ((Options(questions=4, runs=3), 4), (Options(texts=file, runs=3), 2)):
        said: list[Line] = []
        await analyser(options, said.append)
        *runs, result = said
        assert [line["run"] for line in runs] == [1, 2, 3]
        assert (result["runs"], result["questions"]) == (3, questions)
        assert 0 < float(str(result["p50_ms"])) <= float(str(result["p95_ms"]))
        assert float(str(result["ms_of_the_longest"])) > 0
