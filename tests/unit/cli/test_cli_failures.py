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
