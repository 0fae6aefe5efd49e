"""`ricordo import --from SERVICE`: takes in what another service exports.

The export is read twice: once to count it and to find out who is who, before anything is published, and once
to publish it.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, cast, get_args

import typer
from rich.text import Text

from ricordo.client import MemoryClient, RicordoError
from ricordo.messages.enumerations import MessageState
from ricordo.messages.message_types import format_instant
from ricordo_services.cli.client_calls import Call, checked_user
from ricordo_services.cli.failures import FAILED, Interrupted, Misused
from ricordo_services.cli.input_files import STANDARD_INPUT, rereadable, title
from ricordo_services.cli.output import (
    counted,
    err_console,
    out_console,
    plain,
    print_json,
    print_remark,
    print_text,
    progress,
    zone_of,
)
from ricordo_services.cli.publish_command import (
    WINDOW,
    Fault,
    Publication,
    await_remembered,
    open_ingest_watch,
    publish_lines,
)
from ricordo_services.importers import PARSERS, parse_export
from ricordo_services.importers.archive import ExportArchive, open_export
from ricordo_services.importers.conversion import Conversion, Survey
from ricordo_services.importers.past_message import DateOrder, Entry, ParserOptions, PastMessage, SkipReason

RICORDO: Final = "ricordo"
_ASKED_AT_ONCE: Final = 16
_SHOWN: Final = 20  # names, or malformed entries


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """The options of an import from a service, as they were given."""

    service: str
    user: str | None
    me: list[str] | None = None
    timezone: str | None = None
    date_order: str | None = None
    conversation: str | None = None
    prefix: str | None = None
    dry_run: bool = False

    def checked(self) -> "ServiceOptions":
        """Check what can be checked without the file.

        Raises:
            Misused: an option is missing or wrong.
        """
        if self.service not in PARSERS:
            raise Misused(f"--from takes {', '.join(PARSERS)} or {RICORDO}, not {self.service}")
        if self.user is None:
            raise Misused("--user is missing: the id of the user whose past this is")
        checked_user(self.user)
        if re.fullmatch(r"[\x21-\x7e]{0,128}", self.prefix or "", re.ASCII) is None:
            raise Misused("--prefix: the beginning of an id has printable ASCII characters, and no spaces")
        if self.date_order is not None and self.date_order not in get_args(DateOrder):
            raise Misused(f"--date-order takes {', '.join(get_args(DateOrder))}, not {self.date_order}")
        zone_of(self.timezone)
        return self

    @property
    def for_parser(self) -> ParserOptions:
        """The options that a parser takes."""
        return ParserOptions(
            zone_of(self.timezone), cast("DateOrder | None", self.date_order), self.conversation
        )

    @property
    def conversion(self) -> Conversion:
        """How messages become those of the user."""
        user = self.user or ""
        return Conversion(
            service=self.service,
            user_id=user,
            names=frozenset(name.strip().casefold() for name in self.me or ()),
            prefix=f"{user}:{self.service}:" if self.prefix is None else self.prefix,
            timezone=self.timezone,
        )


@dataclass(slots=True)
class _Publishing:
    """Reads an export the second time.

    Attributes:
        places: where the messages in flight stand, by number.
    """

    entries: Iterator[Entry]
    conversion: Conversion
    places: dict[int, str]

    async def bodies(self) -> AsyncGenerator[tuple[int, bytes], None]:
        """Yield the bodies with their numbers; reads in a thread, which delays no acknowledgement."""
        bodies = self._numbered()
        while some := await asyncio.to_thread(lambda: list(islice(bodies, WINDOW))):
            for each in some:
                yield each

    def _numbered(self) -> Iterator[tuple[int, bytes]]:
        number = 0
        for entry in self.entries:
            if isinstance(entry, PastMessage):
                for body in self.conversion.bodies(entry):
                    number += 1
                    self.places[number] = entry.place
                    self.places.pop(number - 4 * WINDOW, None)
                    yield number, body

    def report(self, fault: Fault) -> None:
        """Print why a message was not published or not remembered."""
        place = self.places.get(fault.line, f"message {fault.line}")
        print_remark(f"{place} ({fault.message_id}): {fault.reason}", "red")


async def import_from_service(
    call: Call, file: str, options: ServiceOptions, timeout: float, *, wait: bool
) -> None:
    """Import the export of another service."""
    options.checked()
    with _opened(file) as export:
        survey = await asyncio.to_thread(
            lambda: Survey.of(parse_export(options.service, export, options.for_parser))
        )
        for skip in survey.malformed[:_SHOWN]:
            print_remark(f"left out: {skip.place} {skip.detail}", "red")
        if survey.malformed:
            number = counted(len(survey.malformed), SkipReason.MALFORMED.value)
            print_remark(
                f"{number}: export again, or correct them, and import once more; all messages count once"
            )
        conversion = options.conversion
        _check_names(survey, conversion, options)
        publication = (
            None if options.dry_run else await _publish(call, export, survey, options, timeout, wait=wait)
        )
    _summarise(survey, conversion, publication, wait=wait, as_json=call.as_json)
    if survey.malformed or (publication is not None and publication.faults):
        raise typer.Exit(FAILED)


@contextmanager
def _opened(file: str) -> Iterator[ExportArchive]:
    """Open a file, compressed or not, a folder or standard input."""
    path = Path(file)
    name = title(file) if file == STANDARD_INPUT else (path.name or path.resolve().name).removesuffix(".gz")
    if path.is_dir():
        with open_export(path, name) as export:
            yield export
        return
    with rereadable(file) as readable, open_export(readable, name) as export:
        yield export


def _check_names(survey: Survey, conversion: Conversion, options: ServiceOptions) -> None:
    """Refuse to guess who of several speakers the user is."""
    speakers = survey.speakers.values()
    if not speakers or any(speaker.is_called(conversion.names) for speaker in speakers):
        return
    if survey.own and not options.me:
        return
    found = [f"“{name}” ({counted(number, 'messages')})" for name, number in survey.names() if name]
    wrong = "the export does not say which speaker you are"
    if options.me:
        wrong = f"nobody is called {' or '.join(options.me)} in the export"
    if not found:
        raise Misused(plain(f"{wrong}: leave out --me"))
    others = f" and {len(found) - _SHOWN} others" if len(found) > _SHOWN else ""
    names = f"{', '.join(found[:_SHOWN])}{others}"
    raise Misused(plain(f"{wrong}: add --me with your name, which is one of {names}"))


async def _publish(
    call: Call, export: ExportArchive, survey: Survey, options: ServiceOptions, timeout: float, *, wait: bool
) -> Publication:
    """Publish all messages on the import queue; with `wait`, until they are remembered."""
    done = 0
    entries = parse_export(options.service, export, options.for_parser)
    source = _Publishing(entries, options.conversion, {})
    publication = Publication(source.report, export.title)
    try:
        async with AsyncExitStack() as exits:
            client = await exits.enter_async_context(call.client())
            watch = await exits.enter_async_context(open_ingest_watch(call.target)) if wait else None
            publication.known = await _known(client, survey, options.conversion)
            with progress(err_console(), "published", quiet=call.as_json) as show:

                def advance(_: int) -> None:
                    nonlocal done
                    done += 1
                    show(done, survey.messages)

                bodies = await exits.enter_async_context(aclosing(source.bodies()))
                await publish_lines(client, bodies, publication, bulk=True, advance=advance)
            if wait:
                done = 0
                with progress(err_console(), "remembered", quiet=call.as_json) as show:
                    await await_remembered(client, publication, watch, timeout, advance)
    except asyncio.CancelledError:
        raise Interrupted(publication.so_far) from None
    return publication


async def _known(client: MemoryClient, survey: Survey, conversion: Conversion) -> int | None:
    """Count the messages that are stored already, by samples of many; None if nobody can tell."""
    ids = [json.loads(body)["id"] for message in survey.samples for body in conversion.bodies(message)]
    known, total = 0, len(ids)
    try:
        while some := ids[:_ASKED_AT_ONCE]:
            found = await asyncio.gather(*map(client.status, some))
            known += sum(one.state is not MessageState.UNKNOWN for one in found)
            del ids[:_ASKED_AT_ONCE]
    except RicordoError:
        return None
    return round(known * survey.messages / max(total, 1))


def _summarise(
    survey: Survey, conversion: Conversion, publication: Publication | None, *, wait: bool, as_json: bool
) -> None:
    done = {}
    if publication is not None:
        done["published"] = len(publication.acknowledged)
        if publication.known is not None:
            done["known"] = publication.known
        if wait:
            done["remembered"] = publication.remembered
        done["failed"] = len(publication.faults)
    users = {each.name: conversion.speaker_id(each) for each in survey.others(conversion.names)}
    if as_json:
        _print_document(survey, conversion, done, users)
    else:
        _print_page(survey, done, users)


def _print_document(
    survey: Survey, conversion: Conversion, done: Mapping[str, int], users: Mapping[str, str]
) -> None:
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
    line = Text(f"{found} in {counted(len(survey.conversations), 'conversations')}")
    for what, count in done.items():
        if what == "known":
            line.append(_news(count, survey))
        elif count or what != "failed":
            line.append(f", {count} {what}", "bold red" if what == "failed" else "green")
    out_console().print(line if done else line.append("; nothing was published"))
    for each in survey.most_active():
        span = f"{each.first:%Y-%m-%d} to {each.last:%Y-%m-%d}"
        print_text(f"{each.messages:>8}  {span}  {each.sample.title or 'untitled'}")


def _news(known: int, survey: Survey) -> str:
    """Say how many messages add nothing, since an earlier import has brought them."""
    if known == survey.messages > 0:
        return " again: nothing is new"
    about = "" if survey.messages <= len(survey.samples) else "about "
    return f" ({about}{known} known before)" if known else ""
