"""The text of a context while it grows: spans with lines in them, each paid for before it stands there."""

import json
from dataclasses import dataclass, field
from typing import Final

from ricordo.domain.context.digest import Count, cost
from ricordo.domain.context.lines import CLOSING, opening

MOST_BYTES: Final = 450_000
"""Of a context inside JSON: half of what a reply may have."""
_BETWEEN: Final = "\n\n"


class Allowance:
    """What is left of a budget.

    Args:
        tokens: the budget, >= 1.
        count: tokens of a text. What stands on both sides of a line break must count together what it counts
            apart, as with every tokenizer that splits at white space: each line is counted once, and alone.

    Attributes:
        tokens: left, by what texts cost.
        counted: tokens of all that was taken.
    """

    def __init__(self, tokens: int, count: Count) -> None:
        self.tokens = tokens
        self.counted = 0
        self._bytes = MOST_BYTES
        self._count = count

    def cost(self, *texts: str) -> int:
        """Return what texts cost together."""
        return sum(cost(text, self._count) for text in texts)

    def take(self, *texts: str, most: int | None = None) -> bool:
        """Spend what texts cost together, if that is left, and no more than `most`."""
        spent, size = self.cost(*texts), sum(map(_in_json, texts))
        if spent > self.tokens or size > self._bytes or (most is not None and spent > most):
            return False
        self.tokens -= spent
        self.counted += sum(map(self._count, texts))
        self._bytes -= size
        return True


def _in_json(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class Section:
    """A part of the text. Its frame is paid for with its first line."""

    before: str
    after: str
    lines: list[str] = field(default_factory=list)
    newest_first: bool = False

    def __str__(self) -> str:
        """Return the text of the section; nothing while it has no line."""
        if not self.lines:
            return ""
        return "".join((self.before, *(self.lines[::-1] if self.newest_first else self.lines), self.after))

    def frame(self) -> tuple[str, ...]:
        """Return what the next line brings with it."""
        return () if self.lines else (self.before, self.after)


class Page:
    """The sections of a context, within a budget.

    Args:
        tokens: the budget.
        count: tokens of a text.
    """

    def __init__(self, tokens: int, count: Count) -> None:
        self.sections: list[Section] = []
        self._spare = count(_BETWEEN)  # the last section has nothing behind it
        self.allowance = Allowance(tokens + self._spare, count)

    def span(self, name: str, heading: str = "", *, newest_first: bool = False) -> Section:
        """Begin a section that is one span."""
        before = f"{opening(name)}\n" + (f"{heading}\n" if heading else "")
        return self._begin(Section(before, f"{CLOSING}{_BETWEEN}", newest_first=newest_first))

    def spans(self, name: str, heading: str = "") -> Section:
        """Begin a section whose lines are spans themselves."""
        before = f"{opening(name)}\n{heading}\n{CLOSING}\n" if heading else ""
        return self._begin(Section(before, "\n"))

    def _begin(self, section: Section) -> Section:
        self.sections.append(section)
        return section

    def cost(self, line: str) -> int:
        """Return what a line costs, without the frame of its section."""
        return self.allowance.cost(f"{line}\n")

    def add(self, section: Section, line: str, most: int | None = None) -> bool:
        """Put a line into a section if it fits, and into `most` tokens with its frame."""
        piece = f"{line}\n"
        if not self.allowance.take(piece, *section.frame(), most=most):
            return False
        section.lines.append(piece)
        return True

    def text(self) -> str:
        """Return the text as it stands."""
        return "".join(map(str, self.sections)).removesuffix(_BETWEEN)

    @property
    def left(self) -> int:
        """Tokens that are left of the budget."""
        return self.allowance.tokens

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
        return max(0, self.allowance.counted - self._spare)
