"""How a context is put together: who is served first, and how much each part may take."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from ricordo.domain.context.facts import fact_line
from ricordo.domain.context.lexicon import phrase
from ricordo.domain.context.lines import decision_line, note_line, safe
from ricordo.domain.context.material import Context, Material
from ricordo.domain.context.notices import least, notices
from ricordo.domain.context.page import Page
from ricordo.domain.context.selection import IN_FULL, Choice, Telling, fill, fill_best, without_repeats
from ricordo.domain.text import collapse
from ricordo.domain.working import SpokenTurn

ROOMY: Final = 300
"""The budget, in tokens, from which on there is an introduction, and parts have headings."""
NOTES_SHARE: Final = 0.10
FACTS_SHARE: Final = 0.20
RECENT_SHARE: Final = 0.35
BEST_SHARE: Final = 0.60
"""Of a budget that is not roomy, what the best memory may take before all else is served."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What may stand in each part, the most wanted first."""

    notices: Sequence[Choice]
    notes: Sequence[Choice]
    facts: Sequence[Choice]
    memories: Sequence[Choice]
    recent: Sequence[Choice]
    always: int
    """How many of the memories enter before all else."""


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
    roomy = token_budget >= ROOMY
    parts = _Parts(page, language, roomy=roomy)
    wanted = _wanted(material, counted, language)
    _introduce(page, parts, wanted, language, roomy=roomy)
    _fill(page, parts, wanted, roomy=roomy)
    text = page.text()
    if text:
        return Context(text, page.tokens)
    text = next((one for one in least(material, language) if counted(one) <= token_budget), "")
    return Context(text, counted(text))


def _wanted(material: Material, count: Callable[[str], int], language: str) -> _Wanted:
    turns, kept, decisions = without_repeats(material.recent, material.memories, material.decisions)
    telling = Telling(material.about, language, count)
    return _Wanted(
        notices=[Choice.of(lines) for lines in notices(material, language)],
        notes=_single(_notes(material, decisions, language)),
        facts=_single(fact_line(fact, language) for fact in material.facts),
        memories=[telling.memory(memory, rank) for rank, memory in enumerate(kept)],
        recent=[telling.turn(turn) for turn in reversed(turns)],
        always=sum(memory.id in material.always for memory in kept),
    )


def _single(lines: Iterable[str]) -> list[Choice]:
    return [Choice.of((line,)) for line in lines]


def _notes(material: Material, decisions: Iterable[SpokenTurn], language: str) -> Iterator[str]:
    for key, value in material.notes.items():
        yield note_line(key, value)
    for turn in decisions:
        yield decision_line(turn, language)
    if material.entities:
        yield safe(phrase(language, "entities", names=", ".join(map(collapse, material.entities))))


def _introduce(page: Page, parts: _Parts, wanted: _Wanted, language: str, *, roomy: bool) -> None:
    # Unbroken: where there is no room to say that memory is broken, it must not be said to be empty.
    fill(page, parts.head, wanted.notices, page.left, unbroken=True)
    if roomy and (wanted.notes or wanted.facts or wanted.memories or wanted.recent):
        page.add(parts.head, phrase(language, "intro"))


def _fill(page: Page, parts: _Parts, wanted: _Wanted, *, roomy: bool) -> None:
    total, memories = page.left, wanted.memories
    if wanted.always:
        _recall(page, parts, memories[: wanted.always])
        memories = memories[wanted.always :]
    elif not roomy:
        memories = [*fill(page, parts.memories, memories[:1], int(total * BEST_SHARE)), *memories[1:]]
    notes = fill(page, parts.notes, wanted.notes, int(total * NOTES_SHARE))
    facts = fill(page, parts.facts, wanted.facts, int(total * FACTS_SHARE))
    recent = fill(page, parts.recent, wanted.recent, int(total * RECENT_SHARE), unbroken=True)
    _recall(page, parts, memories)
    fill(page, parts.facts, facts, page.left)
    fill(page, parts.recent, recent, page.left, unbroken=True)
    fill(page, parts.notes, notes, page.left)


def _recall(page: Page, parts: _Parts, memories: Sequence[Choice]) -> None:
    fill_best(page, parts.memories, memories[:IN_FULL], page.left)
    fill(page, parts.memories, memories[IN_FULL:], page.left)
