"""The text of a context under construction: sections of lines, each paid for before it is added."""

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final
from uuid import UUID

from ricordo.memory.context.token_budget import Count, TokenBudget

OPENING: Final = "<recalled>"
CLOSING: Final = "</recalled>"


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One line of a context.

    Attributes:
        place: sort key within the section.
        text: without a line break at its end.
        mark: what stands before it, as `m1` or `-`; empty for none.
        day: the heading above it, shared by lines of one day.
        name: the speaker; shown where it differs from that of the line before.
        alone: whether all other speakers are always named, so that this name is needed at most once.
    """

    place: tuple[float, ...]
    text: str = field(compare=False)
    mark: str = field(default="", compare=False)
    id: UUID | None = field(default=None, compare=False)
    day: str = field(default="", compare=False)
    name: str = field(default="", compare=False)
    named: bool = field(default=False, compare=False)
    alone: bool = field(default=False, compare=False)

    def pieces(self, before: "Line | None") -> list[str]:
        """Return the text of this line behind another one, in pieces."""
        heading = [f"{self.day}\n"] if self.day and (before is None or before.day != self.day) else []
        changes = before is None or (not self.alone and before.name != self.name)
        named = bool(self.name) and (self.named or changes)
        indented = "" if named or not self.name else "  "
        mark = f"{self.mark} " if self.mark else indented
        return [*heading, *([mark] if mark else []), *([f"{self.name}: "] if named else []), f"{self.text}\n"]


@dataclass(slots=True)
class Section:
    """A section; its heading is added, and paid for, with its first line."""

    heading: str = ""
    lines: list[Line] = field(default_factory=list)

    def around(self, place: tuple[float, ...]) -> tuple[Line | None, Line | None, Line | None]:
        """Return the lines before, at and after a place."""
        at = bisect_left(self.lines, place, key=attrgetter("place"))
        end = at + sum(line.place == place for line in self.lines[at : at + 1])
        before = self.lines[at - 1] if at else None
        old = self.lines[at] if end > at else None
        return before, old, self.lines[end] if end < len(self.lines) else None

    def pieces(self) -> list[str]:
        """Return the text of the section, in pieces."""
        written = [self.heading] if self.heading and self.lines else []
        for at, line in enumerate(self.lines):
            written += line.pieces(self.lines[at - 1] if at else None)
        return written


class ContextPage:
    """The sections of a context, within a budget."""

    def __init__(self, tokens: int, count: Count) -> None:
        self.parts: list[Section] = []
        self.budget = TokenBudget(tokens, count)
        self._preface = ""

    def begin(self, heading: str = "") -> Section:
        """Append a section."""
        part = Section(f"{heading}\n" if heading else "")
        self.parts.append(part)
        return part

    def preface(self, line: str, most: int) -> None:
        """Put a line before the tag, if it costs no more than `most`."""
        if self.budget.exchange([f"{line}\n"], most=most):
            self._preface = f"{line}\n"

    def put(self, part: Section, line: Line, most: int | None = None) -> bool:
        """Add a line to a section, or replace the one of its place, if that fits; say whether it did.

        Args:
            most: tokens that it may cost more than the line that it replaces; None for all that are left.
        """
        before, old, after = part.around(line.place)
        added = [*line.pieces(before), *(after.pieces(line) if after else [])]
        removed = [*(old.pieces(before) if old else []), *(after.pieces(old or before) if after else [])]
        if not part.lines:
            added += [part.heading] if part.heading else []
            added += [] if self._begun else [f"{OPENING}\n", CLOSING]
        if not self.budget.exchange(added, removed, most):
            return False
        if old:
            part.lines.remove(old)
        insort(part.lines, line)
        return True

    @property
    def _begun(self) -> bool:
        return any(part.lines for part in self.parts)

    @property
    def left(self) -> int:
        """Tokens left of the budget."""
        return self.budget.left

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
        return self.budget.counted

    def text(self) -> str:
        """Return the text; empty while no section has a line."""
        if not self._begun:
            return ""
        all_pieces = [piece for part in self.parts for piece in part.pieces()]
        return "".join((self._preface, f"{OPENING}\n", *all_pieces, CLOSING))

    def marks(self) -> Mapping[str, UUID]:
        """Return the ids by mark."""
        lines = (line for part in self.parts for line in part.lines)
        return {line.mark: line.id for line in lines if line.id is not None}
