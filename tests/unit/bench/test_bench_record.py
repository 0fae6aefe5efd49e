"""Figures on a page: kept beside it, shown in their sections, and never by hand."""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.fixtures.documents import ROOT

from ricordo_lab.bench import command, record
from ricordo_lab.bench.markdown import chart, pairs, shown, table
from ricordo_lab.bench.options import BenchFailed, Line, Options, Say
from ricordo_lab.bench.record import Record
from ricordo_lab.bench.report import SECTIONS

STARTUP: Final[Line] = {"first_start_s": 5.5, "start_s": 5.0, "stop_s": 1.5, "memory_mb": 1496.0}
MACHINE: Final[Line] = {
    "cores": 2,
    "processor": "some",
    "python": "3.11",
    "load_before": 0.1,
    "million_additions_ms": 37.0,
}
PAGE: Final = """# Speed

By hand.

<!-- figures of startup: written by ricordo bench --record -->
<!-- end of figures -->

By hand too.

<!-- figures of recall: written by ricordo bench --record -->
not measured yet
<!-- end of figures -->
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "speed.md"
    file.write_text(PAGE, encoding="utf-8")
    return file


async def measured(options: Options, say: Say) -> None:
    say({"bench": "startup", "run": 1})
    say({"bench": "startup", **STARTUP})


def test_the_page_of_the_project_shows_what_was_recorded_of_each_benchmark() -> None:
    page = ROOT / record.PAGE
    assert Record(page).is_shown(), f"run python -m {record.__name__} and commit what changed"
    recorded = json.loads((page.with_suffix("") / record.FIGURES).read_text(encoding="utf-8"))
    assert recorded.keys() == SECTIONS.keys() == command.BENCHES.keys()
    assert all(lines[0]["bench"] == "machine" for lines in recorded.values())


def test_figures_appear_in_their_section_and_nowhere_else(page: Path) -> None:
    Record(page).keep("startup", [MACHINE, {"bench": "startup", **STARTUP}])
    written = page.read_text(encoding="utf-8")
    assert "| 5.5 | 5 | 1.5 | 1,496 |" in written
    assert "2 cores (some, Python 3.11)" in written
    assert "\nBy hand.\n" in written
    assert "\nnot measured yet\n" in written


def test_they_are_replaced_when_measured_again_and_stay_when_others_are(page: Path) -> None:
    for seconds in (5.5, 4.25):
        Record(page).keep("startup", [MACHINE, {"bench": "startup", **STARTUP, "start_s": seconds}])
    again = Record(page)
    assert again.is_shown()
    written = page.read_text(encoding="utf-8")
    assert written.count("| 4.25 |") == 1
    assert written.count("1,496") == 1
    page.write_text(written.replace("4.25", "1"), encoding="utf-8")
    assert not again.is_shown()
    again.write()
    assert page.read_text(encoding="utf-8") == written


def test_a_command_records_what_it_measured(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BENCHES", {"startup": measured})
    assert command.main(["startup", "--record", str(page)]) == 0
    kept = json.loads((page.with_suffix("") / "figures.json").read_text(encoding="utf-8"))["startup"]
    assert [line["bench"] for line in kept] == ["machine", "startup", "startup"]
    assert "1,496" in page.read_text(encoding="utf-8")


def test_without_being_asked_it_records_nothing(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page.parent)
    monkeypatch.setattr(command, "BENCHES", {"startup": measured})
    assert command.main(["startup"]) == 0
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("name", "complaint"), [("absent.md", "is no file"), ("speed.md", "no place for the figures of ingest")]
)
def test_where_they_cannot_be_recorded_nothing_is_measured(
    name: str,
    complaint: str,
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "BENCHES", {"startup": measured, "ingest": measured})
    assert command.main(["--record", str(page.with_name(name))]) == 1
    told = capsys.readouterr()
    assert complaint in told.err
    assert told.out == ""


@pytest.mark.parametrize("content", ["nonsense", "[1]", "\x00"])
def test_a_broken_record_is_a_sentence(page: Path, content: str) -> None:
    file = page.with_suffix("") / "figures.json"
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BenchFailed, match=r"figures\.json cannot be read"):
        Record(page)


def test_a_record_of_another_version_is_a_sentence_and_nothing_new_is_lost(page: Path) -> None:
    file = page.with_suffix("") / "figures.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"recall": [MACHINE, {"bench": "recall"}]}), encoding="utf-8")
    with pytest.raises(BenchFailed, match="figures of recall lack"):
        Record(page).keep("startup", [MACHINE, {"bench": "startup", **STARTUP}])
    assert "1496" in file.read_text(encoding="utf-8")


def test_the_command_writes_and_checks(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Record(page).keep("startup", [MACHINE, {"bench": "startup", **STARTUP}])
    page.write_text(PAGE, encoding="utf-8")
    assert record.main([str(page), "--check"]) == 1
    assert "does not show" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == PAGE
    assert record.main([str(page)]) == 0
    assert record.main([str(page), "--check"]) == 0
    assert record.main([str(page.with_name("absent.md"))]) == 1
    assert "is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (1234, "1,234"), (0.59, "0.59"), (302.0, "302"), ([1, 0.5], "1, 0.5"), ("a|b", "a\\|b")],
)
def test_figures_are_easy_to_read(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_table_has_a_row_for_each_line() -> None:
    assert table(["a", "b"], [[1, None]]) == "| a | b |\n|---|---|\n| 1 | – |"
    assert pairs({"a": 1}) == "| what | how much |\n|---|---|\n| a | 1 |"


def test_a_plot_begins_at_nothing_and_has_room_for_its_largest_value() -> None:
    drawn = chart("Speed", ("size", [1000, "all"]), ("ms", [[1.5, 20.0], [3, 40]]), "line")
    assert drawn.splitlines() == [
        "```mermaid",
        "xychart-beta",
        '    title "Speed"',
        '    x-axis "size" ["1,000", "all"]',
        '    y-axis "ms" 0 --> 44',
        "    line [1.5, 20]",
        "    line [3, 40]",
        "```",
    ]


@pytest.mark.parametrize("values", [[], [[]], [[1.0]], [[1.0, None]]])
def test_what_is_not_known_is_not_drawn(values: list[list[float | None]]) -> None:
    assert chart("Speed", ("size", [1, 2]), ("ms", values), "bar") == ""
