"""A vector index whose files are damaged: it is told of, and mends itself from PostgreSQL."""

import json
import os
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, line, to_lines, until, up
from tests.fixtures.scraping import free_port

pytestmark = pytest.mark.slow

STORY = ("I planted a lemon tree on the balcony.", "The lemon tree has got its first blossom.")
ASK = ("recall", "lemon tree", "--user", "rosa", "--no-reinforce")


def emptied(ricordo: Ricordo, name: str) -> None:
    [file] = (ricordo.data_dir / "qdrant").glob(f"*/segments/*/{name}")
    os.truncate(file, 0)


def doctor(ricordo: Ricordo) -> dict[str, Any]:
    return {one["name"]: one for one in ricordo.json("doctor")["findings"]}


def failed_flushes(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
        lines = page.read().decode().splitlines()
    name = 'ricordo_worker_counter_total{counter="failed_flushes",worker="index"}'
    return next(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def events(log: Path) -> Sequence[str]:
    return [json.loads(line)["event"] for line in log.read_text().splitlines() if line.startswith("{")]


def test_a_damaged_index_is_told_of_and_written_anew(tmp_path: Path) -> None:
    port = free_port()
    ricordo = Ricordo(tmp_path, {"RICORDO_WORKER__HEALTH_PORT": str(port)})
    with up(ricordo) as stack:
        assert ricordo.publish(to_lines(line("rosa", 1, STORY[0])), "--wait")["remembered"] == 1
        until(lambda: bool(list((ricordo.data_dir / "qdrant").glob("*/segments/*/*/store/*journal.dat"))))
        assert failed_flushes(port) == 0
        # while it is open: a flush fails, the shard is opened again, and the next flush is well
        emptied(ricordo, "vector_storage-text_terms/store/tracker_journal.dat")
        assert ricordo.publish(to_lines(line("rosa", 2, STORY[1])), "--wait")["remembered"] == 1
        until(lambda: "vector index opened again and flushed" in events(stack.log))
        assert failed_flushes(port) == 1
        before = ricordo.json(*ASK)
        assert (len(before["memories"]), before["degraded"]) == (2, [])
        marker = next((ricordo.data_dir / "qdrant").glob("*.lock")).with_suffix(".rebuild")
        marker.touch()
        assert doctor(ricordo)["index"]["state"] == "degraded"
        marker.unlink()
        assert doctor(ricordo)["worker index"]["state"] == "well"
        assert stack.stop() == 0
    # at the opening: the shard is replaced, and what it held is written anew
    emptied(ricordo, "segment.json")
    with up(ricordo) as stack:
        until(lambda: "vector index rebuilt" in events(stack.log))
        until(lambda: [one["id"] for one in ricordo.json(*ASK)["memories"]] == ids(before))
        assert ricordo.json(*ASK)["degraded"] == []
        assert not list((ricordo.data_dir / "qdrant").glob("*.damaged"))
        assert doctor(ricordo)["index"]["state"] == "well"
        assert stack.stop() == 0


def ids(reply: dict[str, Any]) -> list[str]:
    return [one["id"] for one in reply["memories"]]
