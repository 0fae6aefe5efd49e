"""Reads a chat that WhatsApp exported as text, or the zip with its media.

There are no ids and no zones: a message is known by its local time, its text, and how many equal ones came
before it at that time, so that a later, longer export of the chat gives it the same id. Phrases are in
`whatsapp_phrases.toml`.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from importlib import resources
from pathlib import PurePath
from typing import Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.past_message import (
    DateOrder,
    Entry,
    ParserOptions,
    PastMessage,
    Skip,
    SkipReason,
    Speaker,
)
from ricordo_services.importers.whatsapp_lines import (
    Header,
    date_order,
    is_cut_header,
    is_own_text,
    read_header,
    visible,
)

_PHRASES: Final = tomllib.loads((resources.files(__package__) / "whatsapp_phrases.toml").read_text("utf-8"))
_DELETED, _MEDIA, _CALLS = (frozenset(_PHRASES[name]) for name in ("deleted", "media", "calls"))
_SYSTEM: Final = tuple(_PHRASES["system"])
_EDITED: Final = re.compile(f"{_PHRASES['edited']}$", re.IGNORECASE)
_ATTACHED: Final = re.compile(_PHRASES["attached"], re.IGNORECASE | re.MULTILINE)
_TITLE: Final = re.compile("(?:" + "|".join(map(re.escape, _PHRASES["titles"])) + r")\s*", re.IGNORECASE)
_COPY: Final = re.compile(r"\s*\(\d+\)$")
_UNNAMED: Final = ("_chat", "standard input")
_STEP: Final = timedelta(milliseconds=1)


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of the chat, in the order of the file.

    Raises:
        UnreadableExport: it is no chat of WhatsApp, its name does not say which, or the order of its dates
            cannot be told.
    """
    name = _chat_file(export)
    title = options.conversation or _title(export, name)
    order = options.date_order or _date_order(export, name)
    chat = _Chat(title, export.place(name), order, options)
    head = ""
    for number, whole in export.text_lines(name):
        line = whole.rstrip("\r\n")
        header = read_header(line)
        if header is not None:
            head = line.removesuffix(header.rest)
            yield from chat.end_message()
            yield from chat.begin_message(number, header)
        elif line == whole and is_cut_header(line, head):
            yield from chat.end_message()
            detail = "breaks off within its date and time: the file is incomplete"
            yield Skip(f"{export.place(name)}, line {number}", SkipReason.MALFORMED, detail)
        elif line.strip() or chat.lines:
            yield from chat.continue_message(number, line)
    yield from chat.end_message()


def _chat_file(export: ExportArchive) -> str:
    """Return the text file of the chat, beside which there may be attached ones."""
    texts = export.required(r"\.txt$", "text file: is it a chat that WhatsApp exported?")
    chats = [name for name in texts if "whatsapp" in name.casefold() or PurePath(name).stem in _UNNAMED]
    found = chats or texts
    if len(found) > 1:
        raise UnreadableExport(
            f"{export.title} contains several chats ({', '.join(found[:5])}): import each by itself"
        )
    return found[0]


def _title(export: ExportArchive, name: str) -> str:
    stems = (PurePath(each).name for each in (name, export.title))
    for stem in (re.sub(r"\.(txt|zip|gz)$", "", each, flags=re.IGNORECASE) for each in stems):
        title = visible(_TITLE.sub("", _COPY.sub("", stem))).strip()
        if title and stem not in _UNNAMED and title != "-":
            return title
    raise UnreadableExport(
        f"the name of {export.title} does not say which chat it is: name it with --conversation, alike at "
        "each import of this chat"
    )


def _date_order(export: ExportArchive, name: str) -> DateOrder:
    first: list[str] = []

    def headers() -> Iterator[Header]:
        for _, line in export.text_lines(name):
            if (header := read_header(line.rstrip("\r\n"))) is not None:
                first[:] = first or [line.rstrip()[:60]]
                yield header

    order = date_order(headers())
    if not first:
        raise UnreadableExport(
            f"{export.place(name)}, line 1: no line begins with a date and time as WhatsApp writes them, "
            "such as “05/01/24, 15:04 - Nora: hello”: export the chat again, and import that file as it is"
        )
    if order is None:
        raise UnreadableExport(
            f"the dates of {export.place(name)} can be read in two ways, as “{first[0]}”: add --date-order "
            "dmy if the day comes first, or --date-order mdy if the month does"
        )
    return order


@dataclass(slots=True)
class _Chat:
    """The state of reading a chat: the message whose lines are being collected.

    Attributes:
        equal: how often each text has come at the present time.
    """

    title: str
    file: str
    order: DateOrder
    options: ParserOptions
    lines: list[str] = field(default_factory=list)
    number: int = 0
    speaker: str = ""
    moment: datetime | None = None
    position: int = 0
    equal: Counter[str] = field(default_factory=Counter)

    def begin_message(self, number: int, header: Header) -> Iterator[Entry]:
        speaker, colon, text = header.rest.partition(":")
        name = visible(speaker).strip().removeprefix("~").strip()
        self.number = number
        if not colon or not name or any(phrase in name.casefold() for phrase in _SYSTEM):
            yield Skip(self._place(), SkipReason.SYSTEM)
            return
        try:
            moment = header.moment(self.order)
        except ValueError as error:
            detail = f"has an impossible date ({error}): correct it, or try another --date-order"
            yield Skip(self._place(), SkipReason.MALFORMED, detail)
            return
        if moment == self.moment:
            self.position += 1
        else:
            self.position, self.moment = 0, moment
            self.equal.clear()
        self.speaker, self.lines = name, [text.removeprefix(" ")]

    def continue_message(self, number: int, line: str) -> Iterator[Entry]:
        """Add a line; one that belongs to no message is malformed at the beginning, else of a system line."""
        if self.lines:
            self.lines.append(line)
        elif not self.number:
            detail = "does not begin with a date and time as WhatsApp writes them"
            yield Skip(f"{self.file}, line {number}", SkipReason.MALFORMED, detail)

    def end_message(self) -> Iterator[Entry]:
        """Yield the message whose lines were collected, if any."""
        if not self.lines or self.moment is None:
            return
        original = "\n".join(self.lines)
        self.lines = []
        text = visible(original).strip()
        phrase = text.casefold().removesuffix(".")
        if phrase in _DELETED:
            yield Skip(self._place(), SkipReason.DELETED)
        elif phrase in _CALLS:
            yield Skip(self._place(), SkipReason.SYSTEM)
        elif not (said := _without_marks(text)):
            yield Skip(self._place(), SkipReason.NO_TEXT)
        elif is_own_text(original) and said == text:
            yield Skip(self._place(), SkipReason.SYSTEM)
        else:
            yield self._message(said, self.moment)

    def _message(self, text: str, moment: datetime) -> PastMessage:
        digest = blake2b(text.encode(), digest_size=16).hexdigest()
        number = self.equal[digest]
        self.equal[digest] += 1
        return PastMessage(
            conversation=self.title,
            title=self.title,
            key=f"{moment.isoformat()} {digest} {number}",
            place=self._place(),
            text=text,
            # Several messages of a minute keep their order.
            sent_at=self.options.aware(moment) + self.position * _STEP,
            speaker=Speaker(self.speaker, self.speaker),
        )

    def _place(self) -> str:
        return f"{self.file}, line {self.number}"


def _without_marks(text: str) -> str:
    """Return what a person wrote, without what WhatsApp says about edits and attached files."""
    text = _ATTACHED.sub("", _EDITED.sub("", text)).strip()
    first, _, rest = text.partition("\n")
    if first.strip().casefold().removesuffix(".") in _MEDIA:
        return rest.strip()
    return text
