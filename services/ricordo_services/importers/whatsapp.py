"""Reads a chat that WhatsApp exported as text, or the zip with its media.

There are no ids and no zones: a message is known by its local time, its text, and how many equal ones came
before it at that time, so that a later, longer export of the chat gives it the same id. Phrases are in
`whatsapp_phrases.toml`.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from importlib import resources
from pathlib import PurePath
from typing import Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import (
    DateOrder,
    Entry,
    ParserOptions,
    PastMessage,
    Skip,
    SkipReason,
    Speaker,
)

_INVISIBLE: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_OWN_TEXT: Final = "\u200e"  # before what WhatsApp on iOS says itself
_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\ufeff"
# Android: 05/01/24, 15:04 - Nora: text
# iOS: [05/01/24, 15:04:05] Nora: text; formerly 05/01/24, 15:04:05: Nora: text
_HEADER: Final = re.compile(
    rf"[{_MARKS}]*(?P<open>\[)?(?P<date>\d{{1,4}}(?P<sign>[./-])\d{{1,2}}(?P=sign)\d{{1,4}}),?\s+"
    r"(?:[^\W\d]{1,4}\s+)?(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
    r"(?(open)\]|(?:\s+[-–]|(?(second):|(?!))))\s(?P<rest>.*)"
)


@dataclass(frozen=True, slots=True)
class Header:
    """The beginning of a message, or of a system line: `rest` is speaker and text."""

    date: tuple[int, int, int]  # as it stands
    sign: str
    time: tuple[int, int, int]
    rest: str


def read_header(line: str) -> Header | None:
    """Return the beginning of a message, or None for a line that continues one."""
    found = _HEADER.fullmatch(line)
    if found is None:
        return None
    first, second, third = map(int, found["date"].split(found["sign"]))
    hour, minute, seconds = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if half := found["half"]:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    return Header((first, second, third), found["sign"], (hour, minute, seconds), found["rest"])


def is_cut_header(line: str, head: str) -> bool:
    """Return whether a line is the beginning, longer than the date, of what another message begins with."""
    shape, whole = (re.sub(r"\d+", "0", visible(each)) for each in (line, head))
    return re.search(r"\d[\s,]", line) is not None and shape != whole and whole.startswith(shape)


def visible(text: str) -> str:
    """Return `text` without the marks of writing direction that WhatsApp inserts."""
    return _INVISIBLE.sub("", text)


def date_order(headers: Iterable[Header]) -> DateOrder | None:
    """Find the order of day, month and year by all dates of a file; None where several fit equally.

    The year stands first if it has four digits there. Else that order is chosen in which fewer dates are
    impossible (there is no 13th month), then the one in which time goes back less often. Dates with full
    stops begin with the day.
    """
    orders: tuple[DateOrder, DateOrder] = ("dmy", "mdy")
    impossible, backwards = Counter[DateOrder](), Counter[DateOrder]()
    previous: tuple[int, int, int] | None = None
    has_stops = is_told = False
    for header in headers:
        first, second, _ = date = header.date
        if first > 99:
            return "ymd"
        has_stops |= header.sign == "."
        is_told |= first != second
        for order, month in zip(orders, (second, first), strict=True):
            impossible[order] += month > 12
            backwards[order] += previous is not None and _ordered(date, order) < _ordered(previous, order)
        previous = date
    dmy, mdy = ((impossible[order], backwards[order]) for order in orders)
    if dmy == mdy:
        return "dmy" if has_stops or not is_told else None
    return "dmy" if dmy < mdy else "mdy"


def _ordered(date: tuple[int, int, int], order: DateOrder) -> tuple[int, int, int]:
    """Return year, month and day."""
    first, second, third = date
    if order == "ymd":
        return first, second, third
    day, month = (first, second) if order == "dmy" else (second, first)
    return (third if third > 99 else 2000 + third), month, day


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
    chat = options.conversation or _title(export, name)
    order = options.date_order or _date_order(export, name)
    before: datetime | None = None
    position, equal = 0, Counter[str]()
    for number, header, text in _records(export, name):
        place = f"{export.place(name)}, line {number}"
        if header is None:
            yield Skip(place, SkipReason.MALFORMED, text)
            continue
        speaker = visible(header.rest.partition(":")[0]).strip().removeprefix("~").strip()
        if ":" not in header.rest or not speaker or any(one in speaker.casefold() for one in _SYSTEM):
            yield Skip(place, SkipReason.SYSTEM)
            continue
        try:
            moment = datetime(*_ordered(header.date, order), *header.time)  # noqa: DTZ001 - the phone's zone
        except ValueError as error:
            detail = f"has an impossible date ({error}): correct it, or try another --date-order"
            yield Skip(place, SkipReason.MALFORMED, detail)
            continue
        if moment != before:
            before, position, equal = moment, -1, Counter()
        position += 1
        said = _said(text)
        if isinstance(said, SkipReason):
            yield Skip(place, said)
            continue
        digest = blake2b(said.encode(), digest_size=16).hexdigest()
        yield PastMessage(
            conversation=chat,
            title=chat,
            key=f"{moment.isoformat()} {digest} {equal[digest]}",
            place=place,
            text=said,
            sent_at=options.aware(moment) + position * _STEP,  # those of a minute keep their order
            speaker=Speaker(speaker, speaker),
        )
        equal[digest] += 1


def _records(export: ExportArchive, name: str) -> Iterator[tuple[int, Header | None, str]]:
    """Yield number, header and text of all that begins with a date and time; without a header, what is wrong.

    The text of a message is what follows its speaker, with the lines that continue it.
    """
    first, header, lines, head = 0, None, list[str](), ""
    for number, whole in export.text_lines(name):
        line = whole.rstrip("\r\n")
        if (begun := read_header(line)) is not None:
            if header is not None:
                yield first, header, "\n".join(lines)
            first, header, head = number, begun, line.removesuffix(begun.rest)
            lines = [begun.rest.partition(":")[2].removeprefix(" ")]
        elif line == whole and is_cut_header(line, head):  # the last line of the file
            if header is not None:
                yield first, header, "\n".join(lines)
            header = None
            yield number, None, "breaks off within its date and time: the file is incomplete"
        elif header is not None:
            lines.append(line)
        elif line.strip():
            yield number, None, "does not begin with a date and time as WhatsApp writes them"
    if header is not None:
        yield first, header, "\n".join(lines)


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


def _said(original: str) -> str | SkipReason:
    """Return what a person wrote, or why a text is no message."""
    text = visible(original).strip()
    phrase = text.casefold().removesuffix(".")
    if phrase in _DELETED:
        return SkipReason.DELETED
    said = _without_marks(text)
    if phrase in _CALLS or (said == text != "" and original.startswith(_OWN_TEXT)):
        return SkipReason.SYSTEM
    return said or SkipReason.NO_TEXT


def _without_marks(text: str) -> str:
    """Return what a person wrote, without what WhatsApp says about edits and attached files."""
    text = _ATTACHED.sub("", _EDITED.sub("", text)).strip()
    first, _, rest = text.partition("\n")
    if first.strip().casefold().removesuffix(".") in _MEDIA:
        return rest.strip()
    return text
