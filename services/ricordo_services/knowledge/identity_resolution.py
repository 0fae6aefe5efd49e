"""The last step of finding who is who: a language model is asked where rules cannot say it."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

from ricordo.models.encoder import InvalidReply
from ricordo.models.ollama.entity_matching import EntityPair, MatchVerdict, OllamaEntityMatcher
from ricordo.models.throttle import Throttle, batched
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo_services.backpressure import Backlog
from ricordo_services.knowledge.entity_profiles import EntityProfiles
from ricordo_services.knowledge.graph_projector import GraphProjector

_AT_ONCE: Final = 50  # doubts of a tenant that are read at a time
_PAIRS: Final = 10  # in one call
_UNREADABLE: Final = "unreadable"
_WITHDRAWN: Final = "withdrawn"
_SAME: Final = {MatchVerdict.SAME: True, MatchVerdict.DIFFERENT: False}


class _Asked(NamedTuple):
    """What one is asked of a doubt."""

    doubt: UnresolvedPair
    pair: EntityPair


class _NotNow(Exception):
    """The model does not answer, or events wait: the next pass goes on."""


@dataclass(frozen=True, slots=True)
class IdentityResolution:
    """Asks about doubts, tenant by tenant, one call after the other; events go first.

    One call is about pairs of one user: whose messages speak to the model speaks of nobody else. Of several
    processes one at a time asks about a user; others go on to the next. A pair that got no answer in time is
    asked behind all others by the next pass, alone, so that it holds up nobody.

    Attributes:
        ask_graph: returns when the graph answers, and raises `GraphUnavailable` when it does not.
    """

    ledger: FactLedger
    follow: GraphProjector
    reader: OllamaEntityMatcher
    throttle: Throttle
    tenants: Callable[[], Awaitable[Sequence[str]]]
    backlog: Backlog
    ask_graph: Callable[[], Awaitable[None]]
    _counts: Counter[str] = field(default_factory=Counter, init=False)
    _late: dict[tuple[str, UnresolvedPair], None] = field(default_factory=dict, init=False)
    _elsewhere: set[tuple[str, UnresolvedPair]] = field(default_factory=set, init=False)

    @property
    def counters(self) -> Mapping[str, int]:
        """What it counts: pairs by verdict, answers that were none, doubts that were none any more."""
        return {name: self._counts[name] for name in (*map(str, MatchVerdict), _UNREADABLE, _WITHDRAWN)}

    @property
    def problem(self) -> str:
        """What hampers it, in words; empty for nothing."""
        reason = self.throttle.reason
        return f"what rules leave open of who is who waits: {reason}" if reason else ""

    async def run(self) -> None:
        """Ask about all that is open, some of each tenant in turn.

        Raises:
            DependencyUnavailable: a store, the graph or the bus is away; what was decided stays so.
        """
        seen: set[tuple[str, UnresolvedPair]] = set()
        self._elsewhere.clear()
        late = tuple(self._late)
        waiting = list(await self.tenants())
        try:
            while waiting:
                waiting = [tenant for tenant in waiting if await self._some(tenant, seen, late)]
            for tenant, doubt in late:
                await self._again(tenant, doubt, seen)
        except _NotNow:
            return

    async def _some(
        self, tenant: str, seen: set[tuple[str, UnresolvedPair]], late: Collection[tuple[str, UnresolvedPair]]
    ) -> bool:
        """Ask about some doubts of a tenant that are not late; returns whether there were any doubts."""
        # The oldest may be those that are late, or that others ask about: they must not hide the rest.
        limit = _AT_ONCE + len(self._late) + len(self._elsewhere)
        found = [
            one for one in await self.ledger.unresolved_pairs(tenant, limit) if (tenant, one) not in seen
        ]
        seen.update((tenant, one) for one in found)
        fresh = sorted(one for one in found if (tenant, one) not in late)
        if fresh:
            await self._yield_to_events()
        for _, doubts in groupby(fresh, key=lambda one: one.user_id):
            for portion in batched(await self._known(tenant, doubts), _shown, _PAIRS):
                await self._settle(tenant, portion)
        return bool(found)

    async def _again(
        self, tenant: str, doubt: UnresolvedPair, seen: Collection[tuple[str, UnresolvedPair]]
    ) -> None:
        """Ask alone about a doubt that was late before, where it is open still."""
        if (tenant, doubt) not in seen:
            self._late.pop((tenant, doubt), None)
            return
        await self._yield_to_events()
        known = await self._known(tenant, [doubt])
        if not known:
            self._late.pop((tenant, doubt), None)
            return
        await self._settle(tenant, known)

    async def _yield_to_events(self) -> None:
        """Go on where no events wait.

        Raises:
            _NotNow: some do.
        """
        if await self.backlog.waiting():
            raise _NotNow

    async def _known(self, tenant: str, doubts: Iterable[UnresolvedPair]) -> list[_Asked]:
        """Return what is known of each pair, and drop the doubts about those who are none any more."""
        profiles, asked, gone = EntityProfiles(self.ledger), [], []
        for doubt in doubts:
            pair = await profiles.pair(tenant, doubt)
            if pair is None:
                gone.append(doubt)
            else:
                asked.append(_Asked(doubt, pair))
        if gone:
            await self.ledger.drop_pairs(tenant, gone)
            self._counts[_WITHDRAWN] += len(gone)
        return asked

    async def _settle(self, tenant: str, portion: Sequence[_Asked]) -> None:
        """Ask about a portion, and decide what the model says.

        Raises:
            _NotNow: events wait, or the model is away: what it has not answered stays open.
        """
        await self._yield_to_events()
        await self.ask_graph()
        doubts = [one.doubt for one in portion]
        async with self.ledger.lease_pairs(tenant, doubts) as still_open:
            self._elsewhere.update((tenant, one) for one in doubts if one not in still_open)
            asked = [one for one in portion if one.doubt in still_open]
            answers = await self._answers(tenant, asked) if asked else {}
            for doubt, verdict in answers.items():
                await self._decide(tenant, doubt, verdict)
        if len(answers) < len(asked) and self.throttle.reason:
            raise _NotNow

    async def _answers(
        self, tenant: str, portion: Sequence[_Asked]
    ) -> dict[UnresolvedPair, MatchVerdict | None]:
        """Return what the model says of those of a portion that it answers: None for what is no answer."""
        unreadable: set[UnresolvedPair] = set()

        async def judge(asked: Sequence[_Asked]) -> Sequence[MatchVerdict | None]:
            keys = [(tenant, one.doubt) for one in asked]
            self._put_behind(keys)
            try:
                found = await self.reader.judge([one.pair for one in asked])
            except InvalidReply:
                self._answered(keys)
                if len(asked) == 1:
                    unreadable.add(asked[0].doubt)
                raise
            self._answered(keys)
            if len(asked) == 1 and found[0] is None:
                unreadable.add(asked[0].doubt)
            return found

        found = await self.throttle.each(iter([portion]), judge, self.throttle.deadline())
        return {
            one.doubt: verdict
            for one, verdict in zip(portion, found, strict=True)
            if verdict is not None or one.doubt in unreadable
        }

    def _put_behind(self, keys: Sequence[tuple[str, UnresolvedPair]]) -> None:
        self._answered(keys)
        self._late.update(dict.fromkeys(keys))
        while len(self._late) > _AT_ONCE:  # in a long outage: those are asked together with others again
            del self._late[next(iter(self._late))]

    def _answered(self, keys: Iterable[tuple[str, UnresolvedPair]]) -> None:
        for key in keys:
            self._late.pop(key, None)

    async def _decide(self, tenant: str, doubt: UnresolvedPair, verdict: MatchVerdict | None) -> None:
        """Decide what the model says; what is no answer leaves it to the rules, as an unsure one does."""
        same = None if verdict is None else _SAME.get(verdict)
        by = f"model:{self.reader.model}"
        decide = partial(self.ledger.decide, tenant, doubt.user_id, doubt.names, same=same, by=by)
        await self.follow(tenant, [doubt.user_id], decide)
        self._counts[_UNREADABLE if verdict is None else str(verdict)] += 1


def _shown(one: _Asked) -> str:
    return json.dumps([asdict(each) for each in one.pair], ensure_ascii=False)
