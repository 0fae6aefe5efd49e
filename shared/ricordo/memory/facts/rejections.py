"""Readings that the user has rejected: what is not read again from the same words of a message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Rejection:
    """A reading of one message that the user says is wrong.

    Attributes:
        message_id: the message; empty where the rejected fact rested on the user's word alone.
        subject: as it was written.
        predicate: a name of the closed vocabulary.
        object: as it was written.
        quote: the words of the message that it was read in.
    """

    message_id: str
    subject: str
    predicate: str
    object: str
    quote: str

    def covers(self, row: Evidence, quote: str) -> bool:
        """Tell whether evidence, read in the words `quote`, is the rejected reading once more.

        Another version of the rules may quote more or fewer of the same words, and cut the value otherwise.
        What the message denies, and what it says in words that it had not then, is another reading.
        """
        return (
            (row.message_id, row.predicate, row.kind) == (self.message_id, self.predicate, "said")
            and row.polarity != "denied"
            and normalise(row.subject) == normalise(self.subject)
            and _overlap(row.object, self.object)
            and _overlap(quote, self.quote)
        )


def unrejected(
    evidence: Sequence[Evidence], quotes: Sequence[str], rejections: Iterable[Rejection]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return what was read of a message without what the user has rejected, with the words of each."""
    rejected = tuple(rejections)
    kept = [
        (row, quote)
        for row, quote in zip(evidence, quotes, strict=True)
        if not any(one.covers(row, quote) for one in rejected)
    ]
    return tuple(row for row, _ in kept), tuple(quote for _, quote in kept)


def _overlap(one: str, other: str) -> bool:
    """Tell whether one text is the other, or whole words of it."""
    mine, others = f" {normalise(one)} ", f" {normalise(other)} "
    return mine in others or others in mine
