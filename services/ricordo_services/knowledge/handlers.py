"""What messages state becomes evidence, the evidence facts, and the facts a graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.domain.facts import Evidence, extract
from ricordo.messages.events import DerivedEvent, FactsExtracted, MemoryCreated
from ricordo.ports.clock import Clock
from ricordo.ports.facts import FactLedger, Learned, Told, Utterance
from ricordo.ports.graph import FactGraph
from ricordo.ports.stages import Progress
from ricordo.runtime.beside import Beside
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo_services.receipts import receipt


@dataclass(frozen=True, slots=True)
class Learn:
    """Handles `memory.created`."""

    ledger: FactLedger
    graph: FactGraph
    clock: Clock
    beside: Beside

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryCreated]]) -> Sequence[Outcome]:
        """Extract, fold and project; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        told = await self.beside.each(tell, await self.ledger.load(tenant, ids))
        if not told:
            return [Done()] * len(events)

        async def project(learned: Learned) -> None:
            await self.graph.project(tenant, learned.user_id, learned.facts, gone=learned.gone)

        learned, progress = await self.ledger.record(tenant, told, project, self.clock.now())
        done = {one.memory_id: one for one in progress}
        return [Done(_events(tenant, done.get(event.body.memory_id), learned)) for event in events]


def tell(utterance: Utterance) -> Told:
    """Read an utterance for what it states."""
    statements = extract(
        utterance.content,
        language=utterance.language,
        speaker=utterance.speaker,
        role=utterance.role,
    )
    return Told(
        memory_id=utterance.memory_id,
        message_id=utterance.message_id,
        user_id=utterance.user_id,
        said_at=utterance.said_at,
        quotes=tuple(statement.quote for statement in statements),
        evidence=tuple(
            Evidence(
                subject=statement.subject,
                predicate=statement.predicate,
                object=statement.object,
                message_id=utterance.message_id,
                at=utterance.said_at,
                polarity=statement.polarity,
                position=statement.span[0],
            )
            for statement in statements
        ),
    )


def _events(tenant: str, progress: Progress | None, learned: Sequence[Learned]) -> tuple[DerivedEvent, ...]:
    if progress is None:
        return ()
    supported = [
        fact
        for one in learned
        if one.user_id == progress.user_id
        for fact in one.facts
        if progress.message_id in fact.message_ids
    ]
    fact_ids: tuple[UUID, ...] = tuple(fact.id for fact in supported)
    extracted = FactsExtracted(
        user_id=progress.user_id,
        conversation_id=progress.conversation_id,
        message_id=progress.message_id,
        memory_id=progress.memory_id,
        facts=len(fact_ids),
        fact_ids=fact_ids,
        contradictions=sum(1 for fact in supported if fact.contradictions),
    )
    return (extracted, *receipt(tenant, progress))
