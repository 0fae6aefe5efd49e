"""What extraction yields."""

from dataclasses import dataclass

from ricordo.domain.facts.evidence import Polarity


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a message states.

    Attributes:
        subject: `user`, or an entity's name as written.
        predicate: a name of the closed vocabulary.
        object: the value, without leading article or preposition.
        quote: the words of the message that state it.
        span: offsets `[start, end)` of the quote in the message.
        polarity: `holds`, or `past` when the message says that it is over.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    span: tuple[int, int]
    polarity: Polarity = "holds"
