"""The benchmarks run against the whole system; what they find on a busy machine is nobody's business here."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ricordo_services.bench.command import run
from ricordo_services.bench.options import BenchFailed, Line, Options
from ricordo_services.bench.system import up

pytestmark = pytest.mark.e2e


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
    assert (result["model"], result["precision"]) == ("all-MiniLM-L6-v2", "fp32")


async def test_the_whole_system() -> None:
    machine, first, result = await lines("ingest", Options(messages=40, runs=1))
    assert machine["bench"] == "machine"
    assert first["run"] == 1
    for name in ("events_per_second", "texts_per_second_alone", "ratio", "cpu_ms_postgres", "memory_mb"):
        value = result[name]
        assert isinstance(value, int | float)
        assert value > 0


async def test_questions_at_two_sizes() -> None:
    small, large, result = (await lines("recall", Options(memories=(30, 10), questions=5)))[1:]
    assert (small["memories"], large["memories"]) == (10, 30)
    assert isinstance(small["within"], Mapping)
    assert result["p95_ms"] == [small["p95_ms"], large["p95_ms"]]


async def test_a_system_that_does_not_start_says_why(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    with pytest.raises(BenchFailed, match="does not start"):
        async with up(taken):
            pass
