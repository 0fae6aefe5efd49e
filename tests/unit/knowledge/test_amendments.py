"""What a correction states by the message that it puts right, and what it takes back of that."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import pytest
from tests.support.factories import START, matches

from ricordo.language.reading import UNREAD, ReadStatement
from ricordo.memory.facts import Statement
from ricordo.memory.facts.utterances import Utterance
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.scheduling import CpuExecutor
from ricordo_services.knowledge.fact_handler import read_statements, text_of

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


@dataclass
class NondeterministicReader(FactExtractor):
    """A reader that knows what texts state, and that misses what it is told to."""

    knows: dict[str, Sequence[Statement]]
    asked: list[list[str]] = field(default_factory=list)
    nondeterministic = True

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        self.asked.append([one.content for one in utterances])
        return [tuple(self.knows.get(one.content, ())) for one in utterances]


def statements_of(*statements: Statement) -> list[tuple[str, str, str]]:
    return [(one.predicate, one.object, one.polarity) for one in statements]


def statement(predicate: str, value: str, quote: str) -> Statement:
    return Statement("user", predicate, value, quote, (0, len(quote)))


async def test_a_clear_correction_replaces_what_was_wrong_and_nothing_else(
    reader: FactExtractor,
) -> None:
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
