"""The parts that a document is read into.

A document is read into parts (a page, an attachment, or all of it), which are cut into extracts, short enough
to be remembered one by one.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

# Everything below a space but the tab and the line break, and lone surrogates: no store keeps them.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_EMPTY_LINES: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A part of a document, in order.

    Attributes:
        text: plain text; paragraphs are separated by an empty line.
        page: its number, from 1, where the document has pages.
        section: its name within the document, as an attachment of a mail; "" for the rest.
        headings: whether lines that begin with `#` are headings, as in Markdown.
    """

    text: str
    page: int | None = None
    section: str = ""
    headings: bool = False


def normalise_document_text(text: str) -> str:
    """Return `text` in normal form C, with uniform line ends and without unstorable characters."""
    lines = _UNSEEN.sub("", _LINE_END.sub("\n", text))
    return _EMPTY_LINES.sub("\n\n", unicodedata.normalize("NFC", lines)).strip("\n")
