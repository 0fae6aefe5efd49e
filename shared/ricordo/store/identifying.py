"""Who is meant in new evidence of a user, and what becomes of former evidence when that changes.

Evidence is kept in the words that were said. The keys beside them follow from all mentions of the user and
what was decided about them (`domain.facts.identities`): a new one may merge two entities, or tell two apart.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import asyncpg

from ricordo.memory.facts import (
    BEINGS,
    EntityDecision,
    EntityMention,
    EntityResolver,
    Evidence,
    Partition,
    ReassignedMention,
    mentioned_beings,
    mentions_of,
    normalise,
    partitions_for,
    undecided_pairs,
)
from ricordo.store import rows
from ricordo.store.beside import Beside
from ricordo.store.database import Connection, Database

_SQL = Database.queries("facts")
_BEINGS = sorted(BEINGS)
_MANY: Final = 200  # mentions whose comparison would keep the event loop for some milliseconds


@dataclass(frozen=True, slots=True)
class Identified:
    """What was found.

    Attributes:
        identities: whom the evidence mentions, that which is new included.
        evidence: what is new and counts, with canonical names.
        moved: the parts of what is known in which somebody has a say who now is somebody else, or was.
    """

    identities: EntityResolver
    evidence: Sequence[Evidence]
    moved: set[Partition]


@dataclass(frozen=True, slots=True)
class Identifying:
    """Finds who is meant, in the transaction that has kept the evidence.

    Attributes:
        beside: compares many names; None to do so on the event loop.
        doubting: whether what rules leave open is written down, for somebody who can be asked.
    """

    connection: Connection
    tenant: str
    user_id: str
    beside: Beside | None = None
    doubting: bool = False

    async def identify(
        self,
        known: EntityResolver | None,
        new: Sequence[Evidence],
        messages: Collection[str],
        *,
        replaced: bool,
    ) -> Identified:
        """Find who is meant in `new`, and rename those who are somebody else since.

        Args:
            known: those who were mentioned before, if that is remembered.
            new: evidence that was kept under the words that were said.
            messages: those which say it.
            replaced: whether evidence has gone, or decisions have changed, since what is there was named.
        """
        mentions = list(dict.fromkeys(mention for row in new for mention in mentions_of(row)))
        if known is None or replaced:
            known, moved = await self._read(mentions, messages, replaced=replaced)
        else:
            moved = known.add(mentions)
        touched = await self._rename(moved, None) if moved else set()
        renamed = {(one.name, one.tie) for one in moved}
        spoken = dict.fromkeys(mention for row in new for mention in mentioned_beings(row))
        others = [_of(one, known) for one in spoken if one not in renamed]
        if aliases := [one for one in others if one.key != normalise(one.name)]:
            await self._rename(aliases, messages)
        if self.doubting and (pairs := undecided_pairs(known, mentions)):
            await self._fetch("doubt", [first for first, _ in pairs], [second for _, second in pairs])
        return Identified(known, list(filter(None, map(known.resolve, new))), touched)

    async def known(self) -> EntityResolver:
        """Return those whom all evidence mentions."""
        identities, _ = await self._read((), (), replaced=False)
        return identities

    async def _read(
        self, mentions: Iterable[EntityMention], messages: Collection[str], *, replaced: bool
    ) -> tuple[EntityResolver, Sequence[ReassignedMention]]:
        """Read whom other evidence mentions, and return who is somebody else with `mentions`."""
        found = await self._fetch("mentions", _BEINGS, sorted(messages))
        decided = [
            EntityDecision(row["first"], row["second"], row["same"], firm=row["firm"])
            for row in await self._fetch("decisions")
        ]
        met = [EntityMention(row["name"], row["tie"]) for row in found if row["tells"]]
        if self.beside is None or len(met) < _MANY:
            identities = EntityResolver(met, decided)
        else:
            (identities,) = await self.beside.each(partial(EntityResolver, decisions=decided), [met])
        moved = identities.add(mentions)
        if not replaced:
            return identities, moved
        keys = {(row["name"], row["tie"]): row["key"] for row in found}
        now = [_of(EntityMention(name, tie), identities) for name, tie in keys]
        moved_since = [one for one in now if one.key != keys[one.name, one.tie]]
        return identities, list({*moved, *moved_since, *identities.dependent()})

    async def _rename(
        self, moved: Iterable[ReassignedMention], messages: Collection[str] | None
    ) -> set[Partition]:
        document = rows.recordset({"name": one.name, "tie": one.tie, "key": one.key} for one in moved)
        only = None if messages is None else sorted(messages)
        return {
            part
            for row in await self._fetch("rename", _BEINGS, document, only)
            for part in partitions_for(row["subject_key"], row["predicate"], row["object_key"])
        }

    async def _fetch(self, name: str, *arguments: object) -> Sequence[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, self.user_id, *arguments)


def _of(mention: EntityMention, identities: EntityResolver) -> ReassignedMention:
    return ReassignedMention(mention.name, mention.tie, identities.key(mention))
