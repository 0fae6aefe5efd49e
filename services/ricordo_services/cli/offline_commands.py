"""`ricordo analyze|enrich|extract`: what the workers derive, without any server."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import FAILED, Failed, Misused, complain
from ricordo_services.cli.input_files import STANDARD_INPUT, open_input, read_document
from ricordo_services.cli.output import out_console, print_json, print_remark

if TYPE_CHECKING:
    from ricordo_services.cli.offline_results import Document

_NAME_MAX: Final = 256  # characters: longer ones name no file


def analyze(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Analyse a query."""
    _derive(call, source, fields, "analyze", jsonl=jsonl)


def enrich(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Derive emotion, importance, topics and times of a message."""
    _derive(call, source, fields, "enrich", jsonl=jsonl)


def extract(call: Call, source: str | None = None, *, jsonl: bool = False, **fields: str | None) -> None:
    """Extract the facts that a message states."""
    _derive(call, source, fields, "extract", jsonl=jsonl)


def _derive(
    call: Call, source: str | None, fields: Mapping[str, str | None], command: str, *, jsonl: bool
) -> None:
    """Derive from each line of a file, or from one input of these fields."""
    if source is None and not jsonl:
        raise Misused("give a text, or --jsonl to read one JSON object per line")
    if jsonl and any(fields.values()):
        *names, last = fields
        raise Misused(f"with --jsonl each line contains its own {', '.join(names)} and {last}")
    if source and not jsonl and len(source) < _NAME_MAX and Path(source).is_file():
        print_remark(f"{source} is taken as a text: --jsonl reads it as a file", "yellow")
    from ricordo_services.cli.offline_results import derivation  # noqa: PLC0415 - takes seconds; wrong usage none

    with derivation(command) as (model, text, derive):
        if jsonl:
            _stream(source, model, derive)
            return
        given = {name: value for name, value in {text: source, **fields}.items() if value is not None}
        try:
            document = derive(read_document(model, json.dumps(given).encode()))
        except ValueError as error:
            raise Misused(str(error)) from None
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


def _stream(source: str | None, model: type[Message], derive: "Callable[[Message], Document]") -> None:
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
                told, field = f"line {number}: {error}", getattr(error, "field", None)
                print_json(ErrorBody.of(ErrorCode.INVALID_REQUEST, told, field).model_dump(mode="json"))
    if bad:
        complain(f"{len(bad)} of {number} lines could not be read, the first is line {bad[0]}")
        raise typer.Exit(FAILED)
