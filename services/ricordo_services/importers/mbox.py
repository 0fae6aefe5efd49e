"""Reads a mailbox in the mbox format, as Gmail (Google Takeout), Thunderbird and Apple Mail export it.

Mails are read one by one, whatever the size of the file. A conversation is a thread: that of `X-GM-THRID`,
else of the first of `References`. Quoted mails and signatures are left out: their words are those of other
mails. The format after RFC 4155, and https://support.google.com/accounts/answer/3024190 for headers of Gmail.
"""

import re
from collections.abc import Iterator
from datetime import UTC
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parseaddr
from hashlib import blake2b
from typing import Final

from ricordo.documents.readers.dispatch import read_body
from ricordo.documents.reading_limits import Unreadable
from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, Skip, SkipReason, Speaker
from ricordo_services.importers.parsing import malformed, read_entry

MAX_MAIL_BYTES: Final = 64 * 1024 * 1024
"""The largest mail with its attachments."""

_QUOTED: Final = re.compile(rb">+From ")
_REPLY: Final = re.compile(r"^(?:\s*(?:re|fwd?|r|i|aw|wg|tr|sv|rif)(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
_IDS: Final = re.compile(r"<([^<>\s]+)>")
# "On Fri, 5 Jan 2024, Nora wrote:", which may take two lines, before lines that begin with >
_ATTRIBUTION: Final = re.compile(
    r"^(?:On|Il|In data|Le|Am|El|Em|\d)\b[^\n]*(?:\n(?!>)[^\n]*)?"
    r"\b(?:wrote|writes|ha scritto|scrive|scrisse|a écrit|schrieb|escribió)\b[^\n]{0,60}:\s*\n(?=>)",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTE: Final = re.compile(r"^>.*\n?", re.MULTILINE)
_FORMER: Final = re.compile(
    r"^(?:-{2,}\s*(?:original message|messaggio originale|forwarded message|messaggio inoltrato)\b"
    r"|\*?(?:from|da):\*? [^\n]+\n\*?(?:sent|inviato|date|data):\*? ).*",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_SIGNATURE: Final = re.compile(r"^-- $.*", re.MULTILINE | re.DOTALL)
_EXPUNGED: Final = 0x8  # of X-Mozilla-Status
_DISCARDED: Final = {"spam", "trash", "cestino", "drafts", "bozze"}  # of X-Gmail-Labels


def parse(export: ExportArchive, _options: ParserOptions) -> Iterator[Entry]:
    """Yield the mails of all mailboxes of the export.

    Raises:
        UnreadableExport: a file is no mailbox.
    """
    for name in export.required(r"(\.mbox|/mbox)$", "mailbox (a file .mbox)"):
        for number, data in _mails(export, name):
            place = f"{export.place(name)}, line {number}"
            if len(data) > MAX_MAIL_BYTES:
                detail = f"has more than {MAX_MAIL_BYTES:,} bytes with its attachments"
                yield Skip(place, SkipReason.MALFORMED, detail)
                continue
            try:
                yield read_entry(place, _mail, data)
            except (LookupError, MessageError, Unreadable) as error:
                yield malformed(place, error)


def _mails(export: ExportArchive, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield each mail with the number of its first line; of one that is too large, its beginning."""
    first, size, lines = 0, 0, list[bytes]()
    is_border = True  # a mail begins with "From " at the beginning or behind an empty line
    for number, line in export.lines(name):
        if is_border and line.startswith(b"From "):
            if first:
                yield first, b"".join(lines)
            first, size, lines = number, 0, []
        elif not first and line.strip():
            raise UnreadableExport(
                f"{export.place(name)}, line {number}: a mailbox begins with “From ”: name the .mbox file"
            )
        elif size <= MAX_MAIL_BYTES:
            lines.append(line[1:] if _QUOTED.match(line) else line)
            size += len(line)
        is_border = not line.strip()
    if first:
        yield first, b"".join(lines)


def _mail(data: bytes) -> PastMessage | SkipReason:
    mail = message_from_bytes(data, policy=policy.default)
    labels = {label.strip().casefold() for label in _header(mail, "X-Gmail-Labels").split(",")}
    if int(_header(mail, "X-Mozilla-Status") or "0", 16) & _EXPUNGED or labels & _DISCARDED:
        return SkipReason.DELETED
    is_bulk = _header(mail, "Precedence").casefold() in ("bulk", "junk") or "List-Unsubscribe" in mail
    if is_bulk or _header(mail, "Auto-Submitted").casefold() not in ("", "no"):
        return SkipReason.AUTOMATIC
    if (date := mail["Date"]) is None or (sent_at := date.datetime) is None:
        raise KeyError("Date")
    name, address = parseaddr(_header(mail, "From"))
    if not address:
        raise KeyError("From")
    subject = _REPLY.sub("", _header(mail, "Subject"))
    text = without_quotes("".join(part.text for part in read_body(mail)).replace("\r\n", "\n"))
    ids = _IDS.findall(_header(mail, "References")) or _IDS.findall(_header(mail, "In-Reply-To"))
    if not ids:  # it begins a thread, and its subject is part of what it says
        text = f"{subject}\n\n{text}".strip()
    own_ids = _IDS.findall(_header(mail, "Message-ID"))
    key = own_ids[0] if own_ids else blake2b(f"{sent_at} {address} {text}".encode()).hexdigest()
    answered = _IDS.findall(_header(mail, "In-Reply-To"))
    return PastMessage(
        conversation=_header(mail, "X-GM-THRID") or (ids or [key])[0],
        title=subject,
        key=key,
        text=text,
        sent_at=sent_at if sent_at.tzinfo is not None else sent_at.replace(tzinfo=UTC),  # it says -0000
        speaker=Speaker(address.casefold(), name or address, (address,)),
        reply_to=answered[0] if answered else None,
    )


def _header(mail: EmailMessage, name: str) -> str:
    return " ".join(str(mail.get(name, "")).split())


def without_quotes(text: str) -> str:
    """Return the text of a mail without what it quotes and without its signature."""
    text = _QUOTE.sub("", _ATTRIBUTION.sub("", f"{text}\n"))
    return _SIGNATURE.sub("", _FORMER.sub("", text)).strip()
