"""The parts that a document is read into, and how they are cut into extracts."""

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
    """A part of a document, in the order of the document.

    Attributes:
        text: plain text; paragraphs are apart by an empty line.
        page: its number, from 1, where the document has pages.
        section: what it is called within the document, as an attachment of a mail; empty for the rest.
        headings: whether lines that begin with `#` are headings, as in Markdown.
    """

    text: str
    page: int | None = None
    section: str = ""
    headings: bool = False


def normalise_document_text(text: str) -> str:
    """Return `text` in normal form C, without what cannot be stored or seen, its lines ended alike."""
    lines = _UNSEEN.sub("", _LINE_END.sub("\n", text))
    return _EMPTY_LINES.sub("\n\n", unicodedata.normalize("NFC", lines)).strip("\n")
