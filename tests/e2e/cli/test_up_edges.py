"""`ricordo up` at its edges: a reader that goes away, an interrupt, and a volume that is too small."""

import re
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from tests.e2e.cli.ricordo_command import PATIENCE, Ricordo, up
from tests.fixtures.commands import COMMAND
from tests.fixtures.eventually import eventually
from tests.fixtures.volume import small_volume

pytestmark = pytest.mark.slow

BYTES = "RICORDO_BUS__INPUT_BYTES"
"""One petabyte finds no room anywhere."""


async def test_it_stays_up_when_nobody_reads_and_ends_cleanly_on_an_interrupt(tmp_path: Path) -> None:
    """As in `ricordo up | head -2`."""
    ricordo, log = Ricordo(tmp_path), tmp_path / "up.log"
    with log.open("w") as errors:
        process = psutil.Popen(
            [*COMMAND, "up"], stdout=subprocess.PIPE, stderr=errors, env=ricordo.environment
        )
    try:
        process.stdout.close()
        await eventually((ricordo.data_dir / "stack.json").exists, PATIENCE)
        # It greets in the same breath as it writes the file: what answers has got over that.
        assert '"memories":0' in ricordo.process("stats", "--user", "u", "--json")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    output = log.read_text()
    assert "Traceback" not in output
    assert "BrokenPipe" not in output
    assert "stopped" in output.splitlines()
    assert not (ricordo.data_dir / "stack.json").exists()
    assert list((ricordo.data_dir / "run").iterdir()) == []
    assert "start one with `ricordo up`" in ricordo.process("recall", "cane", "--user", "u", code=1)


def test_it_greets_with_the_album_and_logs_below_a_rule(tmp_path: Path) -> None:
    ricordo, log = Ricordo(tmp_path), tmp_path / "up.log"
    with log.open("w") as errors:
        process = psutil.Popen(
            [*COMMAND, "up"], stdout=subprocess.PIPE, stderr=errors, text=True, env=ricordo.environment
        )
    try:
        shown = [process.stdout.readline()]
        while shown[-1] and "log: warnings and errors" not in shown[-1]:
            shown.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(PATIENCE) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
    assert shown[0] == "Ricordo is up.\n"
    address = r"http://127\.0\.0\.1:\d+/album/sign-in#ricordo_\w{12}_[\w-]{43}"
    assert re.fullmatch(rf" +Open the album: +{address}\n", shown[2])
    assert shown[4] == "  ricordo album\n"
    assert shown[-1].count("─") > 20
    assert rest.strip() == ""
    assert log.read_text().startswith("starting on ")


def test_without_room_for_the_streams_it_says_how_much_is_needed_and_what_to_set(tmp_path: Path) -> None:
    ricordo = Ricordo(tmp_path, {BYTES: str(10**15)})
    folder = ricordo.data_dir / "nats"
    output = ricordo.process("up", code=1)
    assert "NATS has no room for stream RICORDO_IN" in output
    assert re.search(r"RICORDO_IN 1,000,000,000 MB, RICORDO [\d,]+ MB, RICORDO_DLQ [\d,]+ MB", output)
    assert (
        f"{BYTES}, RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES make them smaller" in output
    )
    assert f"its folder is {folder}, on a volume where" in output
    assert "unexpected" not in output
    finding = {one["name"]: one for one in ricordo.json("doctor", code=1)["findings"]}["room"]
    assert finding["state"] == "missing"
    assert f"its folder is {folder}" in finding["detail"]
    assert BYTES in finding["advice"]


def test_workers_that_cannot_start_end_it_with_their_reason(tmp_path: Path) -> None:
    ricordo = Ricordo(tmp_path, {"XDG_CACHE_HOME": "/proc/no-cache"})
    output = ricordo.process("up", "--json", code=1)
    (reason,) = (line for line in output.splitlines() if not line.startswith("{"))
    assert reason.startswith("ricordo: /proc/no-cache")
    assert not (ricordo.data_dir / "stack.json").exists()
    assert list((ricordo.data_dir / "run").iterdir()) == []


def test_two_gigabytes_are_enough_and_a_stream_that_is_nearly_full_is_told(tmp_path: Path) -> None:
    with small_volume(tmp_path / "volume", 2000) as volume:
        ricordo = Ricordo(volume, {"RICORDO_BUS__EVENTS_BYTES": "60000"})
        with up(ricordo):
            ricordo.remember("davide", *(f"Oggi ho scritto pagina {n} del diario." for n in range(40)))
            findings = {one["name"]: one for one in ricordo.json("doctor")["findings"]}
    assert findings["RICORDO_IN"]["state"] == "well"
    assert findings["RICORDO"]["state"] == "noted"
    assert "of at most 0.1: when it is full, it drops the oldest events" in findings["RICORDO"]["detail"]
    assert "RICORDO_BUS__EVENTS_BYTES" in findings["RICORDO"]["advice"]
