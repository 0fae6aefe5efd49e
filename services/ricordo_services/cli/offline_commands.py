"""`ricordo analyze|enrich|extract`: what the workers derive, without any server."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer
from pydantic import ValidationError

from ricordo.messages.errors import DecodeError, ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import FAILED, Failed, Misused, complain
from ricordo_services.cli.input_files import STANDARD_INPUT, open_input, read_document
from ricordo_services.cli.output import err_console, out_console, print_json

if TYPE_CHECKING:
    from ricordo_services.cli.offline_results import Document

M = TypeVar("M", bound=Message)

_NAME_MAX: Final = 256  # characters: longer ones name no file


def analyze(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Analyse a query."""
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import QueryInput, analysed  # noqa: PLC0415 - see `_check`

    _derive(call, source, {"query": source, **fields}, QueryInput, analysed, jsonl=jsonl)


def enrich(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Derive emotion, importance, topics and times of a message."""
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import CheckedMessageInput as Input  # noqa: PLC0415 - see `_check`
    from ricordo_services.cli.offline_results import enriched, reading  # noqa: PLC0415

    with reading() as read:
        derive = partial(enriched, read=read)
        _derive(call, source, {"content": source, **fields}, Input, derive, jsonl=jsonl)


def extract(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Extract the facts that a message states."""
    _check(source, fields, jsonl=jsonl)
    from ricordo_services.cli.offline_results import MessageInput, extracted, reading  # noqa: PLC0415 - see `_check`

    with reading() as read:
        derive = partial(extracted, read=read)
        _derive(call, source, {"content": source, **fields}, MessageInput, derive, jsonl=jsonl)


def _check(source: str | None, fields: Mapping[str, str | None], *, jsonl: bool) -> None:
    """Refuse wrong usage, before what derives is imported, which takes seconds."""
    if source is None and not jsonl:
        raise Misused("give a text, or --jsonl to read one JSON object per line")
    if jsonl and any(fields.values()):
        *names, last = fields
        raise Misused(f"with --jsonl each line contains its own {', '.join(names)} and {last}")
    if source and not jsonl and len(source) < _NAME_MAX and Path(source).is_file():
        warning = f"{source} is taken as a text: --jsonl reads it as a file"
        err_console().print(warning, style="yellow", markup=False)


def _derive(
    call: Call,
    source: str | None,
    fields: Mapping[str, str | None],
    model: type[M],
    derive: "Callable[[M], Document]",
    *,
    jsonl: bool,
) -> None:
    """Derive from each line of a file, or from one input of these fields."""
    if jsonl:
        _stream(source, model, derive)
        return
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        document = derive(model.model_validate(given))
    except ValueError as error:
        raise Misused(_error_body(error).error.message) from None
    if call.as_json:
        print_json(document)
        return
    console = out_console()
    for name, value in document.items():
        for line in value if name == "facts" and isinstance(value, list) else [value]:
            console.print(f"[bold cyan]{name:19}[/] ", end="")
            console.print(_readable(line), markup=False)
    if document.get("facts") == []:
        console.print("no facts", style="dim")


def _readable(value: object) -> str:
    match value:
        case {"subject": subject, "predicate": predicate, "object": object_, "polarity": polarity, **value}:
            times = {"from": value.get("valid_from"), "to": value.get("valid_to")}
            notes = ["no longer"] if polarity == "past" else []
            notes += (f"{name} {str(instant)[:10]}" for name, instant in times.items() if instant)
            aside = f"  ({', '.join(notes)})" if notes else ""
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
    try:
        lines = open_input(source or STANDARD_INPUT)
    except OSError as error:
        raise Failed(f"{source} cannot be read: {error.strerror}") from None
    with lines:
        for number, line in enumerate(lines, start=1):
            try:
                print_json(derive(read_document(model, line)))
            except ValueError as error:
                bad.append(number)
                detail = _error_body(error).error
                answer = ErrorBody.of(detail.code, f"line {number}: {detail.message}", detail.field)
                print_json(answer.model_dump(mode="json"))
    if bad:
        complain(f"{len(bad)} of {number} lines could not be read, the first is line {bad[0]}")
        raise typer.Exit(FAILED)


def _error_body(error: ValueError) -> ErrorBody:
    if isinstance(error, ValidationError):
        error = DecodeError.from_validation(error)
    if isinstance(error, DecodeError):
        return error.body()
    return ErrorBody.of(ErrorCode.INVALID_REQUEST, str(error))
