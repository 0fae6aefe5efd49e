"""What extraction yields."""

from dataclasses import dataclass
from datetime import datetime

from ricordo.language.facts.evidence import Evidence, Polarity


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a message states.

    Attributes:
        subject: `user`, or an entity's name as written.
        predicate: a name of the closed vocabulary.
        object: the value, without leading article or preposition.
        quote: the words of the message that state it.
        span: offsets `[start, end)` of the quote in the message.
        polarity: `holds`, `past` when the message says that it is over, `began` or `denied`.
        valid_from: since when, aware, where the message says so.
        valid_to: until when, aware, where the message says so; then the polarity is `past`.
        subject_tie: what ties the subject to the user, where the message says so: text of a `ties.Tie`.
        object_tie: the same of the object.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    span: tuple[int, int]
    polarity: Polarity = "holds"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    subject_tie: str = ""
    object_tie: str = ""

    def evidence(self, message_id: str, at: datetime) -> Evidence:
        """Return the evidence that it is, said in a message at an instant."""
        return Evidence(
            subject=self.subject,
            predicate=self.predicate,
            object=self.object,
            message_id=message_id,
            at=at,
            polarity=self.polarity,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            position=self.span[0],
            subject_tie=self.subject_tie,
            object_tie=self.object_tie,
        )
