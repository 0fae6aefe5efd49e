"""Parsers for the exports of other services, by the name of the service.

A parser is a pure function from an opened export to its messages and to what it skips, each with the place
where it stands. Nothing here knows the bus: `past_import` publishes what the parsers find.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ricordo_services.importers import discord, mbox, slack, telegram, whatsapp
from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.assistants import parse_chatgpt, parse_claude
from ricordo_services.importers.entries import Entry, ParserOptions
from ricordo_services.importers.parsing import FAULTS

Parser = Callable[[ExportArchive, ParserOptions], Iterator[Entry]]
PARSERS: Final[Mapping[str, Parser]] = {
    "chatgpt": parse_chatgpt,
    "claude": parse_claude,
    "whatsapp": whatsapp.parse,
    "telegram": telegram.parse,
    "slack": slack.parse,
    "discord": discord.parse,
    "mbox": mbox.parse,
}


def parse_export(service: str, export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of an export, and what is skipped.

    Raises:
        UnreadableExport: it is not an export of the service, or is broken.
    """
    try:
        yield from PARSERS[service](export, options)
    except FAULTS as error:
        raise UnreadableExport(
            f"{export.title} does not have the form of an export of {service} ({error!r}): export it again, "
            "or name the right service with --from"
        ) from None
