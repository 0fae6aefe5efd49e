"""Reads Discord: JSON of DiscordChatExporter, or the package of one's own data that Discord sends.

DiscordChatExporter (https://github.com/Tyrrrz/DiscordChatExporter, JsonMessageWriter.cs) writes a file per
channel or thread, with everybody's messages. The package has those of its owner only, in
`messages/c123/messages.json` or, formerly, `messages.csv`; its folders have names in the account's language.
See https://support.discord.com/hc/en-us/articles/360004957991 and
https://github.com/seanbreckenridge/discord_data.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, SkipReason, Speaker
from ricordo_services.importers.parsing import read_entries, read_entry, text_of

_OWN: Final = r"(^|/)c?\d+/messages\.(json|csv)$"
_KINDS: Final = ("Default", "Reply")
_EMOJI: Final = re.compile(r"<a?(:\w+:)\d+>")


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of all channels.

    Raises:
        UnreadableExport: it is neither of the two forms.
    """
    if not export.is_single and (own := export.matching(_OWN)):
        yield from _package(export, own, options)
        return
    for name in export.required(r"\.json$", "JSON of DiscordChatExporter, nor messages/c123/messages.json"):
        document = export.document(name)
        if not isinstance(document, Mapping) or not {"channel", "messages"} <= document.keys():
            raise UnreadableExport(
                f"{export.place(name)} has no channel and messages: name a JSON file of DiscordChatExporter, "
                "or the zip that Discord sent"
            )
        place = f"{export.place(name)}, messages"
        yield from read_entries(place, document["messages"], _message, document, options)


def _message(
    message: Mapping[str, Any], document: Mapping[str, Any], options: ParserOptions
) -> PastMessage | SkipReason:
    author, channel = message["author"], document["channel"]
    if author.get("isBot"):
        return SkipReason.BOT
    if message["type"] not in _KINDS:
        return SkipReason.SYSTEM
    text, name = _text(message["content"]), text_of(author["name"])
    guild = text_of((document.get("guild") or {}).get("name"))
    reference = message.get("reference") or {}
    is_here = reference.get("channelId") in (None, channel["id"])
    return PastMessage(
        conversation=text_of(channel["id"]),
        title=" / ".join(filter(None, (guild, text_of(channel.get("name"))))),
        key=text_of(message["id"]),
        text=text,
        sent_at=options.instant(message["timestamp"]),
        speaker=Speaker(text_of(author["id"]), text_of(author.get("nickname")) or name, (name,)),
        reply_to=reference.get("messageId") if is_here else None,
    )


def _package(export: ExportArchive, names: list[str], options: ParserOptions) -> Iterator[Entry]:
    account = export.optional_document(r"(^|/)user\.json$") or {}
    name = text_of(account.get("global_name")) or text_of(account.get("username"))
    owner = Speaker(str(account.get("id", "self")), name)
    titles = export.optional_document(r"(^|/)messages/index\.json$")
    if titles is None:  # the folder has another name in other languages
        folder = re.escape(names[0].rsplit("/", 2)[0])
        titles = export.optional_document(rf"^{folder}/index\.json$") or {}
    for path in names:
        channel = path.split("/")[-2].lstrip("c")
        title = text_of(titles.get(channel)) or f"channel {channel}"
        for place, row in _rows(export, path):
            yield read_entry(place, _own_message, row, (channel, title), owner, options)


def _rows(export: ExportArchive, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    place = export.place(path)
    if path.endswith(".json"):
        for number, row in enumerate(export.document(path)):
            yield f"{place}, [{number}]", row
        return
    rows = csv.DictReader(line for _, line in export.text_lines(path))
    for each in rows:
        yield f"{place}, line {rows.line_num}", each


def _own_message(
    row: Mapping[str, Any], channel: tuple[str, str], owner: Speaker, options: ParserOptions
) -> PastMessage:
    text, sent = _text(row["Contents"]), text_of(row["Timestamp"])
    return PastMessage(
        conversation=channel[0],
        title=channel[1],
        key=str(row["ID"]),
        text=text,
        sent_at=options.instant(sent if re.search(r"[+-]\d\d:\d\d$|Z$", sent) else f"{sent}+00:00"),
        speaker=owner,
        own=True,
    )


def _text(text: object) -> str:
    return _EMOJI.sub(r"\1", text_of(text))
