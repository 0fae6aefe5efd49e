"""Working memory: a view of the last turns of a conversation.

It is computed from the turns and not stored, so that it cannot disagree with them or outlive their erasure.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ricordo.language.annotations import MemoryKind
from ricordo.language.classification import memory_kind
from ricordo.language.document import Document
from ricordo.language.name_lists import lookup, names_in, whole_names
from ricordo.language.text import excerpt, normalise
from ricordo.memory.context.recalled_tags import escape_recalled
from ricordo.memory.spoken_turns import SpokenTurn, as_name

MAX_LINES = 30
MAX_TOKENS = 1_000
MAX_ENTITIES = 5
MAX_DECISIONS = 5
MAX_NOTES = 30
LINE_LENGTH = 400
LIFETIME = dt.timedelta(hours=24)
_MOST_READ = 1_000  # characters of a turn in which a name or a decision is looked for
_Said = tuple[int, int, str]
_KEPT_KINDS = frozenset({MemoryKind.DECISION, MemoryKind.AGREEMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """The current view.

    Attributes:
        lines: recent decisions and the last turns, oldest first; at most 30, of at most 1,000 tokens
            together.
        entities: named last, latest first, at most 5.
        notes: values that the bot set.
        decisions: turns that decided something, oldest first, at most 5.
    """

    lines: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    notes: Mapping[str, object] = field(default_factory=dict)
    decisions: tuple[SpokenTurn, ...] = ()


class TurnReadings:
    """Cached readings of the turns of a conversation, keyed by hash; no text is kept."""

    def __init__(self) -> None:
        self._known_names: tuple[str, ...] = ()
        self._decides: dict[_Said, bool] = {}
        self._named: dict[_Said, tuple[str, ...]] = {}

    def begin(self, turns: Sequence[SpokenTurn], language: str, known_names: tuple[str, ...]) -> None:
        """Drop readings of other turns, and those that other known names would change."""
        said = {_said(turn, language): turn for turn in turns}
        self._decides = {one: read for one, read in self._decides.items() if one in said}
        others = _firsts(set(known_names) ^ set(self._known_names))
        self._named = {
            one: read
            for one, read in self._named.items()
            if one in said and not _has_any(said[one].content, others)
        }
        self._known_names = known_names

    def decides(self, turn: SpokenTurn, language: str) -> bool:
        """Whether a turn decides something."""
        said = _said(turn, language)
        if said not in self._decides:
            document = Document(turn.content[:_MOST_READ], turn.language or language)
            decides = memory_kind(document) in _KEPT_KINDS
            self._decides[said] = decides
        return self._decides[said]

    def named(self, turn: SpokenTurn, language: str) -> tuple[str, ...]:
        """Return the names in a turn."""
        said = _said(turn, language)
        if said not in self._named:
            document = Document(turn.content[:_MOST_READ], turn.language or language)
            self._named[said] = tuple(_named(document.composed, self._known_names))
        return self._named[said]


def working_memory(
    turns: Iterable[SpokenTurn],
    *,
    now: dt.datetime,
    count: Callable[[str], int],
    language: str,
    notes: Mapping[str, object] | None = None,
    known_names: Iterable[str] = (),
    lifetime: dt.timedelta = LIFETIME,
    readings: TurnReadings | None = None,
) -> WorkingMemory:
    """Compute working memory from the last turns of a conversation.

    Args:
        turns: in any order; more than fit may be given.
        now: aware; later turns, and those older than `lifetime`, are ignored.
        language: of turns that do not state their own.
        notes: values that the bot set and that have not expired.
        readings: cache from the former view of this conversation.
    """
    alive = sorted(
        (turn for turn in turns if now - lifetime < turn.timestamp <= now),
        key=lambda turn: (turn.timestamp, turn.message_id),
    )
    readings = readings or TurnReadings()
    readings.begin(alive, language, tuple(known_names))
    decided = [at for at, turn in enumerate(alive) if readings.decides(turn, language)][-MAX_DECISIONS:]
    return WorkingMemory(
        lines=_lines(alive, decided, count),
        entities=_entities(alive, language, readings),
        notes=dict(notes or {}),
        decisions=tuple(alive[at] for at in decided),
    )


def speaker_of(turn: SpokenTurn) -> str:
    """Return the name of the speaker, else the role."""
    return as_name(turn.speaker) or turn.role


def _said(turn: SpokenTurn, language: str) -> _Said:
    return hash(turn.content), len(turn.content), turn.language or language


def _lines(
    turns: Sequence[SpokenTurn], decided: Sequence[int], count: Callable[[str], int]
) -> tuple[str, ...]:
    newest_first = range(len(turns) - 1, -1, -1)
    kept: dict[int, str] = {}
    tokens = 0
    for at in dict.fromkeys((*reversed(decided), *newest_first)):
        text = excerpt(turns[at].content[:_MOST_READ], LINE_LENGTH)
        line = escape_recalled(f"{speaker_of(turns[at])}: {text}")
        tokens += count(line)
        if tokens > MAX_TOKENS or len(kept) == MAX_LINES:
            break
        kept[at] = line
    return tuple(kept[at] for at in sorted(kept))


def _entities(turns: Sequence[SpokenTurn], language: str, readings: TurnReadings) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for turn in reversed(turns):
        for name in readings.named(turn, language):
            found.setdefault(name.casefold().replace("\u2019", "'"), name)
            if len(found) == MAX_ENTITIES:
                return tuple(found.values())
    return tuple(found.values())


def _firsts(names: Iterable[str]) -> frozenset[str]:
    """Return the words by which known names are looked up."""
    return frozenset(word for name in names for word in normalise(name).casefold().split()[:1])


def _has_any(content: str, words: frozenset[str]) -> bool:
    if not words:
        return False
    folded = normalise(content[:_MOST_READ]).casefold().replace("\u2019", "'")
    return any(word.replace("\u2019", "'") in folded for word in words)


def _named(document: Document, known_names: tuple[str, ...]) -> list[str]:
    """Return people, then places and things; of a name and a part of it, the whole."""
    known, words = lookup(known_names), document.words
    people = [name for at in range(len(words)) if (name := known.at(words, at)[1])]
    return whole_names((*people, *map(known.whole, names_in(document))))
