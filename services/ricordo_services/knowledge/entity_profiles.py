"""Profiles of two entities, for a model that decides whether they are the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.memory.facts import Entity, Fact, normalise
from ricordo.memory.llm_validation import LlmMessage
from ricordo.messages.ids import memory_id
from ricordo.models.ollama.entity_matching import EntityPair, EntityProfile
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion

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
            facts=_shown(map(_statement, facts), _FACT),
            quotes=_shown(await self._quotes(tenant, facts, entity), _QUOTE),
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


def _shown(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """Return truncated lines, without those that contain instructions to a model."""
    return tuple(line[:most] for line in lines if not LlmMessage(line, "").gives_orders)
