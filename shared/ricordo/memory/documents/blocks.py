"""Splits a text into blocks (paragraphs, headings, lists, tables, code), and long blocks into pieces.

Splitting is lossless: the pieces, joined, are the text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ricordo.language.tokenization import ABBREVIATION, LONGEST_ABBREVIATION

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
            fence = _fence_after(fence, mark)
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


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    if not fence:
        return "" if mark is None else mark[1]
    return "" if mark is not None and mark[1] == fence else fence


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
    for piece in _gathered(borders[0](text), most, measure):
        yield from _divided(piece, most, measure, borders[1:])


def _gathered(pieces: Iterator[str], most: int, measure: Measure) -> Iterator[str]:
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
