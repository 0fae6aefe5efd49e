"""Readings that the user has rejected: they are evidence no more, and are not kept when they come again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.memory.facts import Partition, Rejection, drop_rejected, partitions_for
from ricordo.store import rows
from ricordo.store.database import Connection, Database
from ricordo.store.fact_rows import evidence_of
from ricordo.store.types.facts import Curation, OtherRequest, Told

_SQL: Final = Database.queries("rejecting")


async def is_made(connection: Connection, tenant: str, curation: Curation) -> bool:
    """Tell whether a request to reject a fact was made before.

    Raises:
        OtherRequest: of another fact.
    """
    fact_id = await connection.fetchval(_SQL["of_request"], tenant, curation.request_id)
    if fact_id is not None and fact_id != curation.fact_id:
        raise OtherRequest(f"the request {curation.request_id} has rejected something else already")
    return fact_id is not None


async def take_back(
    connection: Connection, tenant: str, curation: Curation, at: datetime, scope: Sequence[str]
) -> set[Partition]:
    """Take back what messages say for a fact, and keep in which words; return where that had a say.

    Args:
        connection: of the caller's transaction, which holds the facts of the user.
        tenant: whose fact.
        curation: names it.
        at: when it is rejected.
        scope: the keys of its subject, its predicate and its object.
    """
    found = await connection.fetch(_SQL["take_back"], tenant, curation.user_id, *scope)
    rejected = sorted(
        {
            Rejection(row["message_id"], row["subject"], scope[1], row["object"], row["quote"])
            for row in found
        },
        key=lambda one: (one.message_id, one.quote, one.subject, one.object),
    )
    by_word_alone = Rejection("", "user", scope[1], "", "")
    await keep(
        connection,
        tenant,
        curation.user_id,
        [
            _row(one, curation.request_id, ordinal, curation.fact_id, at)
            for ordinal, one in enumerate(rejected or [by_word_alone])
        ],
    )
    return _parts(found)


async def is_confirmed(connection: Connection, tenant: str, user_id: str, scope: Sequence[str]) -> bool:
    """Tell whether the user has said that a fact is so, whatever they have said since."""
    return bool(await connection.fetchval(_SQL["is_confirmed"], tenant, user_id, *scope))


async def keep(
    connection: Connection, tenant: str, user_id: str, rejected: Iterable[Mapping[str, object]]
) -> None:
    """Keep rows of `rejections`; those that are known stay as they are."""
    await connection.execute(_SQL["keep"], tenant, user_id, rows.recordset(rejected))


async def without_rejected(connection: Connection, tenant: str, told: Sequence[Told]) -> list[Told]:
    """Return what messages state without the readings that their users have rejected."""
    messages = [one.message_id for one in told if one.evidence]
    if not messages:
        return list(told)
    found = await connection.fetch(_SQL["of_messages"], tenant, messages)
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for row in found:
        by_message[row["message_id"]].append(Rejection(**row))
    return [
        _without(one, by_message[one.message_id]) if one.message_id in by_message else one for one in told
    ]


async def retract(
    connection: Connection, tenant: str, user_id: str, rejections: Iterable[Rejection]
) -> set[Partition]:
    """Take away what is kept of rejected readings; return in what it had a say."""
    by_message: defaultdict[str, list[Rejection]] = defaultdict(list)
    for one in rejections:
        by_message[one.message_id].append(one)
    found = await connection.fetch(_SQL["said_in"], tenant, user_id, sorted(by_message))
    gone = [
        row
        for row in found
        if any(one.covers(evidence_of(row), row["quote"]) for one in by_message[row["message_id"]])
    ]
    places = [row["message_id"] for row in gone], [row["ordinal"] for row in gone]
    await connection.execute(_SQL["drop"], tenant, user_id, *places)
    return _parts(gone)


def _without(told: Told, rejections: Iterable[Rejection]) -> Told:
    evidence, quotes = drop_rejected(told.evidence, told.quotes, rejections)
    return replace(told, evidence=evidence, quotes=quotes)


def _row(one: Rejection, request: str, ordinal: int, fact_id: UUID, at: datetime) -> dict[str, object]:
    beside = {"request_id": request, "ordinal": ordinal, "fact_id": fact_id, "rejected_at": at}
    return asdict(one) | beside


def _parts(found: Iterable[asyncpg.Record]) -> set[Partition]:
    return {
        part
        for row in found
        for part in partitions_for(row["subject_key"], row["predicate"], row["object_key"])
    }
