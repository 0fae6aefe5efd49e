"""Extracts the text of a PDF, page by page."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Final

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from ricordo.documents.reading_limits import ReadingLimits, Unreadable
from ricordo.memory.document_cutting import DocumentPart

# A word that is divided at the end of a line, and a line that goes on in the next one.
_DIVIDED: Final = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?=[a-zà-ÿ])")
_BROKEN: Final = re.compile(r"(?<=[^\s.!?:;…|])[ \t]*\n(?=[a-zà-ÿ0-9(])")
# Errors of the library on malformed files.
_BROKEN_FILE: Final = (
    PyPdfError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    OverflowError,
    ZeroDivisionError,
    OSError,
)


def read(data: bytes, limits: ReadingLimits) -> list[DocumentPart]:
    """Return the text of each page that has any.

    Raises:
        Unreadable: it is broken, encrypted, or has too many pages.
    """
    try:
        reader = _opened(data)
        pages = len(reader.pages)
    except RecursionError:
        raise Unreadable("is nested too deeply") from None
    except _BROKEN_FILE as error:
        raise Unreadable(f"is a broken PDF ({type(error).__name__})") from error
    if pages > limits.pages:
        raise Unreadable(f"has {pages:,} pages, and at most {limits.pages:,} are read")
    found = list(_pages(reader, pages, limits.characters))
    if not any(part.text.strip() for part in found):
        raise Unreadable("contains no text: its pages may be images")
    return found


def _opened(data: bytes) -> PdfReader:
    reader = PdfReader(BytesIO(data))
    if not reader.is_encrypted:
        return reader
    try:
        opened = reader.decrypt("")  # many are encrypted against changes only, with an empty password
    except DependencyError:
        raise Unreadable("is encrypted in a way that is not supported") from None
    if not opened:
        raise Unreadable("is encrypted and needs a password")
    return reader


def _pages(reader: PdfReader, pages: int, most: int) -> Iterator[DocumentPart]:
    broken = 0
    for number in range(pages):
        try:
            text = reader.pages[number].extract_text()
        except (RecursionError, *_BROKEN_FILE):
            text = ""  # the other pages may be whole
            broken += 1
        if broken == pages:
            raise Unreadable("is a broken PDF: no page can be read")
        yield DocumentPart(text=_BROKEN.sub(" ", _DIVIDED.sub("", text[:most])), page=number + 1)
        most -= len(text)
        if most <= 0:
            return
