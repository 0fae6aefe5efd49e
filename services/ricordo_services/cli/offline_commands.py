"""`ricordo analyze|enrich|extract`: what the workers derive, without any server."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, TypeVar

import typer
from pydantic import ValidationError

from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo_services.cli.command_options import argument, flag, option
from ricordo_services.cli.failures import FAILED, Failed, Misused, complain
from ricordo_services.cli.input_files import read_document
from ricordo_services.cli.output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ricordo_services.cli.offline_results import Document

M = TypeVar("M", bound=Message)

_NAME_MAX: Final = 256  # characters: longer ones name no file

Source = Annotated[
    str | None, argument("TEXT|FILE", "The text; with --jsonl a file, or - for standard input.")
]
JsonLinesFlag = Annotated[bool, flag("--jsonl", "Read a JSON object a line, write one a line, in order.")]
JsonFlag = Annotated[bool, flag("--json", "Print one line of JSON.")]
LanguageOption = Annotated[str | None, option("--language", "CODE", "it or en. Default: detected.")]
InstantOption = Annotated[
    str | None,
    option(
        "--timestamp --now",
        "INSTANT",
        'When it was said, with an offset; "yesterday" is relative to it. Default: now.',
    ),
]
ZoneOption = Annotated[
    str | None, option("--timezone", "ZONE", "Zone where it was said, such as Europe/Rome. Default: UTC.")
]


def analyze(
    source: Source = None,
    *,
    jsonl: JsonLinesFlag = False,
    as_json: JsonFlag = False,
    language: LanguageOption = None,
    now: InstantOption = None,
    timezone: ZoneOption = None,
) -> None:
    """Analyse a query."""
    fields = {"language": language, "now": now, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import QueryInput, analysed  # noqa: PLC0415 - see below

    _derive(source, "query", fields, QueryInput, analysed, jsonl=jsonl, as_json=as_json)


def enrich(
    source: Source = None,
    *,
    jsonl: JsonLinesFlag = False,
    as_json: JsonFlag = False,
    language: LanguageOption = None,
    timestamp: InstantOption = None,
    timezone: ZoneOption = None,
) -> None:
    """Derive emotion, importance, topics and times of a message."""
    fields = {"language": language, "timestamp": timestamp, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import CheckedMessageInput as Input  # noqa: PLC0415 - see below
    from ricordo_services.cli.offline_results import encoding, enriched  # noqa: PLC0415

    with encoding() as encode:
        derive = partial(enriched, encode=encode)
        _derive(source, "content", fields, Input, derive, jsonl=jsonl, as_json=as_json)


def extract(
    source: Source = None,
    *,
    jsonl: JsonLinesFlag = False,
    as_json: JsonFlag = False,
    language: LanguageOption = None,
    timestamp: InstantOption = None,
    timezone: ZoneOption = None,
) -> None:
    """Extract the facts that a message states."""
    fields = {"language": language, "timestamp": timestamp, "timezone": timezone}
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import MessageInput, extracted  # noqa: PLC0415 - see below

    _derive(source, "content", fields, MessageInput, extracted, jsonl=jsonl, as_json=as_json)


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


def _derive(
    source: str | None,
    main: str,
    fields: Mapping[str, str | None],
    model: type[M],
    derive: "Callable[[M], Document]",
    *,
    jsonl: bool,
    as_json: bool,
) -> None:
    """Derive from each line, or from one text, which is the field `main` of the input."""
    if jsonl:
        _stream(source, model, derive)
        return
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        document = derive(model.model_validate({main: _text(source), **given}))
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
    """Print one line for each input line; an error for one that cannot be read."""
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
