"""What the reader says of a text: statements, names, times, feeling and importance, with probabilities."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Self

PREDICATES: Final = tuple(
    "name age birthday born_in lives_in lives_with works_at works_as studies studies_at speaks likes "
    "dislikes allergic_to has_condition has_pet has_child has_sibling has_parent partner friend knows owns "
    "plays does skilled_in member_of visited plans wants attends experienced reads_or_watches trait is_a "
    "related_to contact agreement problem decision deadline price supplier_of client_of".split()
)
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
STATED: Final = "stated"
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
        version: of the weights.
        informative: the probability that it tells anything.
        importance: from 0 (small talk) to 3 (a turn of a life).
        valence: from -2 (very negative) to 2. arousal: from 0 (calm) to 2.
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
    emotions: tuple[tuple[str, float], ...]
    kind: str = "message"
    news: Span | None = None
    topics: tuple[Span, ...] = ()
    names: tuple[tuple[int, int, str], ...] = ()
    times: tuple[tuple[int, int, str], ...] = ()
    statements: tuple[ReadStatement, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON types."""
        return asdict(self)

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        spans = {name: tuple(map(tuple, value[name])) for name in ("emotions", "topics", "names", "times")}
        news = value["news"] and tuple(value["news"])
        statements = (
            ReadStatement(**{**one, "object": tuple(one["object"]), "clause": tuple(one["clause"])})
            for one in value["statements"]
        )
        return cls(**{**value, **spans, "news": news, "statements": tuple(statements)})


UNREAD: Final = Reading(version="", informative=1.0, importance=1.0, valence=0.0, arousal=0.0, emotions=())
"""Of a text that was not read."""
