"""Cuts a document into extracts along its structure, each short enough for one memory."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ricordo.language.text import collapse, excerpt
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.memory.documents import DocumentPart, normalise_document_text
from ricordo.memory.documents.blocks import Measure, split_blocks, split_text

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
        extracts.append(gathered.extract(name))
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


@dataclass(slots=True)
class _ExtractBuilder:
    pieces: list[_Piece] = field(default_factory=list)
    size: int = 0

    def add(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.size += piece.size

    def without_headings_at_end(self) -> tuple["_ExtractBuilder", "_ExtractBuilder"]:
        """Split off headings at the end, which belong to what follows."""
        end = len(self.pieces)
        while end and self.pieces[end - 1].heading:
            end -= 1
        if end in {0, len(self.pieces)}:
            return self, _ExtractBuilder()
        kept, given = self.pieces[:end], self.pieces[end:]
        return _ExtractBuilder(kept, sum(one.size for one in kept)), _ExtractBuilder(
            given, sum(one.size for one in given)
        )

    def extract(self, name: str) -> Extract:
        text = "".join((one.glue if n else "") + one.text for n, one in enumerate(self.pieces))
        # A chapter is where its text is, and not where the heading above it is.
        body = next((one for one in self.pieces if not one.heading), self.pieces[0])
        places = [excerpt(collapse(body.section), _PLACE_LENGTH) if body.section else "", self._pages()]
        return Extract(", ".join(filter(None, (_named(name), *places))), text.strip())

    def _pages(self) -> str:
        pages = [one.page for one in self.pieces if one.page is not None]
        if not pages:
            return ""
        return f"p. {pages[0]}" if pages[0] == pages[-1] else f"p. {pages[0]}-{pages[-1]}"


def _named(name: str) -> str:
    return excerpt(name, _NAME_LENGTH) if collapse(name) else "document"


def _gathered(pieces: Iterable[_Piece], size: ExtractSize) -> Iterator[_ExtractBuilder]:
    held = _ExtractBuilder()
    for piece in pieces:
        full = held.size + piece.size > size.most
        if held.pieces and (full or (piece.begins and held.size >= size.least)):
            done, held = held.without_headings_at_end()
            yield done
        # Headings that were handed on may leave no room for what they head.
        if held.pieces and held.size + piece.size > size.most:
            yield held
            held = _ExtractBuilder()
        held.add(piece)
    if held.pieces:
        yield held
