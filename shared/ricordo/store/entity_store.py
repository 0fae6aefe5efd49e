"""Which names in a user's messages mean one entity: decisions, and their consequences for the evidence."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

import asyncpg

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.kinship import BEINGS, Tie
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.entity_decisions import MOST_DECISIONS, EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver, kind_of, word_of
from ricordo.memory.facts.name_matching import NameDirectory, undecided_pairs
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import rows
from ricordo.store.database import Connection, Database

_SQL: Final = Database.queries("facts")
_BEINGS: Final = sorted(BEINGS)
_IDENTIFYING: Final = sorted(kind for kind in BEINGS if Tie(kind).identifies)
_MANY: Final = 200  # mentions whose comparison would block the event loop for some milliseconds


class NotTwoNames(ValueError):
    """The two names of a decision are not two names: blank, too long, or equal but for spelling."""


class NobodyKnown(Exception):
    """There is no evidence of the user, or it was forgotten since."""


class UnknownNames(LookupError):
    """One of the names, or both, name no entity of the user.

    Attributes:
        meant: by unknown name, entities that may be meant, the most likely first.
    """

    def __init__(self, meant: Mapping[str, Sequence[str]]) -> None:
        super().__init__(f"nobody goes by {' or '.join(map(repr, meant))}")
        self.meant = meant


class TooManyDecisions(Exception):
    """The user has the maximum number of decisions."""


class _KnownName(NamedTuple):
    """A mention as it is stored: `former_key` is that of the evidence that has it."""

    mention: EntityMention
    entity: str
    former_key: str


@dataclass(frozen=True, slots=True)
class EntityStore:
    """Keeps who the mentions of a user are, in the transaction that changes the evidence."""

    connection: Connection
    tenant: str
    user_id: str
    executor: CpuExecutor | None = None

    async def settle(
        self,
        new: Collection[EntityMention],
        gone: Collection[EntityMention],
        *,
        renamed: bool,
        doubtful: Collection[EntityMention] = (),
    ) -> Sequence[asyncpg.Record]:
        """Resolve mentions after evidence was stored or deleted, and rename those that mean another entity.

        Args:
            new: mentions that are not stored yet.
            gone: mentions in evidence that was deleted.
            renamed: whether decisions have changed.
            doubtful: mentions of which to record the pairs that may be one entity.

        Returns:
            The keys of statements that are about something else now, and of what they were about.
        """
        lost = await self._lose(gone) if gone else []
        if not (new or lost or renamed or doubtful):
            return ()
        decisions = await self._decisions()
        if renamed or doubtful or any(one.same for one in decisions):
            stored = await self._fetch("known_names")
        else:
            words = sorted({word_of(one) for one in (*new, *lost)} - {""})
            kinds = sorted({kind_of(one) for one in (*new, *lost)} - {""})
            stored = await self._fetch("names_near", words, kinds, _IDENTIFYING)
        known: dict[EntityMention, _KnownName] = {}
        for row in stored:
            one = EntityMention(row["name"], row["tie"])
            known[one] = _KnownName(one, row["entity"], row["entity_key"])
        for one in new:
            key = known[one].former_key if one in known else normalise(one.name)
            known[one] = _KnownName(one, "", key)
        resolver = await self._resolver(list(known), decisions)
        changed = [one for one in known.values() if one.mention in new or _differs(one, resolver)]
        moved = await self._save(changed, resolver)
        if doubtful and (pairs := undecided_pairs(resolver, doubtful)):
            await self._fetch("doubt", [first for first, _ in pairs], [second for _, second in pairs])
        return moved

    async def resolve_all(self) -> Sequence[asyncpg.Record]:
        """Resolve all evidence of a user whose mentions are not stored; return as `settle`."""
        said = await self._fetch("said_names", _BEINGS)
        known = [_KnownName(EntityMention(row["name"], row["tie"]), "", row["entity_key"]) for row in said]
        resolver = await self._resolver([one.mention for one in known], await self._decisions())
        moved = await self._save(known, resolver)
        await self._fetch("are_resolved")
        return moved

    async def known(self) -> EntityResolver:
        """Return the resolver of all mentions."""
        found = await self._fetch("known_names")
        mentions = [EntityMention(row["name"], row["tie"]) for row in found]
        return await self._resolver(mentions, await self._decisions())

    async def _lose(self, gone: Collection[EntityMention]) -> list[EntityMention]:
        names, ties = [one.name for one in gone], [one.tie for one in gone]
        found = await self._fetch("lose_names", names, ties, _BEINGS)
        return [EntityMention(row["name"], row["tie"]) for row in found]

    async def _decisions(self) -> list[EntityDecision]:
        return [
            EntityDecision(row["first"], row["second"], row["same"], firm=row["firm"])
            for row in await self._fetch("decisions")
        ]

    async def _resolver(
        self, mentions: Sequence[EntityMention], decisions: Sequence[EntityDecision]
    ) -> EntityResolver:
        if self.executor is None or len(mentions) < _MANY:
            return EntityResolver(mentions, decisions)
        (resolver,) = await self.executor.map(partial(EntityResolver, decisions=decisions), [mentions])
        return resolver

    async def _save(
        self, names: Collection[_KnownName], resolver: EntityResolver
    ) -> Sequence[asyncpg.Record]:
        if not names:
            return ()
        document = rows.recordset(
            {
                "name": one.mention.name,
                "tie": one.mention.tie,
                "word": word_of(one.mention),
                "kind": kind_of(one.mention),
                "entity": resolver.name(one.mention),
                "entity_key": resolver.key(one.mention),
                "former_key": one.former_key,
            }
            for one in names
        )
        return await self._fetch("save_names", document, _BEINGS)

    async def _fetch(self, name: str, *arguments: object) -> Sequence[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, self.user_id, *arguments)


def _differs(one: _KnownName, resolver: EntityResolver) -> bool:
    return (one.entity, one.former_key) != (resolver.name(one.mention), resolver.key(one.mention))


@dataclass(frozen=True, slots=True)
class IdentityDecision:
    """Decides about two names, in the transaction that holds the lock of their user."""

    entities: EntityStore
    pair: tuple[str, str]

    async def check(self, names: tuple[str, str]) -> None:
        """Check whether the user may decide about `names`, as they were given.

        Raises:
            UnknownNames: nobody goes by one of them, and there is no decision about the two.
            TooManyDecisions: the user has the maximum number of decisions.
        """
        if await self._fetch("is_decided"):
            return
        directory = NameDirectory(await self.entities.known())
        if unknown := [name for name in names if not directory.knows(name)]:
            executor = self.entities.executor  # names are compared with all others
            meant = map(directory.meant, unknown)
            found = meant if executor is None else await executor.map(directory.meant, unknown)
            raise UnknownNames(dict(zip(unknown, found, strict=True)))
        others = await self._fetch("other_decisions")
        if isinstance(others, int) and others >= MOST_DECISIONS:
            raise TooManyDecisions(f"this user has decided about {others} pairs of names")

    async def decide(self, *, same: bool | None, by: str, at: datetime | None = None) -> bool:
        """Write a decision of `at`, or now; returns whether it may change entities."""
        return bool(await self._fetch("decide", same, by, at))

    async def decided(self) -> bool | None:
        """Return the user's decision about the names; None for none, or if rules are to judge."""
        same = await self._fetch("decided")
        return None if same is None else bool(same)

    async def _fetch(self, name: str, *arguments: object) -> object:
        scope = self.entities.tenant, self.entities.user_id
        return await self.entities.connection.fetchval(_SQL[name], *scope, *self.pair, *arguments)
