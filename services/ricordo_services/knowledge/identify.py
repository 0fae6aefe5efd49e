"""The last step of finding who is who: a language model is asked where rules cannot say it."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from ricordo.ports.describing import Nonsense
from ricordo.ports.graph import FactGraph
from ricordo.ports.identity import Doubt, IdentityReader, KnowledgeLedger, Pair, Verdict
from ricordo.runtime.measured import Measure
from ricordo_services.following import Backlog
from ricordo_services.knowledge.acquaintances import Acquaintances
from ricordo_services.knowledge.projecting import projecting

_AT_ONCE: Final = 50  # doubts of a tenant that are read at a time
_PAIRS: Final = 10  # in one call
_BYTES: Final = 9_000  # of what is shown in one call, unless it is one pair: some 3,000 tokens
_UNREADABLE: Final = "unreadable"
_WITHDRAWN: Final = "withdrawn"
_SAME: Final = {Verdict.SAME: True, Verdict.DIFFERENT: False}


class _Asked(NamedTuple):
    """What one is asked of a doubt."""

    doubt: Doubt
    pair: Pair


class _NotNow(Exception):
    """The model does not answer, or events wait: the next pass goes on."""


@dataclass(frozen=True, slots=True)
class IdentifyByModel:
    """Asks about doubts, tenant by tenant, one call after the other; events go first.

    One call is about pairs of one user: whose messages speak to the model speaks of nobody else.

    Attributes:
        ledger: holds doubts and decisions.
        graph: follows what is decided.
        reader: the model.
        measure: in what measure it is asked.
        tenants: gives all tenants.
        backlog: the events that knowledge has before it.
        ask_graph: returns when the graph answers, and raises `GraphUnavailable` when it does not.
    """

    ledger: KnowledgeLedger
    graph: FactGraph
    reader: IdentityReader
    measure: Measure
    tenants: Callable[[], Awaitable[Sequence[str]]]
    backlog: Backlog
    ask_graph: Callable[[], Awaitable[None]]
    _counts: Counter[str] = field(default_factory=Counter, init=False)

    @property
    def figures(self) -> Mapping[str, int]:
        """What it counts: pairs by verdict, answers that were none, doubts that were none any more."""
        return {name: self._counts[name] for name in (*map(str, Verdict), _UNREADABLE, _WITHDRAWN)}

    @property
    def trouble(self) -> str:
        """What hampers it, in words; empty for nothing."""
        reason = self.measure.reason
        return f"what rules leave open of who is who waits: {reason}" if reason else ""

    async def run(self) -> None:
        """Ask about all that is open, some of each tenant in turn.

        Raises:
            Unavailable: a store, the graph or the bus is away; what was decided stays so.
        """
        seen: set[tuple[str, Doubt]] = set()
        waiting = list(await self.tenants())
        try:
            while waiting:
                waiting = [tenant for tenant in waiting if await self._some(tenant, seen)]
        except _NotNow:
            return

    async def _some(self, tenant: str, seen: set[tuple[str, Doubt]]) -> bool:
        """Ask about some doubts of a tenant; returns whether there were any."""
        found = [one for one in await self.ledger.doubts(tenant, _AT_ONCE) if (tenant, one) not in seen]
        seen.update((tenant, one) for one in found)
        for _, doubts in groupby(sorted(found), key=lambda one: one.user_id):
            for portion in _portions(await self._known(tenant, doubts)):
                await self._settle(tenant, portion)
        return bool(found)

    async def _known(self, tenant: str, doubts: Iterable[Doubt]) -> list[_Asked]:
        """Return what is known of each pair, and drop the doubts about those who are none any more."""
        acquaintances, asked, gone = Acquaintances(self.ledger), [], []
        for doubt in doubts:
            pair = await acquaintances.pair(tenant, doubt)
            if pair is None:
                gone.append(doubt)
            else:
                asked.append(_Asked(doubt, pair))
        if gone:
            await self.ledger.withdraw(tenant, gone)
            self._counts[_WITHDRAWN] += len(gone)
        return asked

    async def _settle(self, tenant: str, portion: Sequence[_Asked]) -> None:
        """Ask about a portion, and decide what the model says.

        Raises:
            _NotNow: of one it was not asked, or has not answered: that stays open.
        """
        if await self.backlog.waiting():
            raise _NotNow
        await self.ask_graph()
        answers = await self._answers(portion)
        for doubt, verdict in answers.items():
            await self._decide(tenant, doubt, verdict)
        if len(answers) < len(portion):
            raise _NotNow

    async def _answers(self, portion: Sequence[_Asked]) -> dict[Doubt, Verdict | None]:
        """Return what the model says of those of a portion that it was asked: None for what is no answer."""
        unreadable: set[Doubt] = set()

        async def judge(asked: Sequence[_Asked]) -> Sequence[Verdict | None]:
            try:
                return await self.reader.judge([one.pair for one in asked])
            except Nonsense:
                if len(asked) == 1:
                    unreadable.add(asked[0].doubt)
                raise

        found = await self.measure.each(iter([portion]), judge, self.measure.deadline())
        return {
            one.doubt: verdict
            for one, verdict in zip(portion, found, strict=True)
            if verdict is not None or one.doubt in unreadable
        }

    async def _decide(self, tenant: str, doubt: Doubt, verdict: Verdict | None) -> None:
        """Decide what the model says; what is no answer leaves it to the rules, as an unsure one does."""
        project = projecting(self.graph, tenant)
        same = None if verdict is None else _SAME.get(verdict)
        by = f"model:{self.reader.model}"
        await self.ledger.decide(tenant, doubt.user_id, doubt.names, project, same=same, by=by)
        self._counts[_UNREADABLE if verdict is None else str(verdict)] += 1


def _portions(asked: Sequence[_Asked]) -> Iterator[Sequence[_Asked]]:
    """Yield as many at once as one call takes."""
    portion: list[_Asked] = []
    size = 0
    for one in asked:
        shown = json.dumps([asdict(each) for each in one.pair], ensure_ascii=False)
        own = len(shown.encode("utf-8", "replace"))
        if portion and (len(portion) == _PAIRS or size + own > _BYTES):
            yield portion
            portion, size = [], 0
        portion.append(one)
        size += own
    if portion:
        yield portion
