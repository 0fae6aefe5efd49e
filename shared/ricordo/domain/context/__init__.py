"""The context: text ready for a prompt, made of what is at hand and what was recalled, inside a token budget.

Recalled text stands inside `<recalled>` spans with its own tags escaped, so that it reads as data, and so
that it is known for an echo when it comes back in a message. An empty memory says that it is empty, a broken
one that it is broken, and both whether the archive holds more.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ricordo.domain.context.phrases import fact_line, memory_block, phrase, turn_line
from ricordo.domain.context.selection import Allowance, fill, fill_best, forms, without_repeats
from ricordo.domain.facts import Fact
from ricordo.domain.memory import Memory
from ricordo.domain.text import collapse, escape_recalled, excerpt
from ricordo.domain.working import SpokenTurn

NOTES_SHARE = 0.10
FACTS_SHARE = 0.20
RECENT_SHARE = 0.35
ABOUT_LENGTH = 80
NOTE_LENGTH = 200

__all__ = ["Context", "Material", "assemble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a context may be made of.

    Attributes:
        memories: as ranked, best first.
        facts: most certain first.
        recent: the last turns, oldest first.
        notes: values that the bot set.
        entities: what the conversation named last.
        archived_matches: how many matches lie in the archive.
        degraded: what could not be asked just now.
        about: the query, for saying what was not found.
    """

    memories: Sequence[Memory] = ()
    facts: Sequence[Fact] = ()
    recent: Sequence[SpokenTurn] = ()
    notes: Mapping[str, object] = field(default_factory=dict)
    entities: Sequence[str] = ()
    archived_matches: int = 0
    degraded: Collection[str] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """A text and its tokens, as counted."""

    text: str
    tokens: int


@dataclass(slots=True)
class _Draft:
    """The lines of each section, most wanted first, so that what is dropped is dropped from the end."""

    notices: list[str]
    notes: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)

    def drop_one(self) -> bool:
        """Drop the least wanted line of the longest section; say whether there was any."""
        longest = max(self.memories, self.recent, self.facts, self.notes, key=len) or self.notices
        if longest:
            longest.pop()
        return bool(longest)


def assemble(material: Material, *, token_budget: int, count: Callable[[str], int], language: str) -> Context:
    """Write a context.

    Notes, facts and recent turns have first claim on a tenth, a fifth and a third of the budget; memories
    take what is left, the first five in full, the others in short; what then remains goes to more turns and
    facts.

    Args:
        material: what there is.
        token_budget: the most tokens that the text may have, > 0.
        count: tokens of a text, by the model's tokenizer.
        language: of headings and notices, "it" or else English.

    Returns:
        A text of at most `token_budget` tokens; empty when not even a notice fits.
    """
    draft = _draft(material, token_budget, count, language)
    while True:
        text = _written(draft, language)
        tokens = count(text) if text else 0
        if tokens <= token_budget or not draft.drop_one():
            return Context(text, tokens) if tokens <= token_budget else Context("", 0)


def _draft(material: Material, token_budget: int, count: Callable[[str], int], language: str) -> _Draft:
    turns, memories = without_repeats(material.recent, material.memories)
    allowance = Allowance(token_budget, count)
    draft = _Draft(notices=[line for line in _notices(material, language) if allowance.take(line)])
    for frame in _frames(material, language):
        allowance.take(frame)
    notes = list(_note_lines(material, language))
    facts = [fact_line(fact, language) for fact in material.facts]
    spoken = [turn_line(turn, language) for turn in reversed(turns)]
    draft.notes = fill(notes, allowance, int(token_budget * NOTES_SHARE))
    draft.facts = fill(facts, allowance, int(token_budget * FACTS_SHARE))
    draft.recent = fill(spoken, allowance, int(token_budget * RECENT_SHARE))
    told = (
        [memory_block(memory, form, language) for form in forms(memory, rank, count)]
        for rank, memory in enumerate(memories)
    )
    draft.memories = fill_best(told, allowance)
    draft.recent += fill(spoken[len(draft.recent) :], allowance, allowance.left)
    draft.facts += fill(facts[len(draft.facts) :], allowance, allowance.left)
    return draft


def _notices(material: Material, language: str) -> Iterator[str]:
    nothing = not material.memories and not material.facts
    if nothing:
        about = escape_recalled(excerpt(material.about, ABOUT_LENGTH)) if material.about.strip() else ""
        yield phrase(language, "nothing_about", about=about) if about else phrase(language, "nothing")
    if material.degraded:
        yield phrase(language, "degraded", missing=", ".join(sorted(material.degraded)))
    if material.archived_matches > 0:
        name = "archive_instead" if nothing else "archive_more"
        yield phrase(language, name, count=material.archived_matches)


def _note_lines(material: Material, language: str) -> Iterator[str]:
    if material.entities:
        names = ", ".join(map(collapse, material.entities))
        yield escape_recalled(phrase(language, "entities", names=names))
    for key, value in material.notes.items():
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        yield escape_recalled(f"- {collapse(key)}: {excerpt(told, NOTE_LENGTH)}")


def _frames(material: Material, language: str) -> Iterator[str]:
    """Yield what stands around the sections that may appear, to be paid for beforehand."""
    present = {
        "notes": material.notes or material.entities,
        "facts": material.facts,
        "memories": material.memories,
        "recent": material.recent,
    }
    if any(present.values()):
        yield phrase(language, "intro")
    for name, content in present.items():
        if content:
            yield phrase(language, name) + ("" if name == "memories" else _span(name, ""))


def _written(draft: _Draft, language: str) -> str:
    sections = [
        _section("notes", draft.notes, language),
        _section("facts", draft.facts, language),
        _section("memories", draft.memories, language),
        _section("recent", draft.recent[::-1], language),
    ]
    filled = [section for section in sections if section]
    intro = [phrase(language, "intro")] if filled else []
    return "\n\n".join((*draft.notices, *intro, *filled))


def _section(name: str, lines: Iterable[str], language: str) -> str:
    body = "\n".join(lines)
    if not body:
        return ""
    # Memories carry their own spans and ids; the other sections are one span each.
    return f"{phrase(language, name)}\n{body if name == 'memories' else _span(name, body)}"


def _span(name: str, body: str) -> str:
    return f'<recalled id="{name}">\n{body}\n</recalled>'
