import json
from pathlib import Path

import pytest

from ricordo_lab.bench import command
from ricordo_lab.bench.conversation import read_texts
from ricordo_lab.bench.measurement import Options, Report
from ricordo_lab.console import MeasurementFailed


async def measured(options: Options, report: Report) -> None:
    report({"bench": "ingest", "run": 1, "ratio": 0.5})
    report({"bench": "ingest", "messages": options.messages, "ratio": 0.5, "within": {"rows": 1.0}})


async def failing(options: Options, report: Report) -> None:
    raise MeasurementFailed("the system does not start")


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BENCHES", {"ingest": measured, "startup": measured})


@pytest.mark.usefixtures("benches")
def test_json_is_a_line_each_the_machine_first_and_the_result_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["ingest", "--json", "--messages", "7"]) == 0
    machine, run, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert machine["bench"] == "machine"
    assert machine["cores"] >= 1
    assert machine["versions"]["ricordo"]
    assert run == {"bench": "ingest", "run": 1, "ratio": 0.5}
    assert result["messages"] == 7


@pytest.mark.usefixtures("benches")
@pytest.mark.parametrize("named", [[], ["all"]])
def test_without_a_name_all_are_run(named: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([*named, "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.usefixtures("benches")
def test_people_get_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["ingest"]) == 0
    shown = capsys.readouterr().out
    assert "ratio" in shown
    assert "rows 1.0" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["colour"],
        ["recall", "--memories", "0"],
        ["ingest", "--messages", "many"],
        ["--colour"],
        ["queue", "--seconds", "0"],
    ],
)
def test_what_cannot_be_asked_is_a_wrong_use(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["many", "0", "-3", "1.5", "9" * 5000])
def test_a_number_says_what_is_expected(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["ingest", "--messages", number]) == 2
    assert f"must be a whole number from 1 on, not {number[:40]!r}" in capsys.readouterr().err


@pytest.mark.usefixtures("benches")
def test_a_file_that_is_not_there_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["ingest", "--texts", str(tmp_path / "absent")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "absent cannot be read" in said.err


def test_help_names_the_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in command.BENCHES)


def test_a_failure_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "BENCHES", {"ingest": failing})
    assert command.main(["ingest"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "ricordo: the system does not start"


def test_texts_are_the_lines_of_a_file_that_say_something(tmp_path: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("one\n\n  two \n", encoding="utf-8")
    assert read_texts(Options(texts=file), 9) == ["one", "two"]
    assert len(read_texts(Options(), 9)) == 9


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\x00"])
def test_a_file_without_texts_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "texts"
    file.write_bytes(content)
    with pytest.raises(MeasurementFailed, match="texts"):
        read_texts(Options(texts=file), 9)
    with pytest.raises(MeasurementFailed, match="cannot be read"):
        read_texts(Options(texts=tmp_path / "absent"), 9)
