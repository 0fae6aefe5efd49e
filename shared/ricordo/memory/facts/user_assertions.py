"""What the user says of a fact: assertions as evidence, and rejected readings of a message."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from ricordo.language.facts.entity_names import LONGEST_KEY, normalise
from ricordo.language.facts.evidence import Evidence, Kind, Polarity
from ricordo.language.text import collapse
from ricordo.memory.facts.fact_model import Fact

_UNSEEN: Final = frozenset({"Cf", "Zs", "Zl", "Zp", "Mn"})
"""Categories of invisible characters."""
_INSTANT: Final = timedelta(microseconds=1)


class ImpossibleValue(ValueError):
    """A text that cannot be the value of a fact; the message says why."""


class ImpossiblePeriod(ValueError):
    """A fact would end before it began; the message says what is wrong with `valid_from`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAssertion:
    """What a user says of a fact.

    Attributes:
        verified: whether it is so; False takes a confirmation back, not the fact.
        object: the correct value, of `clean_value`; None where it is right.
        rejected: whether the messages never said so: it is not read again from their words.
        times: the correct `valid_from`, or `valid_to` (None: it holds), or both; the other stays.
    """

    verified: bool = True
    object: str | None = None
    rejected: bool = False
    times: Mapping[str, datetime | None] = field(default_factory=dict, hash=False)

    @property
    def is_dated(self) -> bool:
        """Whether it sets times; that a corrected value holds goes without saying."""
        return bool(self.times) and (self.object is None or any(self.times.values()))


def clean_value(text: str) -> str:
    """Return `text` as the value of a fact, without control characters and extra spacing.

    Raises:
        ImpossibleValue: it is invisible or too long.
    """
    cleaned = collapse("".join(" " if unicodedata.category(char) == "Cc" else char for char in text))
    key = normalise(cleaned)
    if not key or all(unicodedata.category(char) in _UNSEEN for char in key):
        raise ImpossibleValue("must hold a letter, a digit or a sign")
    if len(key.encode()) > LONGEST_KEY:
        raise ImpossibleValue(f"must not be longer than {LONGEST_KEY:,} bytes with its letters written out")
    return cleaned


def assertion_evidence(
    fact: Fact, word: UserAssertion, *, message_id: str, now: datetime, last_said: datetime | None
) -> tuple[Evidence, ...]:
    """Return the evidence of an assertion.

    Its instant is later than all that was said so far. A corrected value holds since the wrong one was
    believed to, which counts as never having held.

    Args:
        message_id: under which it is kept; not that of a message.
        last_said: the last instant of evidence that competes with the fact.

    Raises:
        ImpossiblePeriod: it would end before it began.
    """
    at = now if last_said is None else max(now, last_said + _INSTANT)

    def evidence(kind: Kind, value: str, since: datetime) -> Evidence:
        return Evidence(fact.subject, fact.predicate, value, message_id, at, valid_from=since, kind=kind)

    def dated(value: str) -> Evidence:
        """Return what is confirmed with its times; without a beginning, that of messages stays."""
        held = value == fact.object and fact.valid_from != fact.valid_to
        begin = word.times.get("valid_from")
        end = word.times.get("valid_to", fact.valid_to if held else None)
        if begin is not None and end is not None and end <= begin:
            raise ImpossiblePeriod(f"must be before valid_to, which is {end.isoformat()}")
        row = evidence("verified", value, now)
        polarity: Polarity = "began" if end is None else "past"
        return replace(row, polarity=polarity, valid_from=begin, valid_to=end, position=1)

    if word.object is None or word.object == fact.object:
        if word.is_dated:
            return (dated(fact.object),)
        confirmed = word.verified and not word.rejected
        return (evidence("verified" if confirmed else "unverified", fact.object, now),)
    since = fact.valid_from if fact.current and fact.valid_from is not None else now
    corrected = evidence("verified", word.object, since)
    with_times = (dated(word.object),) if word.is_dated else ()
    return evidence("rejected", fact.object, fact.valid_from or now), corrected, *with_times


@dataclass(frozen=True, slots=True)
class Rejection:
    """A reading of one message that the user says is wrong.

    Attributes:
        message_id: empty where the rejected fact rested on an assertion alone.
        quote: the words that it was read in.
    """

    message_id: str
    subject: str
    predicate: str
    object: str
    quote: str

    def covers(self, row: Evidence, quote: str) -> bool:
        """Whether evidence, read in the words `quote`, is the rejected reading again.

        Other rules may quote more or fewer of the same words, and cut the value otherwise. Denials, and words
        that the message did not have then, are other readings.
        """
        return (
            (row.message_id, row.predicate, row.kind) == (self.message_id, self.predicate, "said")
            and row.polarity != "denied"
            and normalise(row.subject) == normalise(self.subject)
            and _overlap(row.object, self.object)
            and _overlap(quote, self.quote)
        )


def drop_rejected(
    evidence: Sequence[Evidence], quotes: Sequence[str], rejections: Iterable[Rejection]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return the evidence of a message without rejected readings, with the words of each."""
    rejected = tuple(rejections)
    kept = [
        (row, quote)
        for row, quote in zip(evidence, quotes, strict=True)
        if not any(one.covers(row, quote) for one in rejected)
    ]
    return tuple(row for row, _ in kept), tuple(quote for _, quote in kept)


def _overlap(one: str, other: str) -> bool:
    """Whether one text is the other, or whole words of it."""
    mine, others = f" {normalise(one)} ", f" {normalise(other)} "
    return mine in others or others in mine
