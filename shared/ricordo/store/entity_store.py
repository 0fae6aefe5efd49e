"""Which names in a user's messages mean one entity: decisions, and their consequences for the evidence."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import NAMESPACE_OID, uuid5

import asyncpg

from ricordo.memory.facts import (
    BEINGS,
    MOST_DECISIONS,
    EntityDecision,
    EntityMention,
    EntityResolver,
    Evidence,
    NameDirectory,
    Partition,
    ReassignedMention,
    mentioned_beings,
    mentions_of,
    normalise,
    partitions_for,
    undecided_pairs,
)
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import rows
from ricordo.store.database import Connection, Database, RequestConflict

_SQL: Final = Database.queries("facts")
_BEINGS: Final = sorted(BEINGS)
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


@dataclass(frozen=True, slots=True)
class ResolvedEvidence:
    """Evidence with resolved entities.

    Attributes:
        moved: the parts of the facts in which a mention now means another entity.
    """

    identities: EntityResolver
    evidence: Sequence[Evidence]
    moved: set[Partition]


@dataclass(frozen=True, slots=True)
class EntityStore:
    """Resolves the names of new evidence to entities, in the transaction that has written it."""

    connection: Connection
    tenant: str
    user_id: str
    executor: CpuExecutor | None = None
    record_doubts: bool = False

    async def resolve(
        self,
        known: EntityResolver | None,
        new: Sequence[Evidence],
        messages: Collection[str],
        *,
        replaced: bool,
    ) -> ResolvedEvidence:
        """Resolve the mentions in `new`, and rename those that mean another entity since.

        Args:
            replaced: whether evidence was removed, or decisions have changed, since the names were resolved.
        """
        mentions = list(dict.fromkeys(mention for row in new for mention in mentions_of(row)))
        if known is None or replaced:
            known, moved = await self._read(mentions, messages, replaced=replaced)
        else:
            moved = known.add(mentions)
        touched = await self._rename(moved, None) if moved else set()
        renamed = {(one.name, one.tie) for one in moved}
        beings = dict.fromkeys(mention for row in new for mention in mentioned_beings(row))
        others = [_reassigned(one, known) for one in beings if one not in renamed]
        if aliases := [one for one in others if one.key != normalise(one.name)]:
            await self._rename(aliases, messages)
        if self.record_doubts and (pairs := undecided_pairs(known, mentions)):
            await self._fetch("doubt", [first for first, _ in pairs], [second for _, second in pairs])
        return ResolvedEvidence(known, list(filter(None, map(known.resolve, new))), touched)

    async def known(self) -> EntityResolver:
        """Return the resolver of all mentions."""
        identities, _ = await self._read((), (), replaced=False)
        return identities

    async def _read(
        self, mentions: Iterable[EntityMention], messages: Collection[str], *, replaced: bool
    ) -> tuple[EntityResolver, Sequence[ReassignedMention]]:
        """Read the mentions of other evidence, and return which mean another entity with `mentions`."""
        found = await self._fetch("mentions", _BEINGS, sorted(messages))
        decisions = [
            EntityDecision(row["first"], row["second"], row["same"], firm=row["firm"])
            for row in await self._fetch("decisions")
        ]
        earlier = [EntityMention(row["name"], row["tie"]) for row in found if row["tells"]]
        if self.executor is None or len(earlier) < _MANY:
            identities = EntityResolver(earlier, decisions)
        else:
            (identities,) = await self.executor.map(partial(EntityResolver, decisions=decisions), [earlier])
        moved = identities.add(mentions)
        if not replaced:
            return identities, moved
        keys = {(row["name"], row["tie"]): row["key"] for row in found}
        now = [_reassigned(EntityMention(name, tie), identities) for name, tie in keys]
        moved_since = [one for one in now if one.key != keys[one.name, one.tie]]
        return identities, list({*moved, *moved_since, *identities.dependent()})

    async def _rename(
        self, moved: Iterable[ReassignedMention], messages: Collection[str] | None
    ) -> set[Partition]:
        document = rows.recordset({"name": one.name, "tie": one.tie, "key": one.key} for one in moved)
        found = await self._fetch("rename", _BEINGS, document, None if messages is None else sorted(messages))
        return partitions_of_rows(found)

    async def _fetch(self, name: str, *arguments: object) -> Sequence[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, self.user_id, *arguments)


def partitions_of_rows(found: Iterable[asyncpg.Record]) -> set[Partition]:
    """Return the parts of the facts that rows of evidence contribute to."""
    return {
        part
        for row in found
        if row["predicate"]  # else the message states nothing
        for part in partitions_for(row["subject_key"], row["predicate"], row["object_key"])
    }


def _reassigned(mention: EntityMention, identities: EntityResolver) -> ReassignedMention:
    return ReassignedMention(mention.name, mention.tie, identities.key(mention))


@dataclass(frozen=True, slots=True)
class IdentityDecision:
    """Decides about two names, in the transaction that holds the lock of their user."""

    entities: EntityStore
    pair: tuple[str, str]

    async def is_repeated(self, request_id: str | None, *, same: bool | None) -> bool:
        """Whether a request was handled before; records it.

        Raises:
            RequestConflict: it had another content then.
        """
        if request_id is None:
            return False
        content = json.dumps([request_id, *self.pair, same])
        ids = [uuid5(NAMESPACE_OID, one) for one in (request_id, content)]
        connection, tenant = self.entities.connection, self.entities.tenant
        new = await connection.fetch(_SQL["record_request"], tenant, ids)
        if len(new) == 1:
            raise RequestConflict("this request has decided something else already")
        return not new

    async def check(self, names: tuple[str, str]) -> None:
        """Check whether the user may decide about `names`, as they were given.

        Raises:
            UnknownNames: nobody goes by one of them, and there is no decision about the two.
            TooManyDecisions: the user has the maximum number of decisions.
        """
        if await self._fetch("is_decided"):
            return
        directory = NameDirectory(await self.entities.known())
        if unknown := directory.unknown(names):
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
