"""FactHandler: what follows from a message, and from what corrects it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from tests.support.factories import START
from tests.support.manual_clock import ManualClock

from ricordo.memory.facts import MessageContribution, Statement
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import Progress
from ricordo.messages.events import FactsExtracted, FactsRequested
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.handling import Done, Envelope
from ricordo.store.fact_ledger import FactLedger
from ricordo_services.knowledge.fact_handler import FactHandler


def said(number: int, corrects: Utterance | None = None) -> Utterance:
    return Utterance(
        memory_id=UUID(int=number),
        message_id=f"m-{number}",
        user_id="u-1",
        role="user",
        speaker="",
        language="en",
        content="It rains",
        said_at=START,
        corrects=corrects,
    )


FIRST = said(1)
CORRECTION = said(3, FIRST)
CHAIN = (FIRST, CORRECTION, said(2, CORRECTION))
"""The second corrects the first, and the third the second."""


class Ledger(FactLedger):
    """Returns messages with all that corrects them, and stores nothing."""

    def __init__(self) -> None:
        pass

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        asked = [one for one in CHAIN if one.memory_id in memory_ids]
        return [*asked, *(one for one in CHAIN if one not in asked and set(one.corrected) & set(asked))]

    async def record(
        self, tenant: str, extracted: Sequence[ExtractedEvidence], at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        progress = Progress(
            memory_id=UUID(int=0), message_id="", user_id="u-1", conversation_id="c-1", ingested=at
        )
        return {}, [
            replace(progress, memory_id=one.memory_id, message_id=one.message_id) for one in extracted
        ]


class NothingRead(FactExtractor):
    """Finds no statements."""

    def __init__(self) -> None:
        pass

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        return [() for _ in utterances]


async def follows(*numbers: int) -> list[list[int]]:
    """Return of which messages facts are reported, by event of a batch."""
    events = [
        Envelope(
            "acme",
            UUID(int=100 + number),
            "memory.v1.acme.facts.requested",
            FactsRequested(
                user_id="u-1", conversation_id="c-1", message_id=f"m-{number}", memory_id=UUID(int=number)
            ),
            1,
            None,
        )
        for number in numbers
    ]
    outcomes = await FactHandler(Ledger(), ManualClock(), NothingRead())("acme", events)
    assert all(isinstance(one, Done) for one in outcomes)
    return [
        [event.memory_id.int for event in one.events if isinstance(event, FactsExtracted)]
        for one in outcomes
        if isinstance(one, Done)
    ]


async def test_what_corrects_a_message_follows_from_it_in_any_batch() -> None:
    alone = [*await follows(1), *await follows(2), *await follows(3)]
    assert alone == [[1, 2, 3], [2], [3, 2]]
    assert await follows(1, 2, 3) == alone
