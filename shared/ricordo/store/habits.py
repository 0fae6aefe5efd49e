"""How a user talks, counted over the last messages."""

import json
from datetime import datetime
from typing import Final

from ricordo.memory.style import RegisterPatterns, StyleCounts, TopicCount
from ricordo.store.database import Database
from ricordo.store.types.habits import Heard, News

_SQL: Final = Database.queries("patterns")
_PARTS: Final = ("morning", "afternoon", "evening", "night")
_COUNTS: Final = ("messages", "formal", "informal", "emoji", "questions", "sessions", "days")


class PostgresHabits:
    """Implements `Habits`."""

    def __init__(self, database: Database) -> None:
        """Read through `database`."""
        self._database = database

    async def talk(self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns) -> Heard:
        """Return what is counted; see `Habits.talk`."""
        told = manners.formal, manners.informal, manners.emoji
        async with self._database.transaction(tenant) as connection:
            row = await connection.fetchrow(_SQL["talk"], tenant, user_id, before, *told)
        if row is None or not row["messages"]:
            return Heard(StyleCounts(), None, 0 if row is None else row["forgotten"])
        low, median, high = row["lengths"]
        talk = StyleCounts(
            lengths=(low, median, high),
            lately=median if row["lately"] is None else row["lately"],
            earlier=median if row["earlier"] is None else row["earlier"],
            parts_of_day={part: row[part] for part in _PARTS},
            span_days=row["span_days"] or 0,
            topics=tuple(
                TopicCount(one["topic"], one["messages"], one["valence"])
                for one in json.loads(row["topics"] or "[]")
            ),
            **{name: row[name] for name in _COUNTS},
        )
        return Heard(talk, row["until"], row["forgotten"])

    async def news(self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int) -> News:
        """Return what has come since; see `Habits.news`."""
        async with self._database.transaction(tenant) as connection:
            row = await connection.fetchrow(_SQL["news"], tenant, user_id, since, before, most)
        return News(0, 0) if row is None else News(row["messages"], row["forgotten"])
