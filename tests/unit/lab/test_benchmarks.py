"""Benchmarks: the command, texts, arrivals, and figures that belong together."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo_lab.bench import bench_command
from ricordo_lab.bench.arrivals import at_fixed_rate, poisson
from ricordo_lab.bench.measurement import Options, Report, percentile
from ricordo_lab.bench.spoken_texts import questions, read_texts, texts
from ricordo_lab.bench.stage_profile import by_stage


@given(seed=st.integers(0, 2**32))
def test_a_seed_always_says_the_same(seed: int) -> None:
    assert list(islice(texts(seed), 20)) == list(islice(texts(seed), 20))
    assert list(islice(questions(seed), 20)) == list(islice(questions(seed), 20))


def test_arrivals_come_at_their_rate_evenly_or_poisson() -> None:
    assert list(islice(at_fixed_rate(4), 3)) == [0, 0.25, 0.5]
    chance, again, other = (list(islice(poisson(50, seed), 5000)) for seed in (1, 1, 2))
    assert chance == again != other
    assert chance == sorted(chance)
    assert 45 < len(chance) / chance[-1] < 55
    gaps = np.diff(chance)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)  # as of a Poisson process, and no other


def test_samples_belong_to_the_stage_whose_code_they_run_in() -> None:
    """Waiting threads are left out, and a model counts as the model, whoever asked it."""
    loop = "run_forever (asyncio/base_events.py:607)"
    worker = f"{loop};Consumption._handle (ricordo/runtime/worker/consumption.py:136)"
    stacks = {
        f"{worker};derive (ricordo_services/enrichment/enrichment_handler.py:87)": 5,
        f"{worker};IndexHandler.__call__ (ricordo_services/embedding/index_handlers.py:90)": 4,
        f"{worker};Settlement.settle (ricordo/runtime/worker/settlement.py:60)": 3,
        f"{loop};Client._read_loop (nats/aio/client.py:9)": 2,
        "derive (ricordo_services/enrichment/a.py:1);run (ricordo/models/onnx/network.py:1)": 7,
        f"{loop};EpollSelector.select (selectors.py:468)": 50,
        "run (threading.py:982);_worker (concurrent/futures/thread.py:81)": 50,
        f"{loop};_run_once (asyncio/base_events.py:1895)": 1,
    }
    found = by_stage(f"{stack} {count}" for stack, count in stacks.items())
    expected = {"models": 7, "enrichment": 5, "index": 4, "settlement": 3, "bus": 2, "event loop": 1}
    assert dict(found) == expected


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


@pytest.mark.parametrize("arguments", table(__file__, "wrong_uses"))
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
