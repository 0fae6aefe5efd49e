"""Fills a context: which part is served first, and its share of the token budget."""

from collections.abc import Callable, Sequence
from datetime import UTC
from functools import cache
from typing import Final

from ricordo.language.text import collapse
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.formatting import (
    escape_lines,
    format_decision,
    format_note,
    minimal_notices,
    notices,
)
from ricordo.memory.context.material import AssembledContext, Material
from ricordo.memory.context.memory_section import LineRenderer, MemorySection
from ricordo.memory.context.page import ContextPage, Line
from ricordo.memory.context.selection import LineOptions, Selection
from ricordo.memory.context.syntax import phrase, today_line
from ricordo.memory.facts.fact_model import Fact

ROOMY: Final = 300
"""Tokens from which on memories are served after facts; below, the best memory comes first."""
TODAY_SHARE: Final = 0.15
PROFILE_SHARE: Final = 0.15
NOTES_SHARE: Final = 0.10
FACTS_SHARE: Final = 0.20
RECENT_SHARE: Final = 0.25
"""Never more: a bot has the last turns itself, and asks for what it has not."""
AMPLE: Final = 1_000
"""Tokens from which on the user's writing habits are mentioned."""
BEST_SHARE: Final = 0.60
"""Share of a small budget that the best memory may take before everything else."""


def assemble(
    material: Material, *, token_budget: int, count: Callable[[str], int], language: str
) -> AssembledContext:
    """Build a context.

    Profile, notes, facts and recent turns have first claim on a share of the budget each; memories take the
    rest, and what then remains goes to more facts and notes. Memories that always enter come before
    all of that; in a small budget, so does the best one. No message is shown twice, by id or by content.

    Returns:
        A text of at most `token_budget` tokens; empty only where not even a one-token sign fits.
    """
    counted = cache(count)
    page = ContextPage(token_budget, counted)
    _ContextWriter(page, material, language, counted).write()
    text = page.text()
    if text:
        return AssembledContext(text, page.tokens, page.marks())
    text = next((one for one in minimal_notices(material, language) if counted(one) <= token_budget), "")
    return AssembledContext(text, counted(text))


class _ContextWriter:
    def __init__(
        self, page: ContextPage, material: Material, language: str, count: Callable[[str], int]
    ) -> None:
        self._page = page
        self._material = material
        self._language = language
        self._budget = page.left
        self._roomy = page.left >= ROOMY
        self._selection = Selection(page)
        self._zone = (material.now and material.now.tzinfo) or UTC
        self._renderer = LineRenderer(material, language, count, self._zone)
        self._head = page.begin()
        self._profile = page.begin()
        self._facts = page.begin()
        memories = page.begin()
        self._recent = page.begin(phrase(language, "recent"))
        self._notes = page.begin(phrase(language, "notes"))
        self._memories = MemorySection(page, memories, self._renderer, self._selection, material.memories)

    def write(self) -> None:
        material, fill = self._material, self._selection.fill
        if material.now is not None:
            self._page.preface(today_line(material.now, self._language), int(self._budget * TODAY_SHARE))
        self._introduce()
        total = self._page.left
        self._remember_first(int(total * BEST_SHARE))
        notes = fill(self._notes, self._note_lines(), int(total * NOTES_SHARE))
        facts = fill(self._facts, self._fact_lines(), int(total * FACTS_SHARE))
        turns = [self._renderer.turn(turn, place) for place, turn in enumerate(material.recent)][::-1]
        fill(self._recent, turns, int(total * RECENT_SHARE), unbroken=True)
        fill(self._notes, self._decisions(), int(total * NOTES_SHARE))
        self._memories.fill(self._selection.new(material.memories), material.whole)
        fill(self._facts, facts, self._page.left)
        fill(self._notes, [*notes, *self._background()], self._page.left)

    def _introduce(self) -> None:
        said = [
            LineOptions.of(*(Line((place,), line) for line in lines))
            for place, lines in enumerate(notices(self._material, self._language))
        ]
        # Unbroken: where there is no room to say that memory is broken, it must not be said to be empty.
        self._selection.fill(self._head, said, self._page.left, unbroken=True)

    def _remember_first(self, most: int) -> None:
        new = self._selection.new(self._material.memories, self._material.recent)
        for memory in new:
            if memory.id in self._material.always:
                self._memories.put(memory, self._page.left)
        if not self._roomy and not self._material.always and new:
            self._memories.put(new[0], most)
        profile = [self._fact(fact, number) for number, fact in enumerate(self._material.profile, 1)]
        self._selection.fill(self._profile, profile, int(self._budget * PROFILE_SHARE))

    def _fact_lines(self) -> list[LineOptions]:
        shown = {line.id for line in self._profile.lines}
        first = len(self._material.profile) + 1
        facts = [fact for fact in self._material.facts if fact.id not in shown]
        return [self._fact(fact, number) for number, fact in enumerate(facts, first)]

    def _fact(self, fact: Fact, number: int) -> LineOptions:
        sentence = fact_sentence(fact, self._language, self._zone)
        return LineOptions.of(Line((number,), sentence, f"f{number}", fact.id))

    def _note_lines(self) -> list[LineOptions]:
        return self._items([format_note(key, value) for key, value in self._material.notes.items()], 1)

    def _decisions(self) -> list[LineOptions]:
        first = len(self._material.notes) + 1
        return [
            LineOptions.of(
                Line((place,), format_decision(turn, self._language), "-"),
                message_id=turn.message_id,
                content=turn.content,
            )
            for place, turn in enumerate(self._material.decisions, first)
        ]

    def _background(self) -> list[LineOptions]:
        lines = []
        if self._material.entities:
            names = ", ".join(map(collapse, self._material.entities))
            lines.append(escape_lines(phrase(self._language, "entities", names=names)))
        if self._material.habits and self._budget >= AMPLE:
            lines.append(escape_lines(collapse(self._material.habits)))
        return self._items(lines, len(self._material.notes) + len(self._material.decisions) + 1)

    def _items(self, lines: Sequence[str], first: int) -> list[LineOptions]:
        return [LineOptions.of(Line((place,), line, "-")) for place, line in enumerate(lines, first)]
