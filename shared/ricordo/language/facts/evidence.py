"""Evidence and statements: the rows from which facts are computed, and what a message states."""

from dataclasses import KW_ONLY, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final, Literal

Polarity = Literal["holds", "began", "past", "denied"]
"""`holds`: it is so now. `began`: it began long ago ("In 1999 I moved to Leeds"), and may be over by now.
`past`: it was so and is no longer ("I used to live in Rome"). `denied`: it is not so ("I'm not allergic to
nuts", "I sold the Vespa"), which states nothing by itself and speaks against a fact that says otherwise."""

Kind = Literal["said", "verified", "unverified", "rejected", "restored"]
"""`said` in a message; the others are the user's word on a fact: they settle it and support nothing.

`verified` says that it is so: now (`holds`), or in exactly the time that it states, to this day (`began`) or
until its end (`past`); without a beginning that of messages stays. `rejected` says that it never was since
`valid_from`. What is taken back counts as if it had never been said: `unverified` takes back what was said
for the value before, with what the same requests rejected for it, and `restored` that the value was rejected
at the instant `valid_to`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of a subject.

    Attributes:
        subject: `user`, or the name of an entity as it was written.
        object: the value, without leading article or preposition.
        polarity: whether it holds, began, held, or is denied.
        subject_tie: what ties the subject to the user, where the message says so: text of a `ties.Tie`.
        object_tie: the same of the object.
    """

    subject: str
    predicate: str
    object: str
    _: KW_ONLY
    polarity: Polarity = "holds"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    subject_tie: str = ""
    object_tie: str = ""

    def claim(self) -> dict[str, Any]:
        """Return these fields, for another claim that says the same."""
        return {one.name: getattr(self, one.name) for one in fields(Claim)}


@dataclass(frozen=True, slots=True)
class Evidence(Claim):
    """A claim together with where and when it was made.

    Attributes:
        message_id: the message (or the request, for a user's word) it rests on.
        kind: said in a message, or settled by the user.
        position: offset within the message: orders what one message says.
        subject_as: how the subject was written, where its canonical name stands in that place.
        object_as: the same of the object.
    """

    message_id: str
    at: datetime
    kind: Kind = "said"
    position: int = 0
    subject_as: str = ""
    object_as: str = ""


_KIND_ORDER: Final = {"rejected": 0, "unverified": 1, "restored": 1, "said": 2, "verified": 3}
_EVER: Final = datetime.min.replace(tzinfo=UTC)
Order = tuple[object, ...]
"""What rows are sorted by."""


def order(row: Evidence) -> Order:
    """Return where `row` stands among all evidence: by instant and message.

    One message says what has ended, or is not so, before what has begun.
    """
    return (
        row.at,
        row.message_id,
        _KIND_ORDER[row.kind],
        row.polarity in ("holds", "began") or row.kind == "verified",
        row.position,
        row.subject,
        row.predicate,
        row.object,
        row.valid_from is None,
        row.valid_from or _EVER,
        row.valid_to is None,
        row.valid_to or _EVER,
    )


@dataclass(frozen=True, slots=True)
class Statement(Claim):
    """One thing a message states.

    Attributes:
        quote: the words of the message that state it.
        span: offsets `[start, end)` of the quote in the message.
    """

    quote: str
    span: tuple[int, int]

    def evidence(self, message_id: str, at: datetime) -> Evidence:
        """Return the evidence that it is, said in a message at an instant."""
        return Evidence(**self.claim(), message_id=message_id, at=at, position=self.span[0])
