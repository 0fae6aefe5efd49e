"""What the reader says of a text: statements, names, times, feeling and importance, with probabilities."""

import json
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Final, Literal, NamedTuple, Self

from ricordo.language.annotations import Predicate

PREDICATES: Final = tuple(one.value for one in Predicate if one is not Predicate.STATED)
"""What a statement may say, in the order of the network's classes; like all lists here."""
STATUSES: Final = ("current", "past", "planned", "ended")
CERTAINTIES: Final = ("sure", "hedged", "hearsay")
NAME_KINDS: Final = ("person", "animal", "place", "organisation", "work", "event", "product")
DIRECTIONS: Final = ("past", "future", "present", "habit", "none")
MESSAGE_KINDS: Final = ("message", "note", "agreement", "problem", "decision")
EMOTIONS: Final = tuple(
    "admiration amusement anger annoyance approval caring confusion curiosity desire disappointment "
    "disapproval disgust embarrassment excitement fear gratitude grief joy love nervousness optimism pride "
    "realization relief remorse sadness surprise neutral".split()
)
LEARNED: Final = ("en", "it", "de")
"""Languages of the chats that the reader has learned from; German from few."""
INFORMATIVE: Final = 0.5
"""From here on a message is a memory that is recalled; below it is history."""
STATED: Final = Predicate.STATED.value
"""The predicate of a statement of which only the clause is certain."""

FAMILIES: Final = tuple(
    frozenset(words.split())
    for words in (
        "likes reads_or_watches does plays skilled_in",
        "wants plans attends",
        "works_at works_as is_a",
        "studies studies_at",
        "has_sibling has_child has_parent partner friend knows related_to name",
        "lives_in born_in",
        "has_pet owns",
        "experienced visited plans attends",
        "has_condition allergic_to trait experienced",
    )
)
"""Predicates that two people may choose for the same statement."""


def is_like(predicate: str, other: str) -> bool:
    """Return whether two predicates are the same, or of one family."""
    return predicate == other or any({predicate, other} <= family for family in FAMILIES)


Span = tuple[int, int]
"""Offsets `[start, end)` of characters in the text."""
Of = Literal["speaker", "named", "carried"]
"""Whose statement it is: the speaker's, somebody's in the text, or theirs whom the turn before was about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStatement:
    """A lasting fact that a text states.

    Attributes:
        predicate: `STATED` where only the clause is certain.
        object: the clause, where the predicate is `STATED`.
        of: whose it is; `subject_at` is where the subject begins in the text, if it is `named`.
        certainty: the probability that a person would note it so.
        denied: whether it is said not to be so.
        hedge: how sure the speaker is.
    """

    predicate: str
    object: Span
    clause: Span
    of: Of
    certainty: float
    subject_at: int = -1
    status: str = "current"
    denied: bool = False
    hedge: str = "sure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text says, read once.

    Attributes:
        version: of the weights, and of how their answers are decoded.
        informative: how likely it tells anything, [0, 1]; of what does, nearly all lies above `INFORMATIVE`.
        importance: from 0 (small talk) to 3 (a turn of a life).
        valence: from -1 (unpleasant) to 1. arousal, dominance: from 0 to 1.
        felt: the words that carry the feeling, at most three.
        procedural: the probability that it tells how something is done.
        emotions: the likeliest of `EMOTIONS` with their probabilities, at most three.
        kind: of the message.
        news: the clause that carries the news; None where there is none.
        names, times: with their kind, and their direction.
    """

    version: str
    informative: float
    importance: float
    valence: float
    arousal: float
    dominance: float
    emotions: tuple[tuple[str, float], ...]
    felt: tuple[Span, ...] = ()
    procedural: float = 0.0
    kind: str = "message"
    news: Span | None = None
    topics: tuple[Span, ...] = ()
    names: tuple[tuple[int, int, str], ...] = ()
    times: tuple[tuple[int, int, str], ...] = ()
    statements: tuple[ReadStatement, ...] = ()

    def to_json(self) -> str:
        """Return it as JSON text, which `store.rows` reads."""
        return json.dumps(asdict(self))


class _Replacement(NamedTuple):
    """A part of a text that has been replaced: where it stood, and how much longer the text is."""

    start: int
    end: int
    longer: int

    @classmethod
    def between(cls, before: str, after: str) -> Self:
        """Return the smallest replacement that makes one text of another."""
        start = _common(before, after)
        behind = _common(before[start:][::-1], after[start:][::-1])
        return cls(start, len(before) - behind, len(after) - len(before))

    def place(self, start: int) -> int:
        """Return where what began at a place begins now."""
        return start + self.longer if start >= self.end else min(start, self.start)

    def span(self, span: Span) -> Span:
        """Return where a part stands now; what was replaced in it belongs to it still."""
        end = span[1]
        return self.place(span[0]), end if end <= self.start else max(end, self.end) + self.longer


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin alike with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def amended(reading: Reading, before: str, after: str) -> Reading:
    """Return the reading of a text of which a part was replaced, as far as the rest tells it."""
    moved = _Replacement.between(before, after)
    statements = (
        replace(
            one,
            object=moved.span(one.object),
            clause=moved.span(one.clause),
            subject_at=moved.place(one.subject_at),
        )
        for one in reading.statements
    )
    return replace(
        reading,
        news=reading.news and moved.span(reading.news),
        topics=tuple(map(moved.span, reading.topics)),
        felt=tuple(map(moved.span, reading.felt)),
        names=tuple((*moved.span((start, end)), kind) for start, end, kind in reading.names),
        times=tuple((*moved.span((start, end)), kind) for start, end, kind in reading.times),
        statements=tuple(one for one in statements if one.object[0] < one.object[1] <= len(after)),
    )


UNREAD: Final = Reading(
    version="", informative=1.0, importance=1.0, valence=0.0, arousal=0.0, dominance=0.5, emotions=()
)
"""Of a text that was not read."""
