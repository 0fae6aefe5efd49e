"""Facts as a pure fold over evidence.

Nothing about a fact is counted up or edited in place: it is computed again from its evidence, so that
messages may come twice, late or out of order, and a crash may fall between two writes, without changing
what is known.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.domain.facts.entities import canonical, normalise
from ricordo.domain.facts.evidence import Evidence
from ricordo.domain.facts.periods import Period, Slot
from ricordo.domain.facts.vocabulary import PREDICATES, USER

MAX_CONFIDENCE = 10

_KIND_ORDER = {"rejected": 0, "unverified": 1, "said": 2, "verified": 3}


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed, since when, how firmly and why.

    Attributes:
        id: the same for the same fact in every run.
        subject: `user`, or the entity's canonical name.
        predicate: a name of the closed vocabulary.
        object: the canonical spelling of the value.
        confidence: distinct supporting messages, 0-10 (0: the user's word alone).
        first_seen: when it was first said.
        last_reinforced: when it was last said.
        valid_from: since when it holds; None when only its end is known.
        valid_to: until when (exclusive); None while it holds. Equal to `valid_from` when it never held.
        contradictions: distinct messages that spoke against it.
        disputed: whether such a message is still unsettled.
        verified: whether the user confirmed it.
        message_ids: the supporting messages, oldest first.
    """

    id: UUID
    subject: str
    predicate: str
    object: str
    confidence: int
    first_seen: datetime
    last_reinforced: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    contradictions: int
    disputed: bool
    verified: bool
    message_ids: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether it holds now, as far as is known."""
        return self.valid_to is None


def fold(evidence: Iterable[Evidence], *, tenant: str, user_id: str) -> tuple[Fact, ...]:
    """Compute a user's facts from all the evidence there is.

    The order of `evidence` and repetitions in it do not matter: it is read once, by instant and message id.
    A functional predicate keeps one current value, and what it supersedes ends at the instant the new one
    begins. Predicates outside of the vocabulary and blank values are ignored.

    Args:
        evidence: rows about one user.
        tenant: the user's tenant; part of each fact's id.
        user_id: the user; part of each fact's id.

    Returns:
        Current and past facts, sorted by subject, predicate, object and period.
    """
    rows = list(_in_order(evidence))
    slots: dict[tuple[str, ...], Slot] = {}
    for row in rows:
        slots.setdefault(_slot_key(row), Slot()).apply(row, _value(row))
    for slot in slots.values():
        slot.close()
    subjects = _subject_names(rows)
    found = [
        _fact(period, subjects[key[0]], nth, f"{tenant}/{user_id}/{key[0]}")
        for key, slot in slots.items()
        for nth, period in _numbered(slot.periods)
    ]
    return tuple(
        sorted(found, key=lambda f: (f.subject != USER, f.subject, f.predicate, f.object, f.first_seen, f.id))
    )


def as_of(facts: Iterable[Fact], instant: datetime) -> tuple[Fact, ...]:
    """Return the facts that held at `instant` (aware), in the order given."""
    return tuple(
        fact
        for fact in facts
        if (fact.valid_from is None or fact.valid_from <= instant)
        and (fact.valid_to is None or instant < fact.valid_to)
        and fact.valid_from != fact.valid_to
    )


def _in_order(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    seen: set[tuple[str, ...]] = set()
    for row in sorted(evidence, key=_order):
        key = (row.message_id, normalise(row.subject), *_value(row), row.kind, row.polarity)
        if (
            key not in seen
            and row.predicate in PREDICATES
            and normalise(row.object)
            and normalise(row.subject)
        ):
            seen.add(key)
            yield row


def _order(row: Evidence) -> tuple[object, ...]:
    """Sort key: one message says what has ended before what has begun."""
    return (
        row.at,
        row.message_id,
        _KIND_ORDER[row.kind],
        row.polarity != "past",
        row.position,
        row.subject,
        row.predicate,
        row.object,
        str(row.valid_from),
        str(row.valid_to),
    )


def _value(row: Evidence) -> tuple[str, str]:
    return row.predicate, normalise(row.object)


def _slot_key(row: Evidence) -> tuple[str, ...]:
    """Name what evidence competes for: a functional predicate's one value, or the truth of one statement."""
    predicate, subject = PREDICATES[row.predicate], normalise(row.subject)
    if predicate.functional:
        return subject, predicate.name
    pair = min(predicate.name, predicate.opposite or predicate.name)
    return subject, pair, normalise(row.object)


def _subject_names(rows: Iterable[Evidence]) -> dict[str, str]:
    spellings: dict[str, Counter[str]] = {}
    for row in rows:
        spellings.setdefault(normalise(row.subject), Counter())[row.subject] += 1
    return {key: USER if key == USER else canonical(count.elements()) for key, count in spellings.items()}


def _numbered(periods: Iterable[Period]) -> Iterator[tuple[int, Period]]:
    """Number the validity periods of each value from 1, in the order in which they began."""
    met: Counter[tuple[str, str]] = Counter()
    for period in periods:
        met[period.value] += 1
        yield met[period.value], period


def _fact(period: Period, subject: str, nth: int, scope: str) -> Fact:
    predicate, key = period.value
    suffix = f"/{nth}" if nth > 1 else ""
    return Fact(
        id=uuid5(NAMESPACE_OID, f"{scope}/{predicate}/{key}{suffix}"),
        subject=subject,
        predicate=predicate,
        object=canonical(period.spellings),
        confidence=min(MAX_CONFIDENCE, len(period.messages)),
        first_seen=period.first_seen,
        last_reinforced=period.last_reinforced,
        valid_from=period.valid_from,
        valid_to=period.valid_to,
        contradictions=len(period.contradicting),
        disputed=period.disputed,
        verified=period.verified,
        message_ids=tuple(period.messages),
    )
