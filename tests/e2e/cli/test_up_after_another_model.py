"""`ricordo up` on memories of a model that cannot be asked any more: found by words, and moved.

So are those of all-MiniLM-L6-v2, which former versions ran in process; here a stand-in of Ollama has encoded
them.
"""

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
from tests.fixtures.ollama_system import model_server

from ricordo.language.annotations import E5
from ricordo_services.stack.endpoints import STACK_FILE, Endpoints

pytestmark = pytest.mark.slow

FORMER: Final = "all-MiniLM-L6-v2"
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


def best_of_both(ricordo: Ricordo, question: str) -> list[str]:
    """Return the best memory of each model, where one cannot be asked: rankings are merged by rank."""
    reply = ricordo.json("recall", question, "--user", "ada")
    assert reply["degraded"] == ["model"]
    return [memory["content"] for memory in reply["memories"][:2]]


def best_by_meaning(ricordo: Ricordo, question: str) -> str:
    """Return the best memory, of those of one model."""
    reply = ricordo.json("recall", question, "--user", "ada", "--explain")
    assert reply["degraded"] == []
    found = reply["memories"][0]
    assert found["signals"]["bm25"] == 0.0, "by meaning, not by words"
    content: str = found["content"]
    return content


def kill_amid_backfill(ricordo: Ricordo) -> None:
    """Run the backfill in slices of four memories, and kill it when it has moved some."""
    environment = {**ricordo.environment, "RICORDO_EMBEDDING__BATCH": "1"}
    before = counts(ricordo)[FORMER]
    process = psutil.Popen(
        [*COMMAND, "backfill", "--only", "vectors"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        until(lambda: counts(ricordo)[FORMER] < before)  # its new vector comes a moment before
    finally:
        process.kill()
        process.wait(PATIENCE)


def test_memories_of_a_former_model_are_found_and_moved_though_a_run_is_killed(tmp_path: Path) -> None:
    with model_server(f"{FORMER}:latest") as server:
        served = {"PROVIDER": "ollama", "MODEL": FORMER, "OLLAMA_URL": server.url}
        former = Ricordo(tmp_path, {f"RICORDO_EMBEDDING__{name}": value for name, value in served.items()})
        with up(former):
            former.remember("ada", *OLD)
    ricordo = Ricordo(tmp_path, {"RICORDO_LIFECYCLE__RECONCILE_EVERY_S": "1"})
    with up(ricordo) as running:
        ricordo.publish(to_lines(line("ada", 59, BIKE, language="it")), "--wait")
        assert counts(ricordo) == {FORMER: len(OLD), E5: 1}
        assert CAR in best_of_both(ricordo, "Where is my car?")
        assert BIKE in best_of_both(ricordo, "Who has my bike?")
        found = findings(ricordo)["vectors"]
        assert (found["state"], found["detail"]) == ("degraded", f"not yet of {E5}: {len(OLD)} of {FORMER}")
        assert found["advice"].startswith("`ricordo backfill --only vectors` encodes them by it")
        assert '"found_by": "words alone' in running.log.read_text()

        kill_amid_backfill(ricordo)
        half = counts(ricordo)
        assert 0 < half[FORMER] < len(OLD)
        assert CAR in best_of_both(ricordo, "Where is my car?")

        ricordo("backfill", "--only", "vectors")
        assert counts(ricordo) == {E5: len(OLD) + 1}
        until(lambda: not ricordo.json("stats", "--user", "ada")["pending"])
        assert best_by_meaning(ricordo, "Dove ho parcheggiato la macchina?") == CAR
        assert best_by_meaning(ricordo, "Where did I park my vehicle?") == CAR
        assert "vectors" not in findings(ricordo)
