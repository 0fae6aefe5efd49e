"""Fills the section of memories: as many as help, each with a fair share of the room."""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Final
from uuid import UUID

from ricordo.memory.context.page import ContextPage, Line, Section
from ricordo.memory.context.rendering import LONG, LineRenderer
from ricordo.memory.context.selection import Selection
from ricordo.memory.context.token_budget import FIRST_SHARES, LINE, fair_shares, share_caps
from ricordo.memory.model import Memory

_PATIENCE: Final = 8
"""Rejected memories after which no more are tried."""
_ENDLESS: Final = 150
"""Tokens of a share from which on a clause is cut rather than left out."""
_TIGHT: Final = 12
"""The minimum tokens of a memory shown with others."""


class MemorySection:
    """Fills the section of a page that shows memories."""

    def __init__(
        self,
        page: ContextPage,
        part: Section,
        renderer: LineRenderer,
        selection: Selection,
        ranked: Sequence[Memory],
    ) -> None:
        self._page = page
        self._part = part
        self._renderer = renderer
        self._selection = selection
        self._marks = {memory.id: f"m{number}" for number, memory in enumerate(ranked, 1)}
        self._shown: dict[str, Line] = {}

    def put(self, memory: Memory, most: int) -> bool:
        """Show a memory in at most `most` tokens, cut if it must be; say whether it is shown."""
        # The frame of a line costs more for the first one of a page.
        limits = (most, *(min(most, self._page.left - frame) for frame in (LINE, 2 * LINE, 3 * LINE)))
        shown = (self._shortened(memory, limit) or self._cut(memory, limit) for limit in limits)
        return any(one and self._put(memory, one) for one in shown)

    def fill(self, memories: Sequence[Memory], whole: Collection[UUID] = ()) -> None:
        """Show as many memories as help.

        The first three are shown in full, the others where there is room for all; else all are shortened to
        about the same length. The remainder goes to the first that were shortened, and to the last.

        Args:
            whole: those of little use in part: while no other comes first, they are shown in full beyond the
                third.
        """
        room = self._page.left
        considered = memories[: room // (LINE // 2) + 1]
        costs = [
            min(most, self._renderer.cost(memory.content, most))
            for memory, most in zip(considered, share_caps(len(considered), room, LONG), strict=True)
        ]
        leading = sum(1 for _ in takewhile(lambda memory: memory.id in whole, considered))
        shares = fair_shares(costs, room, max(len(FIRST_SHARES), leading))
        for rank, (memory, share) in enumerate(zip(considered, shares, strict=True)):
            shown = self._shortened(memory, share)
            if shown:
                self._put(memory, shown)
            elif rank == 0 or share > _ENDLESS:
                self.put(memory, share)
        self._lengthen(considered)
        self._add(considered)

    def _lengthen(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            old = self._shown.get(self._marks[memory.id])
            if old is None or self._page.left < _TIGHT:
                continue
            spent = self._page.budget.cost(old.text)
            most = min(LONG, spent + self._page.left)
            if spent + _TIGHT > most:
                continue
            line = self._renderer.memory(memory, self._shortened(memory, most), old.mark)
            if len(line.text) > len(old.text) and self._page.replace(self._part, old, line):
                self._shown[line.mark] = line

    def _add(self, memories: Sequence[Memory]) -> None:
        refused = 0
        for memory in memories:
            if self._page.left < _TIGHT or refused == _PATIENCE:
                return
            if self._marks[memory.id] in self._shown:
                continue
            shown = self._shortened(memory, min(LONG, self._page.left - LINE))
            refused += not (shown and self._put(memory, shown))

    def _put(self, memory: Memory, shown: str) -> bool:
        line = self._renderer.memory(memory, shown, self._marks[memory.id])
        if not self._page.put(self._part, line):
            return False
        self._shown[line.mark] = line
        self._selection.note(memory.message_id, memory.content)
        return True

    def _shortened(self, memory: Memory, most: int) -> str:
        if most <= 0:
            return ""
        return self._renderer.shortened(memory.content, memory.summary, memory.language, most)

    def _cut(self, memory: Memory, most: int) -> str:
        return self._renderer.beginning(memory.content, memory.language, most) if most > 0 else ""
