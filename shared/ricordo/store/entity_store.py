"""Which names of a user's life mean one entity: what was decided, and what follows from it."""

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

_SQL = Database.queries("facts")
_BEINGS = sorted(BEINGS)
_MANY: Final = 200  # mentions whose comparison would keep the event loop for some milliseconds


class NotTwoNames(ValueError):
    """The two names of a decision are not two names: blank, too long, or the same but for spelling."""


class NobodyKnown(Exception):
    """Nothing is known of the user, or it was forgotten since: nobody's names can be decided about."""


class UnknownNames(LookupError):
    """Nobody of the user's life goes by one of the names, or by both.

    Attributes:
        meant: of each such name, as it was given, those that may be meant, the likeliest first.
    """

    def __init__(self, meant: Mapping[str, Sequence[str]]) -> None:
        super().__init__(f"nobody goes by {' or '.join(map(repr, meant))}")
        self.meant = meant


class TooManyDecisions(Exception):
    """The user has decided as much as one may."""


@dataclass(frozen=True, slots=True)
class ResolvedEvidence:
    """Evidence with resolved entities.

    Attributes:
        identities: whom the evidence mentions, that which is new included.
        evidence: what is new and counts, with canonical names.
        moved: the parts of what is known in which somebody has a say who now is somebody else, or was.
    """

    identities: EntityResolver
    evidence: Sequence[Evidence]
    moved: set[Partition]


@dataclass(frozen=True, slots=True)
class EntityStore:
    """Resolves the names of new evidence to entities, in the transaction that has written it.

    Attributes:
        beside: compares many names; None to do so on the event loop.
        doubting: whether what rules leave open is written down, for somebody who can be asked.
    """

    connection: Connection
    tenant: str
    user_id: str
    beside: CpuExecutor | None = None
    doubting: bool = False

    async def identify(
        self,
        known: EntityResolver | None,
        new: Sequence[Evidence],
        messages: Collection[str],
        *,
        replaced: bool,
    ) -> ResolvedEvidence:
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
        return ResolvedEvidence(known, list(filter(None, map(known.resolve, new))), touched)

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
            (identities,) = await self.beside.map(partial(EntityResolver, decisions=decided), [met])
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


@dataclass(frozen=True, slots=True)
class IdentityDecision:
    """Decides about two names, in the transaction that holds the lock of their user.

    Attributes:
        identifying: reads who is known.
        pair: the names, normalised and sorted.
    """

    identifying: EntityStore
    pair: tuple[str, str]

    async def is_known(self, request_id: str | None, *, same: bool | None) -> bool:
        """Whether a request has counted; remembers it.

        Raises:
            RequestConflict: it said something else then.
        """
        if request_id is None:
            return False
        said = json.dumps([request_id, *self.pair, same])
        ids = [uuid5(NAMESPACE_OID, one) for one in (request_id, said)]
        connection, tenant = self.identifying.connection, self.identifying.tenant
        new = await connection.fetch(_SQL["first_asked"], tenant, ids)
        if len(new) == 1:
            raise RequestConflict("this request has decided something else already")
        return not new

    async def check(self, names: tuple[str, str]) -> None:
        """Find out whether the user may decide about `names`, as they were given.

        Raises:
            UnknownNames: nobody goes by one of them, and nothing was decided about the two before.
            TooManyDecisions: the user has decided as much as one may.
        """
        if await self._fetch("is_decided"):
            return
        addressing = NameDirectory(await self.identifying.known())
        if unknown := addressing.unknown(names):
            beside = self.identifying.beside  # names are compared with all those there are
            meant = (
                map(addressing.meant, unknown)
                if beside is None
                else await beside.map(addressing.meant, unknown)
            )
            raise UnknownNames(dict(zip(unknown, meant, strict=True)))
        others = await self._fetch("other_decisions")
        if isinstance(others, int) and others >= MOST_DECISIONS:
            raise TooManyDecisions(f"this user has decided about {others} pairs of names")

    async def decide(self, *, same: bool | None, by: str, at: datetime | None = None) -> bool:
        """Write down what was decided at `at`, or now; returns whether that may have changed who is who."""
        return bool(await self._fetch("decide", same, by, at))

    async def decided(self) -> bool | None:
        """Return what the user has decided about the names; None for nothing, or that rules are to judge."""
        same = await self._fetch("decided")
        return None if same is None else bool(same)

    async def _fetch(self, name: str, *arguments: object) -> object:
        of = self.identifying.tenant, self.identifying.user_id
        return await self.identifying.connection.fetchval(_SQL[name], *of, *self.pair, *arguments)
