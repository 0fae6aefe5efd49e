"""Imports what another service exports: options, and what is printed."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from ricordo_services.cli.client_calls import Call, checked_user
from ricordo_services.cli.failures import FAILED, Misused
from ricordo_services.cli.input_files import STANDARD_INPUT, rereadable, title
from ricordo_services.cli.options import Texts, flag, option, repeated
from ricordo_services.cli.output import counted, plain, print_json, print_remark, print_text, zone_of
from ricordo_services.cli.publish_command import LinePublisher
from ricordo_services.importers import PARSERS
from ricordo_services.importers.archive import ExportArchive, open_export
from ricordo_services.importers.conversion import Survey
from ricordo_services.importers.entries import DateOrder, SkipReason
from ricordo_services.past_import import SHOWN, PastImport

RICORDO: Final = "ricordo"


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


def _checked(service: str, user: str | None, options: ServiceOptions) -> str:
    """Check what can be checked without the file; return the user."""
    if service not in PARSERS:
        raise Misused(f"--from takes {', '.join(PARSERS)} or {RICORDO}, not {service}")
    if user is None:
        raise Misused("--user is missing: the id of the user whose past this is")
    checked_user(user)
    if re.fullmatch(r"[\x21-\x7e]{0,128}", options.prefix or "", re.ASCII) is None:
        raise Misused("--prefix: the beginning of an id has printable ASCII characters, and no spaces")
    zone_of(options.timezone)
    return user


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
    whose = _checked(service, user, options)
    with _opened(file) as export:
        past = PastImport.of(
            service,
            whose,
            export,
            me=options.me or (),
            timezone=options.timezone or None,
            date_order=options.date_order,
            conversation=options.conversation,
            prefix=options.prefix,
        )
        survey = await asyncio.to_thread(past.survey)
        for skip in survey.malformed[:SHOWN]:
            print_remark(f"left out: {skip.place} {skip.detail}", "red")
        if survey.malformed:
            number = counted(len(survey.malformed), SkipReason.MALFORMED.value)
            print_remark(
                f"{number}: export again, or correct them, and import once more; all messages count once"
            )
        if unclear := past.unclear_user(survey):
            raise Misused(plain(unclear))
        done = {} if options.dry_run else await _publish(call, past, survey, timeout, wait=wait)
    _print_survey(survey, past, done, as_json=call.as_json)
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


async def _publish(
    call: Call, past: PastImport, survey: Survey, timeout: float, *, wait: bool
) -> dict[str, int]:
    """Publish all messages on the import queue, and return counts; with `wait`, until they are remembered."""
    async with call.client() as client:
        known = await past.count_known(client, survey)
        publication = LinePublisher(client, str, bulk=True)
        await publication.run(call, past.bodies(), wait=wait, timeout=timeout, total=survey.messages)
    counts = publication.counts(wait=wait)
    before = {} if known is None else {"known": known}
    return {"published": counts.pop("published"), **before, **counts}


def _print_survey(survey: Survey, past: PastImport, done: Mapping[str, int], *, as_json: bool) -> None:
    others = survey.others(past.conversion.names)
    users = {each.name: past.conversion.speaker_id(each) for each in others}
    if not as_json:
        _print_page(survey, done, users)
        return
    preview = past.preview(survey).model_dump(mode="json")
    shown = {name: preview[name] for name in ("skipped", "conversations", "most_active")}
    print_json({"messages": survey.messages, **done, **shown, "users": users})


def _print_page(survey: Survey, done: Mapping[str, int], users: Mapping[str, str]) -> None:
    for reason, number in survey.skipped.most_common():
        print_remark(f"skipped: {counted(number, reason.value)}")
    if survey.cut:
        print_remark(f"{counted(survey.cut, 'messages')} longer than the limit: cut into parts")
    for name, user_id in list(users.items())[:SHOWN]:
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
