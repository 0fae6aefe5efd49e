"""Extracts the text of a mail: headers, body, and readable attachments."""

from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from itertools import islice
from typing import Final, cast

from ricordo.documents.readers import html
from ricordo.documents.reading_limits import Unreadable, decoded
from ricordo.memory.documents import DocumentPart

MAIL: Final = "message/rfc822"
_HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_HEADER: Final = 1_000
_MOST_ATTACHMENTS: Final = 50

ReadAttachment = Callable[[str, str, bytes], list[DocumentPart]]


def read(data: bytes, attachment: ReadAttachment) -> list[DocumentPart]:
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
    return [DocumentPart(text="\n".join(lines)), *_body(mail), *attached]


def _header(mail: EmailMessage, name: str) -> str:
    try:
        return _label(mail.get(name))
    except (ValueError, TypeError, AttributeError, LookupError):  # beyond repair
        return ""


def _label(value: object) -> str:
    return " ".join(str(value).split())[:_LONGEST_HEADER] if value is not None else ""


def _body(mail: EmailMessage) -> list[DocumentPart]:
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
