"""`ricordo up` on memories of the former default model: they are found beside new ones, and moved."""

import asyncio
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.e2e.cli.ricordo_command import PATIENCE, Ricordo, line, to_lines, until, up
from tests.fixtures.commands import COMMAND
from tests.fixtures.digest import tenant_rows

from ricordo.language.annotations import E5, MINILM
from ricordo_services.stack.endpoints import STACK_FILE, Endpoints

pytestmark = pytest.mark.slow

CAR, BIKE = "I left the car on level three of the station garage.", "Ho prestato la bicicletta a Giulia."
OLD: Final = (CAR, *(f"I counted {n} gulls on the pier of town number {n} today." for n in range(50)))
COUNTS: Final = "select model, count(*) as number from vectors group by model"


def counts(ricordo: Ricordo) -> Mapping[str, int]:
    """Count the memories by the model that has encoded them."""
    stack = json.loads((ricordo.data_dir / STACK_FILE).read_text())
    rows = asyncio.run(tenant_rows(Endpoints.read(ricordo.data_dir, stack), "default", COUNTS))
    return {row["model"]: row["number"] for row in rows}


def findings(ricordo: Ricordo) -> Mapping[str, Mapping[str, str]]:
    return {finding["name"]: finding for finding in ricordo.json("doctor")["findings"]}


def best(ricordo: Ricordo, question: str, models: int = 1) -> list[str]:
    """Return the best memory of each of so many models: rankings are merged by rank."""
    reply = ricordo.json("recall", question, "--user", "ada", "--explain")
    assert reply["degraded"] == []
    memories = reply["memories"][:models]
    assert all(memory["signals"]["bm25"] == 0.0 for memory in memories), "by meaning, not by words"
    return [memory["content"] for memory in memories]


def kill_amid_backfill(ricordo: Ricordo) -> None:
    """Run the backfill in slices of four memories, and kill it when it has moved some."""
    environment = {**ricordo.environment, "RICORDO_EMBEDDING__BATCH": "1"}
    before = counts(ricordo)[MINILM]
    process = psutil.Popen(
        [*COMMAND, "backfill", "--only", "vectors"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        until(lambda: counts(ricordo)[MINILM] < before)  # its new vector comes a moment before
    finally:
        process.kill()
        process.wait(PATIENCE)


def test_memories_of_the_former_default_are_found_and_moved_though_a_run_is_killed(tmp_path: Path) -> None:
    former = Ricordo(tmp_path, {"RICORDO_EMBEDDING__MODEL": MINILM})
    with up(former):
        former.remember("ada", *OLD)
    ricordo = Ricordo(tmp_path, {"RICORDO_LIFECYCLE__RECONCILE_EVERY_S": "1"})
    with up(ricordo) as running:
        ricordo.publish(to_lines(line("ada", 59, BIKE, language="it")), "--wait")
        assert counts(ricordo) == {MINILM: len(OLD), E5: 1}
        assert CAR in best(ricordo, "Where did I park my vehicle?", models=2)
        assert BIKE in best(ricordo, "Who has my bike?", models=2)
        found = findings(ricordo)["vectors"]
        assert (found["state"], found["detail"]) == ("degraded", f"not yet of {E5}: {len(OLD)} of {MINILM}")
        assert found["advice"].startswith("`ricordo backfill --only vectors` encodes them by it")
        assert "found better in Italian and other languages" in found["advice"]
        assert '"found_by": "meaning' in running.log.read_text()

        kill_amid_backfill(ricordo)
        half = counts(ricordo)
        assert 0 < half[MINILM] < len(OLD)
        assert CAR in best(ricordo, "Where did I park my vehicle?", models=2)

        ricordo("backfill", "--only", "vectors")
        assert counts(ricordo) == {E5: len(OLD) + 1}
        until(lambda: not ricordo.json("stats", "--user", "ada")["pending"])
        assert best(ricordo, "Dove ho parcheggiato la macchina?") == [CAR]
        assert best(ricordo, "Where did I park my vehicle?") == [CAR]
        assert "vectors" not in findings(ricordo)
