"""Workers that join a running stack."""

import json
from pathlib import Path

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, worker

pytestmark = [pytest.mark.usefixtures("running"), pytest.mark.slow]


def test_workers_join_the_stack_of_a_folder_or_of_addresses(ricordo: Ricordo) -> None:
    def details() -> dict[str, str]:
        return {one["name"]: one["detail"] for one in ricordo.json("doctor")["findings"]}

    with worker(ricordo, "encode", "knowledge", "--data-dir", str(ricordo.data_dir)):
        assert details()["worker encode"].startswith("2 running")
        assert details()["worker knowledge"].startswith("2 running")
        ricordo.remember("joe", "The paddle is at the carpenter's.")
    stack = json.loads((ricordo.data_dir / "stack.json").read_text())
    variables = {"RICORDO_BUS__URL": stack["nats"], "RICORDO_STORES__POSTGRES_DSN": stack["postgres"]}
    with worker(Ricordo(ricordo.home, variables), "ingest") as process:
        assert details()["worker ingest"].startswith("2 running")
        process.terminate()
        assert process.wait(30) == 0


def test_a_worker_that_cannot_be_run_says_why(ricordo: Ricordo, running: Up, tmp_path: Path) -> None:
    assert "there is no worker nobody" in ricordo("worker", "nobody", code=2)
    for variable, value, reason in (
        ("RICORDO_WORKER__BATCH", "many", "worker.batch"),
        ("RICORDO_CONFIG", "/nowhere.toml", "/nowhere.toml"),
    ):
        assert reason in Ricordo(ricordo.home, {variable: value})("worker", "ingest", code=1)
    for first, second in (("encode", "index"), ("ingest", "embedding"), ("ingest", "retrieval")):
        output = ricordo("worker", first, second, "--data-dir", str(ricordo.data_dir), code=2)
        reason = f"{second} cannot run beside this `ricordo up`: its process owns the vector index"
        assert reason in output
    output = ricordo("worker", "ingest", "--data-dir", str(tmp_path), code=1)
    assert f"no stack runs on {tmp_path}: start one with `ricordo up --data-dir {tmp_path}`" in output
