"""Extracts the visible text of an HTML page: paragraphs, headings, lists and tables."""

import re
from html.parser import HTMLParser
from typing import Final

from ricordo.documents.reading_limits import decoded
from ricordo.memory.document_cutting import DocumentPart

_DECLARED: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{1,40})", re.IGNORECASE)
_LOOKED_AT: Final = 2_048  # bytes in which a page must declare its character set
_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_SILENT: Final = frozenset(
    "script style head template noscript svg math object iframe select canvas audio video".split()
)
_PARAGRAPHS: Final = frozenset(
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer "
    "form header hr html main nav ol p pre section summary table tbody tfoot thead ul".split()
)
_LINES: Final = frozenset({"br", "li", "tr", "option", "caption"})
_CELLS: Final = frozenset({"td", "th"})
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_UNSEEN: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_VOID: Final = frozenset({"br", "hr", "img", "input", "meta", "link"})


def read(data: bytes, declared: str | None) -> list[DocumentPart]:
    """Return the text of a page.

    Args:
        declared: the character set of its header; that of the page itself comes second.

    Raises:
        Unreadable: it is not text.
    """
    own = _DECLARED.search(data[:_LOOKED_AT])
    reader = _TextCollector()
    reader.feed(decoded(data, declared or (own[1].decode("ascii", "replace") if own else None)))
    reader.close()
    return [DocumentPart(text=reader.text(), headings=True)]


def _is_hidden(attrs: list[tuple[str, str | None]]) -> bool:
    """Return whether an element's attributes hide it; style sheets are not read."""
    attributes = dict(attrs)
    return "hidden" in attributes or _UNSEEN.search(attributes.get("style") or "") is not None


class _TextCollector(HTMLParser):
    """Collects visible text from any HTML, well-formed or not."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._silent: list[str] = []
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent == ["p"] and (tag in _PARAGRAPHS or tag in _HEADINGS):
            self._silent.clear()  # a paragraph ends where the next block begins
        if tag in _SILENT or tag in self._silent[:1] or (tag not in _VOID and _is_hidden(attrs)):
            self._silent.append(tag)
        if self._silent:
            return
        if tag in _HEADINGS:
            self._pieces.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag in _PARAGRAPHS:
            self._pieces.append("\n\n")
            self._preformatted += tag == "pre"
        elif tag in _LINES:
            self._pieces.append("\n- " if tag == "li" else "\n")
        elif tag in _CELLS:
            self._pieces.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            # Elements left open inside are closed, too.
            last = len(self._silent) - 1 - self._silent[::-1].index(tag)
            del self._silent[last:]
            return
        if self._silent:
            return
        if tag in _HEADINGS or tag in _PARAGRAPHS:
            self._pieces.append("\n\n")
            self._preformatted -= tag == "pre" and self._preformatted > 0

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._pieces.append(data if self._preformatted else _SPACES.sub(" ", data))

    def text(self) -> str:
        lines = "".join(self._pieces).split("\n")
        return "\n".join(line.strip().removeprefix("| ") if line.strip() != "|" else "" for line in lines)
