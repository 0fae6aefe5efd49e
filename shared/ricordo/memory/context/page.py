"""The text of a context while it grows: parts with lines in them, each paid for before it stands there."""

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from ricordo.memory.context.token_budget import Count, TokenBudget

OPENING: Final = "<recalled>"
CLOSING: Final = "</recalled>"


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One thing that is shown.

    Attributes:
        place: sorts the lines of a part.
        text: without a line break at its end.
        mark: what stands before it, as `m1` or `-`; nothing for none.
        id: what the mark stands for.
        day: the heading above it, which lines of one day share.
        name: who speaks; shown where it is another than that of the line before.
        named: whether the name is shown in any case.
        alone: whether every other speaker is named in any case, so that the name is needed at most at first.
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
        """Return the pieces that make this line behind another one."""
        heading = [f"{self.day}\n"] if self.day and (before is None or before.day != self.day) else []
        changes = before is None or (not self.alone and before.name != self.name)
        named = bool(self.name) and (self.named or changes)
        indented = "" if named or not self.name else "  "
        mark = f"{self.mark} " if self.mark else indented
        return [*heading, *([mark] if mark else []), *([f"{self.name}: "] if named else []), f"{self.text}\n"]


@dataclass(slots=True)
class Section:
    """A part of the text; its heading stands there, and is paid for, with its first line."""

    heading: str = ""
    lines: list[Line] = field(default_factory=list)

    def around(self, line: Line) -> tuple[Line | None, Line | None]:
        """Return what stands before and behind a line, whether or not that is there yet."""
        at = bisect_left(self.lines, line)
        behind = at + (at < len(self.lines) and self.lines[at].place == line.place)
        after = self.lines[behind] if behind < len(self.lines) else None
        return (self.lines[at - 1] if at else None), after

    def pieces(self) -> list[str]:
        """Return all of it."""
        written = [self.heading] if self.heading and self.lines else []
        for at, line in enumerate(self.lines):
            written += line.pieces(self.lines[at - 1] if at else None)
        return written


class ContextPage:
    """The parts of a context, within a budget.

    Args:
        tokens: the budget.
        count: tokens of a text.

    Attributes:
        parts: in the order of the text.
        budget: what is left.
    """

    def __init__(self, tokens: int, count: Count) -> None:
        self.parts: list[Section] = []
        self.budget = TokenBudget(tokens, count)
        self._preface = ""

    def begin(self, heading: str = "") -> Section:
        """Begin a part behind those that there are."""
        part = Section(f"{heading}\n" if heading else "")
        self.parts.append(part)
        return part

    def preface(self, line: str, most: int) -> None:
        """Put a line before the span, if it costs no more than `most`."""
        if self.budget.exchange([f"{line}\n"], most=most):
            self._preface = f"{line}\n"

    def put(self, part: Section, line: Line, most: int | None = None) -> bool:
        """Put a line into a part if it fits, and into `most` tokens with what it brings."""
        before, after = part.around(line)
        added = [*line.pieces(before), *(after.pieces(line) if after else [])]
        removed = after.pieces(before) if after else []
        if not part.lines:
            added += [part.heading] if part.heading else []
            added += [] if self._begun else [f"{OPENING}\n", CLOSING]
        if not self.budget.exchange(added, removed, most):
            return False
        insort(part.lines, line)
        return True

    def replace(self, part: Section, old: Line, new: Line, most: int | None = None) -> bool:
        """Put a line in the place of another if it fits, and if it costs at most `most` tokens more."""
        before, after = part.around(old)
        added = [*new.pieces(before), *(after.pieces(new) if after else [])]
        removed = [*old.pieces(before), *(after.pieces(old) if after else [])]
        if not self.budget.exchange(added, removed, most):
            return False
        part.lines[part.lines.index(old)] = new
        return True

    @property
    def _begun(self) -> bool:
        return any(part.lines for part in self.parts)

    @property
    def left(self) -> int:
        """Tokens that are left of the budget."""
        return self.budget.left

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
        return self.budget.counted

    def text(self) -> str:
        """Return the text as it stands; nothing while no part has a line."""
        if not self._begun:
            return ""
        told = [piece for part in self.parts for piece in part.pieces()]
        return "".join((self._preface, f"{OPENING}\n", *told, CLOSING))

    def marks(self) -> Mapping[str, UUID]:
        """Return what the marks of the text stand for."""
        lines = (line for part in self.parts for line in part.lines)
        return {line.mark: line.id for line in lines if line.id is not None}
