"""`ricordo analyze|enrich|extract`: what the workers derive, without any server."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, TypeVar

import typer
from pydantic import ValidationError

from ricordo.messages.base import Message
from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode
from ricordo_services.cli.failures import FAILED, Failed, Misused, complain
from ricordo_services.cli.input_files import read_document
from ricordo_services.cli.output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ricordo_services.cli.pure_results import Document

M = TypeVar("M", bound=Message)

_NAME_MAX: Final = 256  # characters: longer ones name no file

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="TEXT|FILE",
        help="The text; with --jsonl a file, or - for standard input.",
        show_default=False,
    ),
]
Jsonl = Annotated[
    bool, typer.Option("--jsonl", help="Read a JSON object a line, write one a line, in order.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
Spoken = Annotated[
    str | None,
    typer.Option("--language", metavar="CODE", help="it or en. Default: detected.", show_default=False),
]
When = Annotated[
    str | None,
    typer.Option(
        "--timestamp",
        "--now",
        metavar="INSTANT",
        help='When it was said, with an offset; "yesterday" is relative to it. Default: now.',
        show_default=False,
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="Zone where it was said, such as Europe/Rome. Default: UTC.",
        show_default=False,
    ),
]


def analyze(
    source: Source = None,
    *,
    jsonl: Jsonl = False,
    as_json: AsJson = False,
    language: Spoken = None,
    now: When = None,
    timezone: Where = None,
) -> None:
    """Understand a query."""
    fields = {"language": language, "now": now, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.pure_results import Question, analysed  # noqa: PLC0415 - see below

    if jsonl:
        _stream(source, Question, analysed)
    else:
        _once({"query": _text(source), **fields}, Question, analysed, as_json)


def enrich(
    source: Source = None,
    *,
    jsonl: Jsonl = False,
    as_json: AsJson = False,
    language: Spoken = None,
    timestamp: When = None,
    timezone: Where = None,
) -> None:
    """Say what a message feels like, how much it matters, what it is about and when that happened."""
    fields = {"language": language, "timestamp": timestamp, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.pure_results import (  # noqa: PLC0415 - see below
        Told,
        encoding,
        enriched,
    )

    with encoding() as encode:
        derive = partial(enriched, encode=encode)
        if jsonl:
            _stream(source, Told, derive)
        else:
            _once({"content": _text(source), **fields}, Told, derive, as_json)


def extract(
    source: Source = None,
    *,
    jsonl: Jsonl = False,
    as_json: AsJson = False,
    language: Spoken = None,
    timestamp: When = None,
    timezone: Where = None,
) -> None:
    """Read the facts that a message states, and since when and until when it says they hold."""
    fields = {"language": language, "timestamp": timestamp, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.pure_results import Stated, extracted  # noqa: PLC0415 - see below

    if jsonl:
        _stream(source, Stated, extracted)
    else:
        _once({"content": _text(source), **fields}, Stated, extracted, as_json)


# What derives takes seconds to load, and what refuses wrong usage none: it is imported behind `_check`.
def _check(source: str | None, fields: Mapping[str, str | None], *, jsonl: bool) -> None:
    if source is None and not jsonl:
        raise Misused("give a text, or --jsonl to read a JSON object a line")
    if jsonl and any(fields.values()):
        *names, last = fields
        raise Misused(f"with --jsonl each line says its own {', '.join(names)} and {last}")


def _text(source: str | None) -> str:
    source = source or ""
    if len(source) < _NAME_MAX and Path(source).is_file():
        err_console().print(
            f"{source} is taken as a text: --jsonl reads it as a file", style="yellow", markup=False
        )
    return source


def _once(
    fields: dict[str, str | None], model: type[M], derive: "Callable[[M], Document]", as_json: bool
) -> None:
    try:
        document = derive(model.model_validate(fields))
    except ValueError as error:
        raise Misused(_detail(error).error.message) from None
    if as_json:
        print_json(document)
    else:
        _show(document)


def _show(document: "Document") -> None:
    console = out_console()
    for name, value in document.items():
        for line in value if name == "facts" and isinstance(value, list) else [value]:
            console.print(f"[bold cyan]{name:19}[/] ", end="")
            console.print(_readable(line), markup=False)
    if document.get("facts") == []:
        console.print("states nothing about anyone", style="dim")


def _readable(value: object) -> str:
    match value:
        case {"subject": subject, "predicate": predicate, "object": object_, "polarity": polarity, **value}:
            times = {"from": value.get("valid_from"), "to": value.get("valid_to")}
            told = ["no longer"] if polarity == "past" else []
            told += (f"{name} {str(instant)[:10]}" for name, instant in times.items() if instant)
            aside = f"  ({', '.join(told)})" if told else ""
            return f"{subject} · {predicate} · {object_}{aside}"
        case dict():
            return ", ".join(f"{name}: {_readable(each)}" for name, each in value.items() if each is not None)
        case list():
            return ", ".join(map(_readable, value)) or "-"
        case float():
            return f"{value:.2f}"
        case None:
            return "-"
        case _:
            return str(value)


def _stream(source: str | None, model: type[M], derive: "Callable[[M], Document]") -> None:
    """Print one line for each input line; an error for one that cannot be read.

    Raises:
        Failed: the file cannot be read.
        typer.Exit: with 1 when a line was bad.
    """
    bad: list[int] = []
    with _opened(source) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                print_json(derive(read_document(model, line)))
            except ValueError as error:
                bad.append(number)
                detail = _detail(error).error
                answer = ErrorBody.of(detail.code, f"line {number}: {detail.message}", detail.field)
                print_json(answer.model_dump(mode="json"))
    if bad:
        complain(f"{len(bad)} of {number} lines could not be read, the first is line {bad[0]}; mend them")
        raise typer.Exit(FAILED)


def _detail(error: ValueError) -> ErrorBody:
    if isinstance(error, ValidationError):
        error = DecodeError.from_validation(error)
    if isinstance(error, DecodeError):
        return error.body()
    return ErrorBody.of(ErrorCode.INVALID_REQUEST, str(error))


@contextlib.contextmanager
def _opened(source: str | None) -> Iterator[BinaryIO]:
    if source in (None, "-"):
        yield sys.stdin.buffer
        return
    try:
        file = Path(str(source)).open("rb")  # noqa: SIM115 - closed below; only opening it may fail here
    except OSError as error:
        raise Failed(f"{source} cannot be read: {error.strerror}") from None
    with file:
        yield file
