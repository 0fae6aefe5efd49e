"""How a context is put together: who is served first, and how much each part may take."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from ricordo.domain.context.facts import fact_line
from ricordo.domain.context.lexicon import phrase
from ricordo.domain.context.lines import note_line, safe
from ricordo.domain.context.material import Context, Material
from ricordo.domain.context.notices import least, notices
from ricordo.domain.context.page import Page
from ricordo.domain.context.selection import Choice, Filling
from ricordo.domain.context.telling import IN_FULL, Telling
from ricordo.domain.memory import Memory
from ricordo.domain.text import collapse

ROOMY: Final = 300
"""The budget, in tokens, from which on there is an introduction, and parts have headings."""
NOTES_SHARE: Final = 0.10
FACTS_SHARE: Final = 0.20
RECENT_SHARE: Final = 0.35
BEST_SHARE: Final = 0.60
"""Of a budget that is not roomy, what the best memory may take before all else is served."""


class _Parts:
    """The parts of a page, in the order of the text: from what is lasting to what was just said."""

    def __init__(self, page: Page, language: str, *, roomy: bool) -> None:
        def heading(name: str) -> str:
            return phrase(language, name) if roomy else ""

        self.head = page.span("memory")
        self.notes = page.span("notes", heading("notes"))
        self.facts = page.span("facts", heading("facts"))
        self.memories = page.spans("memories", heading("memories"))
        self.recent = page.span("recent", heading("recent"), newest_first=True)


def assemble(material: Material, *, token_budget: int, count: Callable[[str], int], language: str) -> Context:
    """Write a context.

    Notes, facts and recent turns have first claim on a tenth, a fifth and a third of the budget; memories
    take what is left, the first five in full, the others in short; what then remains goes to more facts,
    turns and notes. Before all of that come memories that always enter, or where room is short the best one.
    No message is told twice, whether by its id or by what it says.

    Args:
        material: what there is.
        token_budget: the most tokens that the text may have, >= 1.
        count: tokens of a text, by the model's tokenizer; see `Allowance` for what it must be like.
        language: of headings and notices, "it" or else English.

    Returns:
        A text of at most `token_budget` tokens; an empty one only where not even a sign costs so little.
    """
    counted = cache(count)
    page = Page(token_budget, counted)
    _Writing(page, material, Telling(material.about, language, counted), language).write()
    text = page.text()
    if text:
        return Context(text, page.tokens)
    text = next((one for one in least(material, language) if counted(one) <= token_budget), "")
    return Context(text, counted(text))


class _Writing:
    """Fills the parts of one page."""

    def __init__(self, page: Page, material: Material, telling: Telling, language: str) -> None:
        self._page = page
        self._material = material
        self._telling = telling
        self._language = language
        self._roomy = page.left >= ROOMY
        self._parts = _Parts(page, language, roomy=self._roomy)
        self._filling = Filling(page)
        self._memories = material.memories

    def write(self) -> None:
        """Fill the parts, each in its turn."""
        parts, filling = self._parts, self._filling
        self._introduce()
        total = self._page.left
        self._recall_first(int(total * BEST_SHARE))
        notes = filling.fill(parts.notes, self._notes(), int(total * NOTES_SHARE))
        facts = filling.fill(parts.facts, self._facts(), int(total * FACTS_SHARE))
        said = [self._telling.turn(turn) for turn in reversed(self._material.recent)]
        earlier = filling.fill(parts.recent, said, int(total * RECENT_SHARE), unbroken=True)
        decisions = [self._telling.decision(turn) for turn in self._material.decisions]
        filling.fill(parts.notes, decisions, int(total * NOTES_SHARE))
        self._recall(self._memories)
        filling.fill(parts.facts, facts, self._page.left)
        filling.fill(parts.recent, earlier, self._page.left, unbroken=True)
        filling.fill(parts.notes, notes, self._page.left)

    def _introduce(self) -> None:
        told = self._material
        said = [Choice.of(lines) for lines in notices(told, self._language)]
        # Unbroken: where there is no room to say that memory is broken, it must not be said to be empty.
        self._filling.fill(self._parts.head, said, self._page.left, unbroken=True)
        anything = (
            told.notes or told.entities or told.facts or told.memories or told.recent or told.decisions
        ) or told.habits
        if self._roomy and anything:
            self._page.add(self._parts.head, phrase(self._language, "intro"))

    def _recall_first(self, most: int) -> None:
        """Tell what always enters, or of little room the best memory."""
        always = [memory for memory in self._memories if memory.id in self._material.always]
        if always:
            self._recall(always)
        elif not self._roomy and self._memories:
            best = self._telling.memory(self._memories[0], 0)
            self._filling.fill(self._parts.memories, [best], most)

    def _recall(self, memories: Sequence[Memory]) -> None:
        """Tell memories, of those not told yet the first five in full."""
        new = self._filling.new(memories)
        choices = [self._telling.memory(memory, rank) for rank, memory in enumerate(new)]
        self._filling.fill_fairly(self._parts.memories, choices[:IN_FULL])
        self._filling.fill(self._parts.memories, choices[IN_FULL:], self._page.left)

    def _notes(self) -> list[Choice]:
        lines = [note_line(key, value) for key, value in self._material.notes.items()]
        if self._material.entities:
            names = ", ".join(map(collapse, self._material.entities))
            lines.append(safe(phrase(self._language, "entities", names=names)))
        if self._material.habits and self._roomy:
            lines.append(safe(collapse(self._material.habits)))
        return [Choice.of((line,)) for line in lines]

    def _facts(self) -> list[Choice]:
        return [Choice.of((fact_line(fact, self._language),)) for fact in self._material.facts]
