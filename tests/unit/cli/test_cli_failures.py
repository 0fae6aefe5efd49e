"""How commands fail, and what they do with the streams they are given."""

import contextlib
import os
import subprocess
import sys

import pytest
import typer

from ricordo.client import InvalidRequest, Unavailable
from ricordo_services.cli.failures import Failed, Interrupted, Misused, guarded, sentence


def code_of(error: BaseException) -> int:
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as end:
        guarded(command)()
    return end.value.exit_code


def test_each_failure_has_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(Failed("start it")) == 1
    assert capsys.readouterr().err == "ricordo: start it\n"
    assert code_of(Misused("not so")) == 2
    assert code_of(Unavailable("nobody answers")) == 1
    capsys.readouterr()
    assert code_of(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "ricordo: interrupted\n"
    assert code_of(Interrupted("half of it is done")) == 130
    assert capsys.readouterr().err == "ricordo: interrupted: half of it is done\n"
    assert code_of(typer.Exit(7)) == 7


def test_what_nobody_foresaw_is_one_line_that_says_how_to_see_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert code_of(ZeroDivisionError("division\nby zero")) == 1
    assert capsys.readouterr().err == (
        "ricordo: unexpected ZeroDivisionError: division by zero (RICORDO_DEBUG=1 shows all of it)\n"
    )


def test_debugging_keeps_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RICORDO_DEBUG", "1")

    def command() -> None:
        raise Failed("as it is")

    with pytest.raises(Failed):
        guarded(command)()


def test_a_group_says_each_thing_once() -> None:
    group = ExceptionGroup(
        "services failed", [Failed("a is away"), ExceptionGroup("", [Failed("a is away"), Failed("b too")])]
    )
    assert sentence(group) == "a is away; b too"


def test_a_field_is_named_where_the_sentence_does_not() -> None:
    assert sentence(InvalidRequest("must be positive", "limit")) == "must be positive (field limit)"
    assert sentence(InvalidRequest("limit must be positive", "limit")) == "limit must be positive"


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
    command = ["bash", "-c", f'exec "$@" {number}>&-', "bash", sys.executable, "-c", MAIN, "--version"]
    result = subprocess.run(command, check=False, capture_output=True, env=environment())
    assert (result.returncode, result.stderr) == (0, b"")
    assert (b"ricordo" in result.stdout) == (stream == "stderr")


def test_a_remark_to_nobody_ends_no_command() -> None:
    program = "from ricordo_services.cli.output import print_remark as say; say('x'); say('x'); print('done')"
    reading, writing = os.pipe()
    os.close(reading)
    with contextlib.closing(os.fdopen(writing, "wb")) as nobody:
        result = subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=nobody,
        )
    assert result.stdout == b"done\n"
