"""Evidence as messages state it, for the suites of the fact ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Evidence, Fact, Polarity
from ricordo.memory.facts.projection import FactDelta
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.progress import Progress
from ricordo.store.fact_ledger import FactLedger
from ricordo.testing.factories import at


@dataclass
class Projection:
    """A projection that remembers what it was given, if it was anything, and fails while it is told to."""

    learned: list[FactDelta] = field(default_factory=list)
    failing: Exception | None = None

    async def __call__(self, learned: FactDelta) -> None:
        """Take what a user's facts have become."""
        if self.failing is not None:
            raise self.failing
        if learned.facts or learned.gone:
            self.learned.append(learned)


def said(
    predicate: str,
    value: str,
    *,
    minute: float = 0,
    subject: str = "user",
    polarity: Polarity = "holds",
    position: int = 0,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    ties: tuple[str, str] = ("", ""),
) -> Evidence:
    """Return a statement; `tell` says by which message."""
    return Evidence(
        subject,
        predicate,
        value,
        "",
        at(minute),
        polarity=polarity,
        position=position,
        valid_from=valid_from,
        valid_to=valid_to,
        subject_tie=ties[0],
        object_tie=ties[1],
    )


def tell(stores: Stores, message_id: str, *statements: Evidence, user_id: str = "u-1") -> ExtractedEvidence:
    """Return what a message states."""
    evidence = tuple(replace(one, message_id=message_id) for one in statements)
    return ExtractedEvidence(
        memory_id=stores.id(message_id),
        message_id=message_id,
        user_id=user_id,
        said_at=evidence[0].at if evidence else at(0),
        evidence=evidence,
        quotes=tuple(f"{one.predicate} {one.object}" for one in evidence),
    )


async def learn(
    stores: Stores,
    *told: ExtractedEvidence,
    projection: Projection | None = None,
    ledger: FactLedger | None = None,
) -> tuple[Mapping[str, Sequence[Fact]], Sequence[Progress]]:
    """Record what messages state as one batch, and return which facts each supports, and its stages.

    It is done at the ledger of `stores`, or at another one.
    """
    keeping = ledger or stores.ledger
    found, progress = await keeping.record(stores.tenant, told, projection or Projection(), STORED)
    supported = {message_id: one.supported for message_id, one in found.items() if one.supported}
    return supported, progress
