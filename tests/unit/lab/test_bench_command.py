"""The command `ricordo bench`, its figures, and what it warns of."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo_lab.bench import bench_command
from ricordo_lab.bench.generated_texts import read_texts
from ricordo_lab.bench.measurement import Options, Report, percentile


async def measured(options: Options, report: Report) -> None:
    report({"bench": "ingest", "run": 1, "ratio": 0.5})
    report({"bench": "ingest", "messages": options.messages, "ratio": 0.5, "within": {"rows": 1.0}})


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_command, "BENCHES", {"ingest": measured, "startup": measured})


@pytest.mark.usefixtures("benches")
def test_json_is_a_line_each_the_machine_first_and_the_result_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench_command.main(["ingest", "--json", "--messages", "7"]) == 0
    machine, run, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert machine["bench"] == "machine"
    assert machine["cores"] >= 1
    assert machine["versions"]["ricordo"]
    assert run == {"bench": "ingest", "run": 1, "ratio": 0.5}
    assert result["messages"] == 7


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
    assert bench_command.main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.usefixtures("benches")
def test_a_file_that_is_not_there_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench_command.main(["ingest", "--texts", str(tmp_path / "absent")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "absent cannot be read" in said.err


def test_texts_are_the_lines_of_a_file_that_say_something(tmp_path: Path) -> None:
    file = tmp_path / "texts"
    file.write_text("one\n\n  two \n", encoding="utf-8")
    assert read_texts(Options(texts=file), 9) == ["one", "two"]
    assert len(read_texts(Options(), 9)) == 9


NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@given(values=st.lists(NUMBERS, min_size=1), share=st.floats(0.001, 1.0))
def test_a_percentile_is_a_value_that_the_share_does_not_exceed(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
