"""Cuts a document into extracts along its structure, each short enough for one memory."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.language.text import collapse, excerpt
from ricordo.language.tokenization import ABBREVIATION, LONGEST_ABBREVIATION
from ricordo.memory.context.recalled_tags import strip_recalled

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


Measure = Callable[[str], int]
"""The length of a text; additive across white space."""
Division = Callable[[str], Iterator[str]]

_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?=\S)")
_FENCE: Final = re.compile(r"[ \t]*(```|~~~)")
_LINES: Final = re.compile(r"\n+")
# What comes after the sign that ends a sentence still belongs to it.
_SENTENCES: Final = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[\u3002\uff01\uff1f])")
_WORDS: Final = re.compile(r"\s+")
_ROW: Final = re.compile(
    r"[ \t]*(?:[-*+•–|]|\d{1,3}[.)]|[a-z][.)])[ \t]+\S|[^\n]*(?:\t|\|)|[ \t]*(?:```|~~~)"
)
_FINEST: Final = 64  # characters that are cut off where there is no border at all


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text that stays together if it fits."""

    text: str
    heading: str = ""


def split_blocks(text: str, *, headings: bool) -> Iterator[Block]:
    """Split `text` at empty lines, and at headings if asked; fenced code stays whole."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            lines.append(line)
            if mark and fence in ("", mark[1]):  # within a fence, the other kind is text
                fence = "" if fence else mark[1]
        elif headings and _HEADING.match(line):
            yield from _block(lines)
            lines = []
            yield Block(line, line.strip().strip("#").strip())
        elif line.strip():
            lines.append(line)
        else:
            yield from _block(lines)
            lines = []
    yield from _block(lines)


def _block(lines: list[str]) -> Iterator[Block]:
    if any(line.strip() for line in lines):
        yield Block("\n".join(lines).strip("\n"))


def split_text(text: str, most: int, measure: Measure) -> Iterator[str]:
    """Split `text` into pieces of at most `most`: at sentences, else at lines, at words, anywhere.

    Lists, tables and code are split at lines first.
    """
    yield from _divided(text, most, measure, _OF_ROWS if _is_rows(text) else _OF_PROSE)


def _is_rows(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    if _FENCE.match(text) is not None:
        return True
    return 2 * sum(_ROW.match(line) is not None for line in lines) > len(lines)


def _divided(text: str, most: int, measure: Measure, borders: tuple[Division, ...]) -> Iterator[str]:
    if measure(text) <= most:
        yield text
        return
    if not borders:
        yield from _anywhere(text, most, measure)
        return
    for piece in _blocks_of(borders[0](text), most, measure):
        yield from _divided(piece, most, measure, borders[1:])


def _blocks_of(pieces: Iterator[str], most: int, measure: Measure) -> Iterator[str]:
    held, size = "", 0
    for piece in pieces:
        more = measure(piece)
        if held and size + more > most:
            yield held
            held, size = "", 0
        held += piece
        size += more
    if held:
        yield held


def _at(border: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    def cut(text: str) -> Iterator[str]:
        start = 0
        for match in border.finditer(text):
            if match.end() > start:
                yield text[start : match.end()]
                start = match.end()
        if start < len(text):
            yield text[start:]

    return cut


def _sentences(text: str) -> Iterator[str]:
    held = ""
    for piece in _at(_SENTENCES)(text):
        held += piece
        if ABBREVIATION.search(held.rstrip()[-LONGEST_ABBREVIATION:]) is None:
            yield held
            held = ""
    if held:
        yield held


def _anywhere(text: str, most: int, measure: Measure) -> Iterator[str]:
    """Halve a text without borders until it fits."""
    if measure(text) <= most or len(text) <= _FINEST:
        yield text
        return
    middle = len(text) // 2
    yield from _anywhere(text[:middle], most, measure)
    yield from _anywhere(text[middle:], most, measure)


_OF_PROSE: Final[tuple[Division, ...]] = (_sentences, _at(_LINES), _at(_WORDS))
_OF_ROWS: Final[tuple[Division, ...]] = (_at(_LINES), _sentences, _at(_WORDS))


_NAME_LENGTH: Final = 120
_PLACE_LENGTH: Final = 80
_CHARACTERS_A_TOKEN: Final = 8  # at the most: what is no word of any language counts few tokens


@dataclass(frozen=True, slots=True)
class ExtractSize:
    """The length of extracts, in tokens.

    Attributes:
        least: from which on an extract ends at the end of a page, section or chapter, >= 1.
        most: >= least; at most what the embedding model reads.
        limit: extracts of a document, >= 1; the rest is not remembered.
    """

    least: int = 120
    most: int = 240
    limit: int = 500

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most or self.limit < 1:
            raise ValueError(f"no sensible sizes of extracts: {self}")


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a document.

    Attributes:
        title: the document's name and the place in it: `report.pdf, p. 3`, `contract.md, Payment`.
    """

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CutDocument:
    """The extracts of a document in order, and whether they are all of it."""

    extracts: tuple[Extract, ...]
    whole: bool = True


def cut_document(
    name: str, parts: Sequence[DocumentPart], count: Measure, size: ExtractSize | None = None
) -> CutDocument:
    """Cut a document into extracts that do not overlap.

    Paragraphs, lists, tables and code stay whole where they fit. A heading stays with what follows it.
    Recalled spans are left out.
    """
    size = size or ExtractSize()
    extracts: list[Extract] = []
    for gathered in _gathered(_pieces(parts, _measure(count, size.most), size.most), size):
        if len(extracts) == size.limit:
            return CutDocument(tuple(extracts), whole=False)
        extracts.append(_extract(name, gathered))
    return CutDocument(tuple(extracts))


def _measure(count: Measure, most: int) -> Measure:
    def measure(text: str) -> int:
        by_length = math.ceil(len(text) / _CHARACTERS_A_TOKEN)
        # What is too long anyway needs no counting, which takes seconds for a text of millions.
        return by_length if by_length > most else max(count(text), by_length)

    return measure


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block, or a piece of a long one.

    Attributes:
        begins: whether a page, a section or a chapter begins with it.
        glue: what separates it from the one before.
    """

    text: str
    size: int
    section: str
    page: int | None
    heading: bool
    begins: bool
    glue: str


def _pieces(parts: Iterable[DocumentPart], measure: Measure, most: int) -> Iterator[_Piece]:
    for part in parts:
        chapter, begins = "", True
        for block in split_blocks(normalise_document_text(strip_recalled(part.text)), headings=part.headings):
            if block.heading:
                chapter, begins = block.heading, True
            glue = "\n\n"
            for text in filter(str.strip, split_text(block.text, most, measure)):
                section = ", ".join(filter(None, (part.section, chapter)))
                yield _Piece(text, measure(text), section, part.page, bool(block.heading), begins, glue)
                begins, glue = False, ""


def _extract(name: str, pieces: Sequence[_Piece]) -> Extract:
    text = "".join((one.glue if n else "") + one.text for n, one in enumerate(pieces))
    # A chapter is where its text is, and not where the heading above it is.
    body = next((one for one in pieces if not one.heading), pieces[0])
    pages = [str(one.page) for one in pieces if one.page is not None]
    places = (
        excerpt(name, _NAME_LENGTH) if collapse(name) else "document",
        excerpt(collapse(body.section), _PLACE_LENGTH) if body.section else "",
        f"p. {'-'.join(dict.fromkeys((pages[0], pages[-1])))}" if pages else "",
    )
    return Extract(", ".join(filter(None, places)), text.strip())


def _gathered(pieces: Iterable[_Piece], size: ExtractSize) -> Iterator[list[_Piece]]:
    """Yield the pieces of each extract; headings at its end go to the next one, which has what they head."""
    held: list[_Piece] = []
    for piece in pieces:
        gathered = _size(held)
        if held and (gathered + piece.size > size.most or (piece.begins and gathered >= size.least)):
            end = next((at for at in range(len(held), 0, -1) if not held[at - 1].heading), len(held))
            yield held[:end]
            held = held[end:]
        # Headings that were handed on may leave no room for what they head.
        if held and _size(held) + piece.size > size.most:
            yield held
            held = []
        held.append(piece)
    if held:
        yield held


def _size(pieces: Iterable[_Piece]) -> int:
    return sum(one.size for one in pieces)
