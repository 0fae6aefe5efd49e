"""The questions that the reader answers of each token and of a text, with the number of their classes."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from ricordo.language.reading import (
    CERTAINTIES,
    DIRECTIONS,
    EMOTIONS,
    MESSAGE_KINDS,
    NAME_KINDS,
    PREDICATES,
    STATUSES,
)

OF_SPEAKER, IN_TEXT, CARRIED_OVER = range(3)
"""The classes of a subject: the speaker; named in the text; whom the turn before was about."""
WIDTH: Final = 256
"""Features of a token."""
POINTER: Final = "subject_at"
"""Of each token, the token where the subject of its statement begins."""


class Head(NamedTuple):
    """A question.

    Attributes:
        classes: of the answer; those of an ordinal head are its steps.
        kind: a `choice` among classes; `steps`, each with a probability of its own; or `values` as they are.
    """

    name: str
    classes: int
    kind: Literal["choice", "steps", "values"] = "choice"


def _tags(classes: int = 1) -> int:
    """Return the number of tags for spans: outside, and begin and inside of each class."""
    return 1 + 2 * classes


OF_TOKENS: Final[Sequence[Head]] = (
    Head("object", _tags()),
    Head("clause", _tags()),
    Head("predicate", len(PREDICATES)),
    Head("subject", 3),
    Head("status", len(STATUSES)),
    Head("denied", 2),
    Head("certainty", len(CERTAINTIES)),
    Head("name", _tags(len(NAME_KINDS))),
    Head("time", _tags(len(DIRECTIONS))),
    Head("statement_time", 1, "steps"),
    Head("news", 1, "steps"),
    Head("topic", 1, "steps"),
)
OF_TEXTS: Final[Sequence[Head]] = (
    Head("states", 1, "steps"),
    Head("informative", 1, "steps"),
    Head("importance", 3, "steps"),
    Head("valence", 4, "steps"),
    Head("arousal", 2, "steps"),
    Head("emotion", len(EMOTIONS)),
    Head("kind", len(MESSAGE_KINDS)),
    Head("rated", 3, "values"),
    Head("procedural", 1, "steps"),
)
FELT: Final = "felt"
"""Of each token, how far it draws the valence of its text up or down."""
ANSWERS, BOUNDS = "answers", "bounds"
"""Of a question and a passage: that it answers; of each token, that what answers begins and ends with it."""
