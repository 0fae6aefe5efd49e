"""Renders turns and memories as lines, in more or fewer words, and fills the section of memories."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import lru_cache
from itertools import takewhile
from typing import Final
from uuid import UUID

from ricordo.language.annotations import Role
from ricordo.language.tokenization import stems
from ricordo.memory.context.excerpts import Excerpt
from ricordo.memory.context.formatting import (
    escape_lines,
    has_single_speaker,
    is_blank,
    source_label,
    speaker_label,
    starts_with_speaker,
)
from ricordo.memory.context.material import Material
from ricordo.memory.context.page import ContextPage, Line, Section
from ricordo.memory.context.selection import LineOptions, Selection
from ricordo.memory.context.syntax import date_text, day_heading, phrase
from ricordo.memory.context.token_budget import (
    FIRST_SHARES,
    LINE,
    PATIENCE,
    Count,
    cost_within,
    fair_shares,
    share_caps,
)
from ricordo.memory.model import Memory, is_user_statement
from ricordo.memory.spoken_turns import SpokenTurn

LONG: Final = 500
"""Tokens beyond which a text is shortened whatever the budget."""
_SHORTER: Final = (150, 40)
_MOST_READ: Final = 1_000  # characters of a question
_ENDLESS: Final = 150
"""Tokens of a share from which on a clause is cut rather than left out."""
_TIGHT: Final = 12
"""The minimum tokens of a memory shown with others."""


class LineRenderer:
    """Renders turns and memories as lines, in more or fewer words.

    Where all user statements are of one speaker, these need no name.
    """

    def __init__(self, material: Material, language: str, count: Count, zone: tzinfo) -> None:
        self._material = material
        self._zone = zone
        self._today = material.now.date() if material.now else None
        self._one_speaks = has_single_speaker(material.memories)
        self._language = language
        self._count = count
        self._excerpts: dict[str, Excerpt] = {}

    def turn(self, turn: SpokenTurn, place: int) -> LineOptions:
        """Return the alternative lines for a turn, with its time; `place` is its number among the turns."""
        said_at = turn.timestamp.astimezone(self._zone)
        day = day_heading(said_at.date(), self._today, self._language)

        def lines(room: int) -> Iterator[Line]:
            for most in (min(LONG, room), *_SHORTER):
                if shown := self.shortened(turn.content, "", turn.language, most):
                    line = self._spoken((place,), shown, speaker_label(turn, self._language), turn.role)
                    yield replace(line, mark=f"{said_at:%H:%M}", day=day)

        return LineOptions(lines, turn.message_id, turn.content)

    def memory(self, memory: Memory, shown: str, mark: str) -> Line:
        """Return the line of a memory: `shown` is its text, `mark` stands for the memory."""
        place = (-memory.date.toordinal(), -memory.created_at.timestamp(), float(mark[1:]))
        line = self._spoken(place, shown, source_label(memory, self._language), memory.role)
        own = self._one_speaks and is_user_statement(memory)
        nameless = own and not memory.speaker and not line.named
        remark = f"{phrase(self._language, 'superseded')} " if memory.id in self._material.superseded else ""
        times = ""
        if repeated := self._material.repetitions.get(memory.id):
            number, last = repeated
            day = date_text(last, self._language)
            times = f" {phrase(self._language, 'repeated', count=number, date=day)}"
        return Line(
            line.place,
            remark + line.text + times,
            mark,
            memory.id,
            day_heading(memory.date, self._today, self._language),
            "" if nameless else line.name,
            line.named or (self._one_speaks and not own),
            alone=own,
        )

    def shortened(self, content: str, summary: str, language: str, most: int) -> str:
        """Return a text in at most `most` tokens: in full, its summary if it is long, else an excerpt.

        Empty where no clause fits: clauses are not cut.
        """
        spent = cost_within(content, most, self._count)
        if spent <= most:
            return content
        if most >= LONG and not is_blank(summary) and cost_within(summary, most, self._count) <= most:
            return summary
        return self._excerpt(content, language).within(most, self._count)

    def beginning(self, content: str, language: str, most: int) -> str:
        """Return the best clause, cut to `most` tokens."""
        return self._excerpt(content, language).beginning(most, self._count)

    def _excerpt(self, content: str, language: str) -> Excerpt:
        known = self._excerpts.get(content)
        if known is None:
            wanted = _wanted(self._material.about[:_MOST_READ], language or self._language)
            known = self._excerpts[content] = Excerpt(content, wanted, language or self._language)
        return known

    def cost(self, content: str, most: int) -> int:
        """Return the cost of a text, or slightly more than `most`."""
        return cost_within(content, most, self._count)

    def _spoken(self, place: tuple[float, ...], shown: str, name: str, role: str) -> Line:
        named = role == Role.ASSISTANT or starts_with_speaker(shown)
        return Line(place, escape_lines(shown), name=name, named=named)


@lru_cache(maxsize=8)
def _wanted(about: str, language: str) -> frozenset[str]:
    return frozenset(stems(about, language))


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
            if len(line.text) > len(old.text) and self._page.put(self._part, line):
                self._shown[line.mark] = line

    def _add(self, memories: Sequence[Memory]) -> None:
        refused = 0
        for memory in memories:
            if self._page.left < _TIGHT or refused == PATIENCE:
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
