"""The benchmarks run against the whole system; what they find on a busy machine is nobody's business here."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ricordo.models.onnx.network import native_precision
from ricordo_lab.bench.bench_command import run
from ricordo_lab.bench.measurement import Line, Options
from ricordo_lab.bench.system import up
from ricordo_lab.console import MeasurementFailed


async def lines(name: str, options: Options) -> list[Line]:
    found: list[Line] = []
    await run(name, options, found.append)
    return [json.loads(json.dumps(line)) for line in found]


async def test_the_model_alone(tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("Ieri ho adottato un cane.\nMy sister lives in Dublin.\n", encoding="utf-8")
    result = (await lines("embedding", Options(texts=texts, runs=1)))[-1]
    assert isinstance(result["texts_per_second"], float)
    assert result["texts_per_second"] > 0
    assert (result["model"], result["precision"]) == ("multilingual-e5-small", native_precision())
    one_by_one, ratio = result["texts_per_second_one_by_one"], result["ratio_to_one_by_one"]
    assert isinstance(one_by_one, float)
    assert result["texts_per_second"] / one_by_one == pytest.approx(ratio, rel=0.02)


@pytest.mark.lab
async def test_the_embedding_batcher() -> None:
    _, run_line, *parts, result = await lines("queue", Options(seconds=0.3, runs=1))
    assert run_line["run"] == 1
    assert [part["part"] for part in parts] == ["acceptance", "acceptance"]
    for name in ("overhead_p95_ms", "latency_p95_ms", "accepted_per_second"):
        value = result[name]
        assert isinstance(value, float)
        assert value > 0


@pytest.mark.lab
async def test_the_whole_system() -> None:
    machine, first, result = await lines("ingest", Options(messages=40, runs=1, users=3, profile=True))
    assert machine["bench"] == "machine"
    assert first["run"] == 1
    for name in ("events_per_second", "texts_per_second_alone", "ratio", "cpu_ms_postgres", "memory_mb"):
        value = result[name]
        assert isinstance(value, int | float)
        assert value > 0
    stages = [value for name, value in first.items() if name.startswith("cpu_ms_workers_")]
    assert sum(map(float, map(str, stages))) == pytest.approx(first["cpu_ms_workers"], rel=0.02)


@pytest.mark.lab
async def test_questions_at_two_sizes() -> None:
    small, large, result = (await lines("recall", Options(memories=(30, 10), questions=5)))[1:]
    assert (small["memories"], large["memories"]) == (10, 30)
    assert isinstance(small["within"], Mapping)
    assert result["p95_ms"] == [small["p95_ms"], large["p95_ms"]]


@pytest.mark.lab
async def test_what_is_at_hand() -> None:
    _, *found, result = await lines("working", Options(questions=8))
    assert [line["read"] for line in found] == ["as before", "after a turn", "for the first time"]
    assert [line["reads"] for line in found] == result["reads"] == [8, 2, 50]


async def test_a_system_that_does_not_start_says_why(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    with pytest.raises(MeasurementFailed, match="does not start"):
        async with up(taken):
            pass
