"""Tells Ricordo and its peers the same messages and asks them the same questions, in alternation.

Portions of messages go to each contender in turn, and so do questions; who comes first rotates, so that the
load of the machine, which changes, affects all alike. Who fails is left out from then on.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final, TypeVar

from ricordo.client import MemoryClient
from ricordo.language.annotations import Role
from ricordo.machine import default_cache_folder
from ricordo.messages.events import MessageReceived
from ricordo.settings import Settings
from ricordo_lab.bench.embedding_bench import encode_all, ready_models
from ricordo_lab.bench.measurement import Stopwatch, latencies, rounded
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import MeasurementFailed, UnsuitableData, progress
from ricordo_lab.evaluation.locomo import Conversation
from ricordo_lab.evaluation.recall_data import read_conversations
from ricordo_lab.evaluation.replay import message_of
from ricordo_lab.evaluation.results import Miss, Row
from ricordo_lab.evaluation.retrieval_measures import Measured, mean, measure
from ricordo_lab.peers.contenders import Contender, RicordoContender, running
from ricordo_lab.peers.environments import PEERS

LIVES: Final = Path(__file__).parents[1] / "corpus" / "lives"
OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "--peer": {"action": "append", "metavar": "NAME[==VERSION]", "help": f"of {', '.join(PEERS)} (all)"},
    "--dir": {"type": Path, "metavar": "DIR", "help": "where peers are installed (the user's cache folder)"},
    "--portion": {"type": int, "default": 200, "metavar": "N", "help": "messages told in one go (200)"},
    "--echoes": {"type": int, "default": 1000, "metavar": "N", "help": "recalls that are fed back (1000)"},
}
_ECHOES: Final = 50  # recalled before they are fed back
_LONGEST_ECHO: Final = 1000  # characters of a message of an assistant
_ALONE: Final = 640  # texts that the model alone encodes
_TOLD_EVERY: Final = 100  # questions
_WARM_UP: Final = "warm-up"

T = TypeVar("T")


Asked = tuple[str, str, frozenset[str]]
"""A user, a question, and the ids of the messages that answer it."""


@dataclass(slots=True)
class Record:
    """What was measured of a contender.

    Attributes:
        memory_mb: the most that was seen.
        measured: the answers of the last time that all was asked, as `search_ms` has their times.
        held: how much it held, and how well it recalled it, at each look.
    """

    contender: Contender
    add_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    search_ms: list[float] = field(default_factory=list)
    measured: list[Measured] = field(default_factory=list)
    held: list[Mapping[str, float]] = field(default_factory=list)

    async def add(self, messages: Sequence[MessageReceived]) -> None:
        """Time the addition of messages."""
        began = time.perf_counter()
        await self.contender.add(messages)
        self.add_s += time.perf_counter() - began
        await self.note_memory()

    async def search(self, question: Asked) -> None:
        """Time and measure an answer."""
        user_id, query, evidence = question
        began = time.perf_counter()
        hits = await self.contender.search(user_id, query)
        self.search_ms.append(1000 * (time.perf_counter() - began))
        self.measured.append(measure([source for source, _ in hits], evidence))

    async def note_cpu(self, sign: int) -> None:
        """Add what all processes have spent so far, or subtract it at the beginning."""
        self.cpu_s += sign * sum(self.contender.tree.cpu_s().values())

    async def note_memory(self) -> None:
        """Look at the memory of all processes."""
        self.memory_mb = max(self.memory_mb, sum(self.contender.tree.memory_mb().values()))

    def recall(self) -> Mapping[str, float]:
        """Return the mean share of the evidence among the first five and ten."""
        found = mean(self.measured)
        return {f"R@{cutoff}": round(found.at(cutoff), 3) for cutoff in (5, 10)}

    async def note_held(self, users: Sequence[str]) -> None:
        """Look at how much it holds of some users, and how well it recalls it."""
        self.held.append({**await self.contender.count(users), **self.recall()})


def portions(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield so many items at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def rotated(items: Sequence[T], turn: int) -> Sequence[T]:
    """Return the items, begun with another one each turn."""
    first = turn % len(items) if items else 0
    return [*items[first:], *items[:first]]


class Comparison:
    """An alternating run.

    Attributes:
        records: of the contenders that have not failed; without the first there is nothing to compare.
        failures: what is told of the others.
    """

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self.records: list[Record] = []
        self.failures: list[Miss] = []
        self.messages = [message_of(one, turn) for one in conversations for turn in one.turns]
        self._last = {message.user_id: message.timestamp for message in self.messages}
        self._questions = [
            (one.id, question.text, frozenset(f"{one.id}/{turn}" for turn in question.evidence))
            for one in conversations
            for question in one.questions
        ]

    def leave_out(self, name: str, failure: MeasurementFailed) -> None:
        """Go on without a peer."""
        progress(f"ricordo: {name} is left out: {failure}")
        self.records = [record for record in self.records if record.contender.name != name]
        self.failures.append(Miss({"left out": name, "because": str(failure)}))

    async def _each(self, turn: int, work: Callable[[Record], Awaitable[None]]) -> None:
        for record in rotated(self.records, turn):
            try:
                await work(record)
            except MeasurementFailed as failure:
                if record is self.records[0]:
                    raise
                self.leave_out(record.contender.name, failure)

    async def tell(self, size: int) -> None:
        """Tell all messages in portions, after one that makes each contender load what it needs."""
        same = dict.fromkeys(("id", "user_id", "conversation_id"), _WARM_UP)
        first = self.messages[0].model_copy(update=same)

        async def warm_up(record: Record) -> None:
            await record.contender.add([first])
            await record.contender.search(_WARM_UP, first.content)
            await record.note_cpu(-1)

        await self._each(0, warm_up)
        for number, portion in enumerate(portions(self.messages, size)):
            progress(f"  telling {number * size + len(portion)} of {len(self.messages)} messages")
            await self._each(number, partial(Record.add, messages=portion))
        await self._each(0, partial(Record.note_cpu, sign=1))

    async def ask(self) -> None:
        """Ask all questions; figures of an earlier time are dropped."""
        for record in self.records:
            record.search_ms, record.measured = [], []
        for number, question in enumerate(self._questions, 1):
            await self._each(number, partial(Record.search, question=question))
            if number % _TOLD_EVERY == 0:
                progress(f"  asked {number} of {len(self._questions)}")
                await self._each(0, Record.note_memory)
        await self._each(0, partial(Record.note_held, users=[*self._last]))

    def rows(self) -> Iterator[Row]:
        """Yield the versions, and what was measured of each contender."""
        for record in self.records:
            yield Row(table="versions", name=record.contender.name, packages=record.contender.versions)
        for record in self.records:
            yield Row(
                table="beside peers",
                name=record.contender.name,
                messages_per_s=rounded(len(self.messages) / record.add_s),
                of_first=rounded(self.records[0].add_s / record.add_s),
                cpu_ms=rounded(1000 * record.cpu_s / len(self.messages)),
                **latencies(record.search_ms),
                **record.recall(),
                memory_mb=round(record.memory_mb),
            )

    async def echo(self, count: int, *, marked: bool) -> list[Row]:
        """Feed so many recalls back as messages of the assistant, and tell what grew and what was lost.

        Args:
            marked: feed back what contenders hand out for a prompt; else bare text, to those that mark it.
        """
        if not marked:
            self.records = [record for record in self.records if record.contender.marks]
        asked = list(islice(cycle(self._questions), count))
        for number, some in enumerate(portions(asked, _ECHOES)):
            progress(f"  feeding back {number * _ECHOES + len(some)} of {count} recalls")
            await self._each(number, partial(self._feed, number * _ECHOES, some, marked=marked))
        await self.ask()
        return [
            Row(
                table=f"{count} recalls fed back",
                name=record.contender.name,
                fed_back="as handed out" if marked else "bare text",
                **{key: f"{value} → {record.held[-1][key]}" for key, value in record.held[-2].items()},
            )
            for record in self.records
        ]

    async def _feed(self, first: int, some: Sequence[Asked], record: Record, *, marked: bool) -> None:
        said = []
        for place, (user_id, query, _) in enumerate(some, first + 1):
            if marked:
                text = await record.contender.prompt(user_id, query)
            else:
                text = "\n".join(text for _, text in await record.contender.search(user_id, query))
            if text:
                said.append(self._echoed(f"echo-{marked:d}-{place}", user_id, text, place))
        await record.contender.add(said)

    def _echoed(self, message_id: str, user_id: str, text: str, minutes: int) -> MessageReceived:
        return MessageReceived(
            id=message_id,
            user_id=user_id,
            conversation_id=f"{user_id}-echo",
            role=Role.ASSISTANT,
            content=text[:_LONGEST_ECHO],
            timestamp=self._last[user_id] + timedelta(minutes=minutes),
        )


def run(asked: argparse.Namespace) -> Iterator[Row | Miss]:
    """Yield all tables as soon as they are known, and who was left out.

    Raises:
        UnsuitableData: a peer is not known.
        MeasurementFailed: Ricordo itself does not start.
    """
    chosen = [words.partition("==") for words in asked.peer or PEERS]
    if unknown := [name for name, _, _ in chosen if name not in PEERS]:
        raise UnsuitableData(f"there is no peer {', '.join(unknown)[:40]!r}: {', '.join(PEERS)}")
    versions = {name: version for name, _, version in chosen}
    results = _compare(asked, versions, read_conversations(asked.data))

    async def following() -> Row | Miss | None:
        return await anext(results, None)

    with asyncio.Runner() as runner:
        while (result := runner.run(following())) is not None:
            yield result


async def _compare(
    asked: argparse.Namespace, versions: Mapping[str, str], conversations: Sequence[Conversation]
) -> AsyncIterator[Row | Miss]:
    comparison = Comparison(conversations)
    async with AsyncExitStack() as exits:
        folder = exits.enter_context(scratch())
        system = await exits.enter_async_context(up(folder))
        client = await exits.enter_async_context(MemoryClient.connect(system.nats))
        comparison.records.append(Record(RicordoContender(system, client)))
        for name, version in versions.items():
            packages = PEERS[name].in_version(version) if version else PEERS[name]
            peer = running(name, packages, asked.dir or default_cache_folder() / "peers", folder.parent)
            try:
                comparison.records.append(Record(await exits.enter_async_context(peer)))
            except MeasurementFailed as failure:
                comparison.leave_out(name, failure)
        await comparison.tell(max(1, asked.portion))
        await comparison.ask()
        for row in (*comparison.rows(), await _model_share(comparison)):
            yield row
        for marked in (True, False) if asked.echoes > 0 else ():
            for row in await comparison.echo(asked.echoes, marked=marked):
                yield row
    for miss in comparison.failures:
        yield miss


async def _model_share(comparison: Comparison) -> Row:
    """Return what encoding the same texts alone takes of the processor time of a message of Ricordo's."""
    settings, step = Settings().embedding, max(1, len(comparison.messages) // _ALONE)
    texts = [message.content for message in comparison.messages[::step]]
    async with ready_models(settings) as models:
        await encode_all(models.batch, texts[:_ECHOES], settings)
        with (alone := Stopwatch()):
            await encode_all(models.batch, texts, settings)
    whole = 1000 * comparison.records[0].cpu_s / len(comparison.messages)
    encoding = 1000 * alone.cpu / len(texts)
    shares = {"cpu_ms": rounded(whole), "encoding_alone_ms": rounded(encoding)}
    return Row(table="a message of ricordo's", name="ricordo", **shares, share=rounded(encoding / whole))
