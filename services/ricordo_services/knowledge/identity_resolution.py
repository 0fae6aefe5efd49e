"""The last step of entity resolution: a language model decides pairs that rules leave open."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.ids import memory_id
from ricordo.models.encoder import InvalidReply
from ricordo.models.llm.entity_matching import EntityMatcher, EntityPair, EntityProfile, MatchVerdict
from ricordo.models.throttle import Throttle, batched
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.backpressure import Backlog

_READ: Final = 50  # facts that are read
_FACTS: Final = 8
_QUOTES: Final = 4
_ALIASES: Final = 8
_NAME: Final = 80  # characters that are shown, as in the two that follow
_FACT: Final = 160
_QUOTE: Final = 200


@dataclass(frozen=True, slots=True)
class EntityProfiles:
    """Builds profiles from facts."""

    ledger: FactLedger

    async def pair(self, tenant: str, doubt: UnresolvedPair) -> EntityPair | None:
        """Return the profiles of both names of `doubt`; None if one of them is no entity any more."""
        found = [await self._entity(tenant, doubt.user_id, key) for key in doubt.names]
        one, other = [
            None if entity is None else await self._profile(tenant, doubt.user_id, entity) for entity in found
        ]
        return None if one is None or other is None else EntityPair(one, other)

    async def _entity(self, tenant: str, user_id: str, key: str) -> Entity | None:
        """Return the entity with exactly that key: another one with this alias may be a different person."""
        entity = await self.ledger.entity(tenant, user_id, key)
        return entity if entity is not None and entity.key == key else None

    async def _profile(self, tenant: str, user_id: str, entity: Entity) -> EntityProfile:
        question = FactQuestion(user_id=user_id, entity=entity.key, history=True, limit=_READ)
        facts = [one for one in await self.ledger.facts(tenant, question) if _mentions(one, entity)][:_FACTS]
        return EntityProfile(
            name=entity.name[:_NAME],
            aliases=tuple(alias[:_NAME] for alias in entity.aliases[:_ALIASES]),
            facts=tuple(_statement(fact)[:_FACT] for fact in facts),
            quotes=tuple(quote[:_QUOTE] for quote in await self._quotes(tenant, facts, entity)),
        )

    async def _quotes(self, tenant: str, facts: Sequence[Fact], entity: Entity) -> list[str]:
        """Return the words of the latest message that supports each fact."""
        messages = dict.fromkeys(one.message_ids[-1] for one in facts if one.message_ids)
        memories = [memory_id(tenant, message_id) for message_id in messages]
        evidence = await self.ledger.evidence_of_memories(tenant, memories) if memories else {}
        names = {entity.key, *map(normalise, (entity.name, *entity.aliases))}
        quotes = [
            quote
            for one in memories
            if one in evidence
            for row, quote in zip(evidence[one].evidence, evidence[one].quotes, strict=True)
            if not names.isdisjoint((normalise(row.subject), normalise(row.object)))
        ]
        return list(dict.fromkeys(quotes))[:_QUOTES]


def _mentions(fact: Fact, entity: Entity) -> bool:
    return entity.key in (normalise(fact.subject), normalise(fact.object))


def _statement(fact: Fact) -> str:
    """Return a fact as text for a model: subject, predicate, object, and the end of its validity."""
    until = "" if fact.valid_to is None else f" (until {fact.valid_to.date().isoformat()})"
    return f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}{until}"


_AT_ONCE: Final = 50  # doubts of a tenant that are read at a time
_PAIRS: Final = 10  # in one call
_UNREADABLE: Final = "unreadable"
_WITHDRAWN: Final = "withdrawn"
_SAME: Final = {MatchVerdict.SAME: True, MatchVerdict.DIFFERENT: False}


class _Asked(NamedTuple):
    """An unresolved pair with its profiles."""

    doubt: UnresolvedPair
    pair: EntityPair


class _NotNow(Exception):
    """The model does not answer, or events are pending: the next pass continues."""


@dataclass(frozen=True, slots=True)
class IdentityResolution:
    """Asks about unresolved pairs, tenant by tenant, one call after the other; events take precedence.

    One call contains pairs of one user, so that instructions in messages affect only their own user. One
    process at a time asks about a user; others go on to the next. A pair without an answer in time is asked
    last and alone in the next pass, so that it does not block others.

    Attributes:
        project_soon: begins the projection of changed facts to the graph; nobody waits for its end.
    """

    ledger: FactLedger
    project_soon: Callable[[], None]
    reader: EntityMatcher
    throttle: Throttle
    tenants: Callable[[], Awaitable[Sequence[str]]]
    backlog: Backlog
    _counts: Counter[str] = field(default_factory=Counter, init=False)
    _late: dict[tuple[str, UnresolvedPair], None] = field(default_factory=dict, init=False)
    _elsewhere: set[tuple[str, UnresolvedPair]] = field(default_factory=set, init=False)

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts of pairs by verdict, of unreadable answers, and of pairs that were withdrawn."""
        return {name: self._counts[name] for name in (*map(str, MatchVerdict), _UNREADABLE, _WITHDRAWN)}

    @property
    def problem(self) -> str:
        """What impairs it; empty for nothing."""
        reason = self.throttle.reason
        return f"what rules leave open of who is who waits: {reason}" if reason else ""

    async def run(self) -> None:
        """Ask about all unresolved pairs, some of each tenant in turn.

        Raises:
            DependencyUnavailable: a store or the bus is unavailable; decisions are kept.
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
        """Ask about some pairs of a tenant that are not late; return whether there were any pairs."""
        # The oldest may be late, or leased by others: they must not hide the rest.
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
        """Ask alone about a late pair, if it is still open."""
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
        """Return if no events are pending.

        Raises:
            _NotNow: there are some.
        """
        if await self.backlog.waiting():
            raise _NotNow

    async def _known(self, tenant: str, doubts: Iterable[UnresolvedPair]) -> list[_Asked]:
        """Return the pairs with their profiles, and drop those that are no entities any more."""
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
        """Ask about a batch, and store the verdicts.

        Raises:
            _NotNow: events are pending, or the model is unavailable: unanswered pairs stay open.
        """
        await self._yield_to_events()
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
        """Return the verdicts of the answered pairs of a batch; None for an unreadable answer."""
        unreadable: set[UnresolvedPair] = set()

        async def judge(asked: Sequence[_Asked]) -> Sequence[MatchVerdict | None]:
            keys = [(tenant, one.doubt) for one in asked]
            self._defer(keys)
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

    def _defer(self, keys: Sequence[tuple[str, UnresolvedPair]]) -> None:
        self._answered(keys)
        self._late.update(dict.fromkeys(keys))
        while len(self._late) > _AT_ONCE:  # in a long outage: the oldest are asked together with others again
            del self._late[next(iter(self._late))]

    def _answered(self, keys: Iterable[tuple[str, UnresolvedPair]]) -> None:
        for key in keys:
            self._late.pop(key, None)

    async def _decide(self, tenant: str, doubt: UnresolvedPair, verdict: MatchVerdict | None) -> None:
        """Store a verdict; an unreadable or unsure one leaves the pair to the rules."""
        same = None if verdict is None else _SAME.get(verdict)
        by = f"model:{self.reader.model}"
        await self.ledger.decide(tenant, doubt.user_id, doubt.names, same=same, by=by)
        self.project_soon()
        self._counts[_UNREADABLE if verdict is None else str(verdict)] += 1


def _shown(one: _Asked) -> str:
    return json.dumps([asdict(each) for each in one.pair], ensure_ascii=False)
