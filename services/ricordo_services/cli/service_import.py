"""Imports what another service exports.

It is read twice: once to count it and to find out who is who, before anything is published, and once to
publish it.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from ricordo.client import MemoryClient, RicordoError
from ricordo.messages.enumerations import MessageState
from ricordo.messages.message_types import format_instant
from ricordo_services.cli.client_calls import Call, checked_user
from ricordo_services.cli.failures import FAILED, Misused
from ricordo_services.cli.input_files import STANDARD_INPUT, rereadable, title
from ricordo_services.cli.options import Texts, flag, option, repeated
from ricordo_services.cli.output import counted, plain, print_json, print_remark, print_text, zone_of
from ricordo_services.cli.publish_command import LinePublisher
from ricordo_services.importers import PARSERS, parse_export
from ricordo_services.importers.archive import ExportArchive, open_export
from ricordo_services.importers.conversion import Conversion, Survey
from ricordo_services.importers.entries import DateOrder, Entry, ParserOptions, PastMessage, SkipReason

RICORDO: Final = "ricordo"
_ASKED_AT_ONCE: Final = 16
_SHOWN: Final = 20  # names, or malformed entries


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How an export of another service is read."""

    me: Annotated[Texts, repeated("NAME", "With --from: your name in the export")] = None
    timezone: Annotated[
        str | None, option("ZONE", "With --from: yours, and of times without any. Default: this machine's.")
    ] = None
    date_order: Annotated[DateOrder | None, option("ORDER", "With --from whatsapp: dmy, mdy or ymd.")] = None
    conversation: Annotated[str | None, option("NAME", "With --from whatsapp: the name of the chat.")] = None
    prefix: Annotated[str | None, option("TEXT", "Begins others' user ids. Default: USER:SERVICE:")] = None
    dry_run: Annotated[bool, flag("--dry-run", "With --from: count messages, and publish nothing.")] = False


def _checked(service: str, user: str | None, options: ServiceOptions) -> tuple[ParserOptions, Conversion]:
    """Check what can be checked without the file; return what parsers take and how messages become ours."""
    if service not in PARSERS:
        raise Misused(f"--from takes {', '.join(PARSERS)} or {RICORDO}, not {service}")
    if user is None:
        raise Misused("--user is missing: the id of the user whose past this is")
    checked_user(user)
    if re.fullmatch(r"[\x21-\x7e]{0,128}", options.prefix or "", re.ASCII) is None:
        raise Misused("--prefix: the beginning of an id has printable ASCII characters, and no spaces")
    names = frozenset(name.strip().casefold() for name in options.me or ())
    others = f"{user}:{service}:" if options.prefix is None else options.prefix
    parsed = ParserOptions(zone_of(options.timezone), options.date_order, options.conversation)
    return parsed, Conversion(service, user, names, others, options.timezone)


async def import_from_service(
    call: Call,
    file: str,
    service: str,
    user: str | None,
    options: ServiceOptions,
    *,
    wait: bool,
    timeout: float,
) -> None:
    """Import the export of another service."""
    parsed, conversion = _checked(service, user, options)
    with _opened(file) as export:
        survey = await asyncio.to_thread(lambda: Survey.of(parse_export(service, export, parsed)))
        for skip in survey.malformed[:_SHOWN]:
            print_remark(f"left out: {skip.place} {skip.detail}", "red")
        if survey.malformed:
            number = counted(len(survey.malformed), SkipReason.MALFORMED.value)
            print_remark(
                f"{number}: export again, or correct them, and import once more; all messages count once"
            )
        _check_names(survey, conversion, options.me)
        done: dict[str, int] = {}
        if not options.dry_run:
            entries = parse_export(service, export, parsed)
            done = await _publish(call, entries, survey, conversion, timeout, wait=wait)
    _print_survey(survey, conversion, done, as_json=call.as_json)
    if survey.malformed or done.get("failed"):
        raise typer.Exit(FAILED)


@contextmanager
def _opened(file: str) -> Iterator[ExportArchive]:
    """Open a file, compressed or not, a folder or standard input."""
    path = Path(file)
    name = title(file) if file == STANDARD_INPUT else (path.name or path.resolve().name).removesuffix(".gz")
    source = nullcontext(path) if path.is_dir() else rereadable(file)
    with source as readable, open_export(readable, name) as export:
        yield export


def _check_names(survey: Survey, conversion: Conversion, me: list[str] | None) -> None:
    """Refuse to guess who of several speakers the user is."""
    speakers = survey.speakers.values()
    if not speakers or any(speaker.is_called(conversion.names) for speaker in speakers):
        return
    if survey.own and not me:
        return
    found = [f"“{name}” ({counted(number, 'messages')})" for name, number in survey.names() if name]
    wrong = "the export does not say which speaker you are"
    if me:
        wrong = f"nobody is called {' or '.join(me)} in the export"
    if not found:
        raise Misused(plain(f"{wrong}: leave out --me"))
    others = f" and {len(found) - _SHOWN} others" if len(found) > _SHOWN else ""
    names = f"{', '.join(found[:_SHOWN])}{others}"
    raise Misused(plain(f"{wrong}: add --me with your name, which is one of {names}"))


async def _publish(
    call: Call,
    entries: Iterable[Entry],
    survey: Survey,
    conversion: Conversion,
    timeout: float,
    *,
    wait: bool,
) -> dict[str, int]:
    """Publish all messages on the import queue, and return counts; with `wait`, until they are remembered."""
    messages = (entry for entry in entries if isinstance(entry, PastMessage))
    bodies = ((message.place, body) for message in messages for body in conversion.bodies(message))
    async with call.client() as client:
        known = await _known(client, survey, conversion)
        publication = LinePublisher(client, str, bulk=True)
        await publication.run(call, bodies, wait=wait, timeout=timeout, total=survey.messages)
    counts = publication.counts(wait=wait)
    before = {} if known is None else {"known": known}
    return {"published": counts.pop("published"), **before, **counts}


async def _known(client: MemoryClient, survey: Survey, conversion: Conversion) -> int | None:
    """Count the messages that are stored already, by samples of many; None if nobody can tell."""
    ids = [json.loads(body)["id"] for message in survey.samples for body in conversion.bodies(message)]
    known = 0
    try:
        for start in range(0, len(ids), _ASKED_AT_ONCE):
            found = await asyncio.gather(*map(client.status, ids[start : start + _ASKED_AT_ONCE]))
            known += sum(one.state is not MessageState.UNKNOWN for one in found)
    except RicordoError:
        return None
    return round(known * survey.messages / max(len(ids), 1))


def _print_survey(survey: Survey, conversion: Conversion, done: Mapping[str, int], *, as_json: bool) -> None:
    users = {each.name: conversion.speaker_id(each) for each in survey.others(conversion.names)}
    if not as_json:
        _print_page(survey, done, users)
        return
    most_active = [
        {
            "id": conversion.conversation_id(each.sample),
            "title": each.sample.title,
            "messages": each.messages,
            "first": format_instant(each.first),
            "last": format_instant(each.last),
        }
        for each in survey.most_active()
    ]
    print_json(
        {
            "messages": survey.messages,
            **done,
            "skipped": {reason.value: number for reason, number in survey.skipped.most_common()},
            "conversations": len(survey.conversations),
            "most_active": most_active,
            "users": users,
        }
    )


def _print_page(survey: Survey, done: Mapping[str, int], users: Mapping[str, str]) -> None:
    for reason, number in survey.skipped.most_common():
        print_remark(f"skipped: {counted(number, reason.value)}")
    if survey.cut:
        print_remark(f"{counted(survey.cut, 'messages')} longer than the limit: cut into parts")
    for name, user_id in list(users.items())[:_SHOWN]:
        print_remark(f"{name} is the user {user_id}")
    found = counted(survey.messages, "messages")
    line = f"{found} in {counted(len(survey.conversations), 'conversations')}"
    for what, number in done.items():
        if what == "known":
            line += f" ({number} known before)" if number else ""
        elif number or what != "failed":
            line += f", {number} {what}"
    print_text(line if done else f"{line}; nothing was published")
    for each in survey.most_active():
        span = f"{each.first:%Y-%m-%d} to {each.last:%Y-%m-%d}"
        print_text(f"{each.messages:>8}  {span}  {each.sample.title or 'untitled'}")
