"""`ricordo up | head -2`: whoever read has gone, and the stack stays for everybody else."""

import subprocess
from pathlib import Path

import psutil
import pytest
from tests.e2e.cli.ricordo_command import COMMAND, PATIENCE, Ricordo
from tests.fixtures.stack_traces import until

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("options", [(), ("--json",)])
async def test_it_stays_up_when_nobody_reads_and_stops_when_told(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    ricordo, log = Ricordo(tmp_path), tmp_path / "up.log"
    with log.open("w") as errors:
        process = psutil.Popen(
            [*COMMAND, "up", *options], stdout=subprocess.PIPE, stderr=errors, env=ricordo.environment
        )
    try:
        process.stdout.close()
        await until((ricordo.data_dir / "stack.json").exists, PATIENCE)
        # It greets in the same breath as it writes the file: what answers has got over that.
        assert '"memories":0' in ricordo.process("stats", "--user", "u", "--json")
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    said = log.read_text()
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
    assert ("stopped" in said.splitlines()) is (not options)
