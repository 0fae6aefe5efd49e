"""What a user, or a model, decides about two names: whether it may count, and that it counts once."""

import json
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_OID, uuid5

from ricordo.memory.facts import MOST_DECISIONS, KnownNames
from ricordo.store.database import Database
from ricordo.store.identifying import Identifying
from ricordo.store.types.facts import OtherRequest
from ricordo.store.types.identity import TooManyDecisions, UnknownNames

_SQL = Database.queries("facts")


@dataclass(frozen=True, slots=True)
class Deciding:
    """Decides about two names, in the transaction that holds the lock of their user.

    Attributes:
        identifying: reads who is known.
        pair: the names, normalised and sorted.
    """

    identifying: Identifying
    pair: tuple[str, str]

    async def is_known(self, request_id: str | None, *, same: bool | None) -> bool:
        """Whether a request has counted; remembers it.

        Raises:
            OtherRequest: it said something else then.
        """
        if request_id is None:
            return False
        said = json.dumps([request_id, *self.pair, same])
        ids = [uuid5(NAMESPACE_OID, one) for one in (request_id, said)]
        connection, tenant = self.identifying.connection, self.identifying.tenant
        new = await connection.fetch(_SQL["first_asked"], tenant, ids)
        if len(new) == 1:
            raise OtherRequest("this request has decided something else already")
        return not new

    async def check(self, names: tuple[str, str]) -> None:
        """Find out whether the user may decide about `names`, as they were given.

        Raises:
            UnknownNames: nobody goes by one of them, and nothing was decided about the two before.
            TooManyDecisions: the user has decided as much as one may.
        """
        if await self._fetch("is_decided"):
            return
        addressing = KnownNames(await self.identifying.known())
        if unknown := addressing.unknown(names):
            beside = self.identifying.beside  # names are compared with all those there are
            meant = (
                map(addressing.meant, unknown)
                if beside is None
                else await beside.each(addressing.meant, unknown)
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
