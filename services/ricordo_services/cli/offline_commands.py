"""`ricordo analyze|enrich|extract`: what the workers derive, without any server."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.message_types import JsonObject, Message
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import FAILED, Misused, complain
from ricordo_services.cli.input_files import STANDARD_INPUT, numbered_lines, read_document
from ricordo_services.cli.options import argument, flag, offered, option
from ricordo_services.cli.output import out_console, print_json, print_remark

_NAME_MAX: Final = 256  # characters: longer ones name no file


LineCall = Annotated[Call, offered(as_json="Print one line of JSON.")]
Source = Annotated[
    str | None, argument("TEXT|FILE", "The text; with --jsonl a file, or - for standard input.")
]
Lines = Annotated[bool, flag("--jsonl", "Read and write one JSON object per line, in order.")]


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What is known of a text that stands in the command line."""

    language: Annotated[str | None, option("CODE", "it or en. Default: detected.")] = None
    instant: Annotated[
        str | None, option("INSTANT", "Its time, with a UTC offset. Default: now.", "--timestamp", "--now")
    ] = None
    timezone: Annotated[str | None, option("ZONE", "Such as Europe/Rome. Default: UTC.")] = None


def analyze(call: LineCall, source: Source = None, *, jsonl: Lines = False, text: TextOptions) -> None:
    """Analyse a query: its intent, people and time. No server is needed.

    Examples:
        ricordo analyze 'Cosa abbiamo fatto ieri?'
        ricordo analyze --jsonl < queries.jsonl
    """
    _derive(call, source, text, "analyze", jsonl=jsonl)


def enrich(call: LineCall, source: Source = None, *, jsonl: Lines = False, text: TextOptions) -> None:
    """Derive emotion, importance, topics and times of a message. No server is needed.

    Examples:
        ricordo enrich 'Che gioia, ho adottato un cane!'
        ricordo enrich 'Yesterday I fell' --timezone Europe/Rome
        ricordo enrich --jsonl messages.jsonl
    """
    _derive(call, source, text, "enrich", jsonl=jsonl)


def extract(call: LineCall, source: Source = None, *, jsonl: Lines = False, text: TextOptions) -> None:
    """Extract the facts that a message states. No server is needed.

    Examples:
        ricordo extract 'Mia sorella Nora vive a Lisbona.'
        ricordo extract --jsonl < messages.jsonl
    """
    _derive(call, source, text, "extract", jsonl=jsonl)


def _derive(call: Call, source: str | None, text: TextOptions, command: str, *, jsonl: bool) -> None:
    """Derive from each line of a file, or from one input of these fields."""
    instant = "now" if command == "analyze" else "timestamp"
    fields = {"language": text.language, instant: text.instant, "timezone": text.timezone}
    if source is None and not jsonl:
        raise Misused("give a text, or --jsonl to read one JSON object per line")
    if jsonl and any(fields.values()):
        *names, last = fields
        raise Misused(f"with --jsonl each line contains its own {', '.join(names)} and {last}")
    if source and not jsonl and len(source) < _NAME_MAX and Path(source).is_file():
        print_remark(f"{source} is taken as a text: --jsonl reads it as a file", "yellow")
    from ricordo_services.cli.offline_results import derivation  # noqa: PLC0415 - takes seconds; wrong usage none

    with derivation(command) as (model, content, derive):
        if jsonl:
            _stream(source, model, derive)
            return
        given = {name: value for name, value in {content: source, **fields}.items() if value is not None}
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


def _stream(source: str | None, model: type[Message], derive: Callable[[Message], JsonObject]) -> None:
    """Print one line for each input line; an error for one that cannot be read."""
    bad: list[int] = []
    for number, line in numbered_lines(source or STANDARD_INPUT):
        if not line:  # the rest of one that is too long
            continue
        try:
            print_json(derive(read_document(model, line)))
        except ValueError as error:
            bad.append(number)
            told, field = f"line {number}: {error}", getattr(error, "field", None)
            print_json(ErrorBody.of(ErrorCode.INVALID_REQUEST, told, field).model_dump(mode="json"))
    if bad:
        complain(f"{len(bad)} of {number} lines could not be read, the first is line {bad[0]}")
        raise typer.Exit(FAILED)
