"""What a command does with the standard output it is given, in processes of its own."""

import contextlib
import os
import subprocess
import sys

import pytest

MAIN = "from ricordo_services.cli import main; main()"


def environment(**more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RICORDO_", "LC_"))}
    return {**clean, **more}


ASCII = environment(LC_ALL="C", PYTHONIOENCODING="ascii")


def test_a_letter_that_cannot_be_written_is_replaced() -> None:
    """One process runs all command lines, since its start takes longer than they do."""
    typed = [["extract", "Mi piace il tè verde."], ["--help"], ["extract", "--help"], ["extract", "--tè"]]
    program = (
        f"import sys\nfrom ricordo_services.cli.application import run\nprint([run(one) for one in {typed}])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, env=ASCII
    )
    assert "t? verde" in result.stdout
    assert result.stdout.splitlines()[-1] == "[0, 0, 0, 2]"
    assert "--t" in result.stderr
    assert "Unicode" not in result.stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_command_may_begin_without_a_stream(stream: str) -> None:
    number = {"stdout": 1, "stderr": 2}[stream]
    result = subprocess.run(
        [
            "bash",
            "-c",
            f'exec "$@" {number}>&-',
            "bash",
            sys.executable,
            "-c",
            MAIN,
            "--version",
        ],
        check=False,
        capture_output=True,
        env=environment(),
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert (b"ricordo" in result.stdout) == (stream == "stderr")


@pytest.mark.parametrize("console", ["out_console", "err_console"])
def test_a_console_ends_no_command_whose_reader_has_gone(console: str) -> None:
    program = f"""
import sys
from ricordo_services.cli.output import {console}
from ricordo_services.cli.failures import discard_stream
try:
    {console}().print("to nobody")
except BrokenPipeError:
    discard_stream(sys.stdout)
{console}().print("to nobody")
sys.exit(7)
"""
    reading, writing = os.pipe()
    os.close(reading)
    gone, other = ("stdout", "stderr") if console == "out_console" else ("stderr", "stdout")
    with contextlib.closing(os.fdopen(writing, "wb")) as nobody:
        result = subprocess.run(
            [sys.executable, "-c", program],
            check=False,
            env=environment(),
            stdout=nobody if gone == "stdout" else subprocess.PIPE,
            stderr=nobody if gone == "stderr" else subprocess.PIPE,
        )
    assert (result.returncode, getattr(result, other)) == (7, b"")
