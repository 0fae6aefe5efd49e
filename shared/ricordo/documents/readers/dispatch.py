"""Reads one document, by its media type; the child process of `reader_process` runs this module.

Standard input is a line of JSON (name, media type, limits) and then the bytes; standard output is one object:
the parts, or why it is unreadable. Limits are set before the first byte is read.
"""

import json
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final, cast

from ricordo.documents.readers import html
from ricordo.documents.reading_limits import ReadingLimits, Unreadable, decoded
from ricordo.memory.document_cutting import DocumentPart

MAIL: Final = "message/rfc822"
_HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_HEADER: Final = 1_000
_MOST_ATTACHMENTS: Final = 50

ReadAttachment = Callable[[str, str, bytes], list[DocumentPart]]


def read_mail(data: bytes, attachment: ReadAttachment) -> list[DocumentPart]:
    """Return the text of a mail.

    Args:
        attachment: reads one by name and media type; unreadable ones are only named.

    Raises:
        Unreadable: it is not a mail.
    """
    mail = message_from_bytes(data, policy=policy.default)
    if not any(name in mail for name in _HEADERS):
        raise Unreadable("has none of a mail's headers")
    attached, lines = [], [f"{name}: {value}" for name in _HEADERS if (value := _header(mail, name))]
    for item in islice(mail.iter_attachments() if mail.is_multipart() else (), _MOST_ATTACHMENTS):
        name, media_type = _label(item.get_filename()), item.get_content_type()
        lines.append(f"Attachment: {name or media_type}")
        try:
            parts = attachment(name, media_type, _bytes(item))
        except Unreadable:
            continue  # only its name is kept
        attached += [replace(part, section=name or media_type) for part in parts]
    return [DocumentPart(text="\n".join(lines)), *read_body(mail), *attached]


def _header(mail: EmailMessage, name: str) -> str:
    try:
        return _label(mail.get(name))
    except (ValueError, TypeError, AttributeError, LookupError):  # beyond repair
        return ""


def _label(value: object) -> str:
    return " ".join(str(value).split())[:_LONGEST_HEADER] if value is not None else ""


def read_body(mail: EmailMessage) -> list[DocumentPart]:
    """Return the text of a mail without its attachments; nothing where it has none.

    Raises:
        Unreadable: it is not text.
    """
    body = cast("EmailMessage | None", mail.get_body(preferencelist=("plain", "html")))
    if body is None:
        return []
    declared = body.get_content_charset()
    if body.get_content_type() == "text/html":
        return html.read(_bytes(body), declared)
    return [DocumentPart(text=decoded(_bytes(body), declared))]


def _bytes(part: EmailMessage) -> bytes:
    if part.get_content_type() == MAIL or part.is_multipart():
        return b"".join(item.as_bytes() for item in part.get_payload() if isinstance(item, EmailMessage))
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


CAN_BE_READ: Final = "plain text, Markdown, HTML, mails (message/rfc822) and PDF"
_UNTYPED: Final = frozenset({"application/octet-stream", "binary/octet-stream", "application/unknown"})
_BY_SUFFIX: Final = {
    ".csv": "text/csv",
    ".eml": MAIL,
    ".htm": "text/html",
    ".html": "text/html",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".text": "text/plain",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
}
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN: Final = frozenset({"text/markdown", "text/x-markdown"})
_PDF: Final = frozenset({"application/pdf", "application/x-pdf"})
_LONGEST: Final = 100  # characters of a media type in an error

TOO_MUCH: Final = "needs more memory than allowed"
_LESS_URGENT: Final = 10
_MEGABYTE: Final = 1024 * 1024


def read(name: str, media_type: str, data: bytes, limits: ReadingLimits) -> list[DocumentPart]:
    """Return the parts of a document that have text, within the limits.

    Raises:
        Unreadable: it cannot be read, is broken or encrypted, or has no text.
    """
    parts = [part for part in _read(name, media_type, data, limits, within=False) if part.text.strip()]
    if not parts:
        raise Unreadable("contains no text")
    return _within(parts, limits.characters)


def _within(parts: list[DocumentPart], most: int) -> list[DocumentPart]:
    kept: list[DocumentPart] = []
    for part in parts:
        if most <= 0:
            break
        text = part.text[:most]
        most -= len(text)
        kept.append(replace(part, text=text))
    return kept


def _read(
    name: str, media_type: str, data: bytes, limits: ReadingLimits, *, within: bool
) -> list[DocumentPart]:
    """Read a document, or an attachment `within` a mail, whose own attachments are only named."""
    kind, charset = _media_type(name, media_type)
    if kind in _HTML:
        return html.read(data, charset)
    if kind in _PDF:
        from ricordo.documents.readers import pdf  # noqa: PLC0415 - half a second, which only a PDF has to wait for

        return pdf.read(data, limits)
    if kind == MAIL:
        return read_mail(data, partial(_attached, limits, within=within))
    if kind.startswith("text/"):
        return [DocumentPart(text=decoded(data, charset), headings=kind in _MARKDOWN)]
    raise Unreadable(f"is {kind[:_LONGEST]}, which cannot be read: what can is {CAN_BE_READ}")


def _attached(
    limits: ReadingLimits, name: str, media_type: str, data: bytes, *, within: bool
) -> list[DocumentPart]:
    if within:
        raise Unreadable("is attached to an attachment")
    return _read(name, media_type, data, limits, within=True)


def _media_type(name: str, media_type: str) -> tuple[str, str | None]:
    """Return media type and character set; for untyped bytes, by the suffix of the name."""
    message = Message()
    message["Content-Type"] = media_type
    kind = media_type.partition(";")[0].strip().lower()
    if kind in _UNTYPED:
        kind = _BY_SUFFIX.get(PurePosixPath(name.strip().lower()).suffix, kind)
    return kind, message.get_content_charset()


def main() -> None:
    """Read the document on standard input, and write the result."""
    header = json.loads(sys.stdin.buffer.readline())
    limits = ReadingLimits(**header["limits"])
    _limit(limits)
    json.dump(_answer(header, limits), sys.stdout)


def _answer(header: dict[str, Any], limits: ReadingLimits) -> dict[str, Any]:
    try:
        parts = read(header["name"], header["media_type"], sys.stdin.buffer.read(), limits)
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": TOO_MUCH}
    return {"parts": [asdict(part) for part in parts]}


def _limit(limits: ReadingLimits) -> None:
    os.nice(_LESS_URGENT)
    for what, most in (
        (resource.RLIMIT_CPU, int(limits.seconds) + 1),
        (resource.RLIMIT_AS, limits.memory_mb * _MEGABYTE),
        (resource.RLIMIT_FSIZE, 0),  # it writes no files
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):  # a system that has this limit in name only
            resource.setrlimit(what, (allowed, allowed))


if __name__ == "__main__":
    main()
