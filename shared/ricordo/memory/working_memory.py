"""Working memory: a view of the last turns of a conversation.

It is computed from the turns and not stored, so that it cannot disagree with them or outlive their erasure.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ricordo.language.annotations import MemoryKind
from ricordo.language.classification import memory_kind
from ricordo.language.document import Document
from ricordo.language.query_analysis.question_names import names_in
from ricordo.language.text import excerpt
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
        self._known_names: frozenset[str] = frozenset()
        self._read: dict[_Said, tuple[bool, tuple[str, ...]]] = {}

    def read(
        self, turns: Sequence[SpokenTurn], language: str, known_names: Iterable[str]
    ) -> list[tuple[bool, tuple[str, ...]]]:
        """Return of each turn whether it decides something, and the names in it."""
        names = frozenset(known_names)
        former = self._read if names == self._known_names else {}
        self._known_names, self._read = names, {}
        return [
            self._read.setdefault(said, former.get(said) or self._reading(turn, said[2]))
            for turn in turns
            for said in ((hash(turn.content), len(turn.content), turn.language or language),)
        ]

    def _reading(self, turn: SpokenTurn, language: str) -> tuple[bool, tuple[str, ...]]:
        document = Document(turn.content[:_MOST_READ], language)
        return memory_kind(document) in _KEPT_KINDS, names_in(document, self._known_names)


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
    read = (readings or TurnReadings()).read(alive, language, known_names)
    decided = [at for at, (decides, _) in enumerate(read) if decides][-MAX_DECISIONS:]
    return WorkingMemory(
        lines=_lines(alive, decided, count),
        entities=_entities(names for _, names in reversed(read)),
        notes=dict(notes or {}),
        decisions=tuple(alive[at] for at in decided),
    )


def speaker_of(turn: SpokenTurn) -> str:
    """Return the name of the speaker, else the role."""
    return as_name(turn.speaker) or turn.role


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


def _entities(named: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the names that were named last, latest turn first, each once."""
    found: dict[str, str] = {}
    for name in chain.from_iterable(named):
        found.setdefault(name.casefold().replace("\u2019", "'"), name)
    return tuple(islice(found.values(), MAX_ENTITIES))
