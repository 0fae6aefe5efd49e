"""What follows from a message and from what corrects it, and errors of decisions on names."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import cast
from uuid import UUID

import pytest
from tests.fixtures.material import fact
from tests.support.factories import START, matches
from tests.support.manual_clock import ManualClock

from ricordo.language.facts.evidence import Statement
from ricordo.language.reading import UNREAD, ReadStatement
from ricordo.memory.facts.fact_model import MessageContribution
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import Progress
from ricordo.messages.commands import Identify
from ricordo.messages.errors import ErrorCode
from ricordo.messages.events import FactsExtracted, FactsRequested, MemoryEncoded
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.handling import Done, Envelope, RequestError
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.entity_store import NobodyKnown, NotTwoNames, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.idempotency import RequestConflict
from ricordo_services.knowledge.fact_commands import FactCommands
from ricordo_services.knowledge.fact_handler import FactHandler, read_statements, text_of


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
    """Returns messages with all that corrects them and what they contribute, and stores nothing."""

    def __init__(self, contributions: Mapping[str, MessageContribution] = MappingProxyType({})) -> None:
        self.contributions = contributions

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        asked = [one for one in CHAIN if one.memory_id in memory_ids]
        return [*asked, *(one for one in CHAIN if one not in asked and set(one.corrected) & set(asked))]

    async def record(
        self, tenant: str, extracted: Sequence[ExtractedEvidence], at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        progress = Progress(
            memory_id=UUID(int=0), message_id="", user_id="u-1", conversation_id="c-1", ingested=at
        )
        return self.contributions, [
            replace(progress, memory_id=one.memory_id, message_id=one.message_id) for one in extracted
        ]


class NothingRead(FactExtractor):
    """Finds no statements."""

    def __init__(self) -> None:
        self.model = None

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        return [() for _ in utterances]


def requested(number: int) -> Envelope[MemoryEncoded | FactsRequested]:
    body = FactsRequested(
        user_id="u-1", conversation_id="c-1", message_id=f"m-{number}", memory_id=UUID(int=number)
    )
    subject, at = "memory.v1.acme.facts.requested", ManualClock().now()
    return Envelope("acme", UUID(int=100 + number), subject, body, 1, None, at)


async def follows(*numbers: int) -> list[list[int]]:
    """Return of which messages facts are reported, by event of a batch."""
    events = [requested(number) for number in numbers]
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


async def test_an_event_names_the_facts_of_its_message() -> None:
    new, known, former, disputed = (
        replace(fact("lives_in", "Rome"), id=UUID(int=n), contradictions=n % 2) for n in range(1, 5)
    )
    ledger = Ledger({"m-2": MessageContribution((new,), (known,), (former,), (disputed,))})
    (outcome,) = await FactHandler(ledger, ManualClock(), NothingRead())("acme", [requested(2)])
    assert isinstance(outcome, Done)
    (found,) = outcome.events
    assert isinstance(found, FactsExtracted)
    assert set(found.fact_ids) == {new.id, known.id}
    assert (found.facts, found.contradictions) == (2, 1)
    named = (found.new, found.reinforced, found.superseded, found.disputed)
    assert named == ((new.id,), (known.id,), (former.id,), (disputed.id,))


class FailingLedger:
    """Refuses every decision with one error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def decide(self, *_: object, **__: object) -> bool:
        raise self._error


async def _ready() -> None:
    return None


@pytest.mark.parametrize(
    ("error", "code", "field", "reason"),
    [
        (NotTwoNames(), ErrorCode.INVALID_REQUEST, "names", "names must be two"),
        (
            UnknownNames({"Noa\n": ["Nora", "Noah"]}),
            ErrorCode.NOT_FOUND,
            "names",
            'known by "Noa ": did you mean "Nora" or "Noah"?',
        ),
        (UnknownNames({"x" * 90: []}), ErrorCode.NOT_FOUND, "names", f'known by "{"x" * 80}…"'),
        (RequestConflict(), ErrorCode.INVALID_REQUEST, "request_id", "was already used"),
        (NobodyKnown(), ErrorCode.NOT_FOUND, "user_id", "nothing is known"),
        (TooManyDecisions(), ErrorCode.INVALID_REQUEST, "names", "what is the most"),
    ],
)
async def test_a_decision_that_is_refused_says_why(
    error: Exception, code: ErrorCode, field: str, reason: str
) -> None:
    commands = FactCommands(
        ledger=cast("FactLedger", FailingLedger(error)),
        clock=ManualClock(),
        project_soon=lambda: None,
        ask_database=_ready,
    )
    with pytest.raises(RequestError) as raised:
        await commands.identify("acme", Identify(user_id="u", names=("Noa", "Nora"), same=True))
    shown = raised.value.body.error
    assert (shown.code, shown.field) == (code, field)
    assert reason in shown.message
    assert "\n" not in shown.message


SAID = "Mi chiamo Ida, vivo a Trani e ho un figlio Ivo."
READ = {
    "name": r"Mi chiamo (\w+)",
    "lives_in": r"vivo a (\w+)",
    "has_child": r"ho un figlio (\w+)",
    "has_pet": r"un gatto che si chiama (\w+)",
}
"""By predicate, how the object is found in the place of a reader."""


def chain(*texts: str) -> Utterance:
    """Return the last of messages each of which puts the one before it right, or is linked to it at least."""
    said: Utterance | None = None
    for n, text in enumerate(texts):
        said = Utterance(
            memory_id=UUID(int=n),
            message_id=f"m-{n}",
            user_id="u-1",
            role="user",
            speaker="",
            language="it",
            content=text,
            said_at=START + timedelta(minutes=n),
            corrects=said,
            reading=matches(text, READ),
        )
    assert said is not None
    return said


@pytest.fixture
async def reader() -> AsyncIterator[FactExtractor]:
    async with CpuExecutor() as thread:
        yield FactExtractor(thread)


class NondeterministicReader(FactExtractor):
    """A reader that knows what texts state, and that misses what it is told to."""

    nondeterministic = True

    def __init__(self, knows: dict[str, Sequence[Statement]]) -> None:
        self.knows = knows
        self.asked: list[list[str]] = []

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        self.asked.append([one.content for one in utterances])
        return [tuple(self.knows.get(one.content, ())) for one in utterances]


def statements_of(*statements: Statement) -> list[tuple[str, str, str]]:
    return [(one.predicate, one.object, one.polarity) for one in statements]


def statement(predicate: str, value: str, quote: str) -> Statement:
    return Statement("user", predicate, value, quote, (0, len(quote)))


async def test_a_clear_correction_replaces_what_was_wrong_and_nothing_else(reader: FactExtractor) -> None:
    (found,) = await read_statements(reader, [chain(SAID, "Scusa, Ruvo, non Trani")])
    assert statements_of(*found) == [("lives_in", "Ruvo", "holds"), ("lives_in", "Trani", "denied")]


@pytest.mark.parametrize("later", ["Scusa, volevo dire Ugo", "Oggi piove", "Scusa, volevo dire 12"])
async def test_what_does_not_say_what_was_wrong_leaves_the_facts(reader: FactExtractor, later: str) -> None:
    first, found = await read_statements(reader, [chain(SAID), chain(SAID, later)])
    assert len(first) == 3
    assert list(found) == []


async def test_an_unclear_correction_is_itself_put_right(reader: FactExtractor) -> None:
    unclear = "Scusa, volevo dire Ugo, vivo a Ruvo"
    (found,) = await read_statements(reader, [chain(SAID, unclear, "no anzi, Bitonto, non Ruvo")])
    assert statements_of(*found) == [("lives_in", "Bitonto", "holds"), ("lives_in", "Ruvo", "denied")]


async def test_a_reader_is_asked_once_and_not_for_what_is_kept() -> None:
    first, right = "Il tango mi ha stregato.", "Scusa, la salsa, non il tango"
    correction = chain(first, right)
    assert correction.corrects is not None
    reader = NondeterministicReader({})
    kept = {text_of(correction.corrects): [statement("likes", "tango", first)]}
    await read_statements(reader, [correction, chain("Oggi piove")], kept)
    (asked,) = reader.asked
    assert first not in asked
    assert len(asked) == len(set(asked))


async def test_what_a_reader_misses_the_second_time_is_not_taken_back() -> None:
    first = "Il tango mi ha stregato, sto a Trani."
    correction = chain(first, "Scusa, Ruvo, non Trani")
    former = [
        statement("likes", "tango", "Il tango mi ha stregato"),
        statement("lives_in", "Trani", "sto a Trani"),
    ]
    after = [statement("lives_in", "Ruvo", "sto a Ruvo")]
    reader = NondeterministicReader({first: former, first.replace("Trani", "Ruvo"): after})
    (found,) = await read_statements(reader, [correction])
    assert statements_of(*found) == [("lives_in", "Ruvo", "holds"), ("lives_in", "Trani", "denied")]


async def test_what_was_read_beside_what_is_put_right_stands(reader: FactExtractor) -> None:
    """The corrected text is not read anew: its reading goes on to stand where its words do."""
    said = "col judo con Marta a Trani ci si diverte"
    correction = chain(said, "Scusa, a Ruvo, non a Trani")
    assert correction.corrects is not None
    clause = 0, said.index(" ci si")
    read = ReadStatement(predicate="does", object=(4, 8), clause=clause, of="speaker", certainty=0.9)
    place = replace(read, predicate="lives_in", object=(21, 26), of="speaker")
    reading = replace(UNREAD, statements=(read, place))
    correction = replace(correction, corrects=replace(correction.corrects, reading=reading))
    (found,) = await read_statements(reader, [correction])
    assert statements_of(*found) == [("lives_in", "Ruvo", "holds"), ("lives_in", "Trani", "denied")]


async def test_each_message_is_read_in_its_own_words_too(reader: FactExtractor) -> None:
    correction = chain(SAID, "Scusa, Ruvo, non Trani. Ho un gatto che si chiama Pallino.")
    plain = replace(correction, corrects=None)
    (found,), (own,) = await read_statements(reader, [correction]), await read_statements(reader, [plain])
    assert list(found[: len(own)]) == list(own)
