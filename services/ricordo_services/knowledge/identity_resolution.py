"""The last step of entity resolution: a language model decides pairs of names that rules leave open."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from pydantic import BaseModel

from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.ids import memory_id
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.models.llm.language_model import LanguageModel, Step
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
_AT_ONCE: Final = 500  # pairs of a tenant in a pass


class IdentityVerdict(StrEnum):
    """What a model says of a pair."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class VerdictAnswer(BaseModel, frozen=True):
    """The answer about a pair."""

    verdict: IdentityVerdict


IDENTITY: Final = Step("identity", VerdictAnswer, tokens=16)
_SAME: Final = {IdentityVerdict.SAME: True, IdentityVerdict.DIFFERENT: False}
_UNREADABLE: Final = "unreadable"
_WITHDRAWN: Final = "withdrawn"


def _mentions(fact: Fact, entity: Entity) -> bool:
    return entity.key in (normalise(fact.subject), normalise(fact.object))


def _statement(fact: Fact) -> str:
    """Return a fact as text for a model: subject, predicate, object, and the end of its validity."""
    until = "" if fact.valid_to is None else f" (until {fact.valid_to.date().isoformat()})"
    return f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}{until}"


@dataclass(frozen=True, slots=True)
class IdentityResolution:
    """Asks about unresolved pairs, one a call, the tenants in turn; events take precedence.

    A call contains one pair, so that instructions in messages affect that one only. One process at a time
    asks about a user. A pair that was not answered in time is asked last in the next pass, so that it does
    not block others.

    Attributes:
        project_soon: begins the projection of changed facts to the graph; nobody waits for its end.
    """

    ledger: FactLedger
    project_soon: Callable[[], None]
    model: LanguageModel
    tenants: Callable[[], Awaitable[Sequence[str]]]
    backlog: Backlog
    _counts: Counter[str] = field(default_factory=Counter, init=False)
    _late: set[tuple[str, UnresolvedPair]] = field(default_factory=set, init=False)

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts of pairs by verdict, of unreadable answers, and of pairs that were withdrawn."""
        return {name: self._counts[name] for name in (*map(str, IdentityVerdict), _UNREADABLE, _WITHDRAWN)}

    @property
    def problem(self) -> str:
        """What impairs it; empty for nothing."""
        reason = self.model.throttle.reason
        return f"what rules leave open of who is who waits: {reason}" if reason else ""

    async def run(self) -> None:
        """Ask about all unresolved pairs, until events are pending or the model is away.

        Raises:
            DependencyUnavailable: a store or the bus is unavailable; decisions are kept.
        """
        found = [
            (at, tenant, doubt)
            for tenant in await self.tenants()
            for at, doubt in enumerate(await self.ledger.unresolved_pairs(tenant, _AT_ONCE))
        ]
        pairs = [(tenant, doubt) for _, tenant, doubt in sorted(found)]
        self._late.intersection_update(pairs)
        for tenant, doubt in sorted(pairs, key=self._late.__contains__):
            if await self.backlog.waiting() or not await self._resolve(tenant, doubt):
                return

    async def _resolve(self, tenant: str, doubt: UnresolvedPair) -> bool:
        """Ask about a pair, and store the verdict; what is no pair of entities any more is dropped.

        Returns:
            Whether the model is up.
        """
        first, second = [await self._profile(tenant, doubt.user_id, key) for key in doubt.names]
        if first is None or second is None:
            await self.ledger.drop_pair(tenant, doubt)
            self._counts[_WITHDRAWN] += 1
            return True
        async with self.ledger.lease_pair(tenant, doubt) as is_open:
            if not is_open:
                return True
            try:
                given = {"first": first, "second": second}
                verdict: IdentityVerdict | None = (await self.model.ask(IDENTITY, given)).verdict
            except InvalidReply:
                verdict = None
            except ModelUnavailable:
                self._late.add((tenant, doubt))
                return not self.problem
            await self._decide(tenant, doubt, verdict)
        return True

    async def _profile(self, tenant: str, user_id: str, key: str) -> Mapping[str, object] | None:
        """Return an entity as a model is shown it; None if there is none with exactly that key any more.

        It is data, never an instruction. Its name has what distinguishes it from others: "Marco (brother)".
        Another entity with this alias may be a different person.
        """
        entity = await self.ledger.entity(tenant, user_id, key)
        if entity is None or entity.key != key:
            return None
        question = FactQuestion(user_id=user_id, entity=entity.key, history=True, limit=_READ)
        facts = [one for one in await self.ledger.facts(tenant, question) if _mentions(one, entity)][:_FACTS]
        return {
            "name": entity.name[:_NAME],
            "also_called": [alias[:_NAME] for alias in entity.aliases[:_ALIASES]],
            "facts": [_statement(fact)[:_FACT] for fact in facts],
            "quotes": [quote[:_QUOTE] for quote in await self._quotes(tenant, facts, entity)],
        }

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

    async def _decide(self, tenant: str, doubt: UnresolvedPair, verdict: IdentityVerdict | None) -> None:
        """Store a verdict; an unreadable or unsure one leaves the pair to the rules."""
        same = None if verdict is None else _SAME.get(verdict)
        by = f"model:{self.model.model}"
        await self.ledger.decide(tenant, doubt.user_id, doubt.names, same=same, by=by)
        self.project_soon()
        self._counts[_UNREADABLE if verdict is None else str(verdict)] += 1
