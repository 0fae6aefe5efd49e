"""What a recall reads from PostgreSQL: profile and facts of a question, rows of candidates."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.entity_resolution import without_titles
from ricordo.memory.facts.fact_model import Fact
from ricordo.store import rows
from ricordo.store.database import Store

_REQUESTED: Final = 100  # facts of the predicates that a question asks for
_HASHED: Final = 32
_HASH: Final = re.compile(r"[0-9a-f]{32}")


class RankingRow(NamedTuple):
    """The fields of a memory that ranking reads; as in `Memory`, except for those described.

    Attributes:
        importance_beyond: what use would have added above the ceiling.
        key_topics: of a summary, as JSON; None for any other kind.
        text_or_hash: the text, or its hash if it has more than 300 characters.
        corrected_by: its corrections, direct or indirect, that are not archived; the latest first.
    """

    id: UUID
    created_at: datetime
    event_times: tuple[EventTime, ...]
    importance: float
    importance_beyond: float
    valence: float
    arousal: float
    access_count: int
    decay_factor: float
    confidence: float
    trust: float
    token_count: int
    archived: bool
    informative: bool
    role: str
    speaker: str
    kind: str
    conversation_id: str
    preceding_id: UUID | None
    asks: bool
    key_topics: str | None
    type: str = "episodic"
    participants: Sequence[str] = ()
    message_id: str | None = None
    text_or_hash: str = ""
    corrected_by: Sequence[UUID] = ()
    language: str = ""

    @property
    def text(self) -> str:
        """The text; empty if only its hash is known."""
        known = len(self.text_or_hash) != _HASHED or not _HASH.fullmatch(self.text_or_hash)
        return self.text_or_hash if known else ""


@dataclass(frozen=True, slots=True)
class UserProfile:
    """Time zone and known names of a user.

    Attributes:
        timezone: the last one that a message named.
        utc_offset: of the last message, as `find_zone` reads it; None for that of UTC.
        names: in facts, of participants of the last memories, and of speakers.
    """

    timezone: str | None = None
    utc_offset: str | None = None
    names: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


class FactsOfQuestion(NamedTuple):
    """The profile of a user, and the facts that a question asks for.

    Attributes:
        bearers: canonical names of those whom the question names, normalised; "Rossi" means Mario Rossi,
            unless another Rossi is known. Unknown names stay as they are.
        requested: of the predicates that it asks for, about those whom it names or else about the user.
        surfacing: to be shown with memories: those about whom or what it names first, then confident and
            verified ones; most confident first, then most recent.
    """

    profile: UserProfile = UserProfile()
    bearers: Sequence[str] = ()
    requested: Sequence[Fact] = ()
    surfacing: Sequence[Fact] = ()


class RecallQueries(Store):
    """Reads what a recall needs, in one round trip each. Raises `StoreUnavailable`."""

    async def facts_of_question(
        self,
        tenant: str,
        user_id: str,
        *,
        names: Sequence[str] = (),
        relatives: Sequence[str] = (),
        words: Sequence[str] = (),
        predicates: Sequence[str] = (),
        threshold: int,
        limit: int,
    ) -> FactsOfQuestion:
        """Return the profile, and the current facts of a question.

        Args:
            names: that the question holds.
            relatives: whom it names by ties to the user.
            words: of the question, which may name somebody or something.
            threshold: confidence (1-10) from which a fact surfaces unasked.
            limit: of the facts that surface.
        """
        keys, kin, further = ([normalise(name) for name in each] for each in (names, relatives, words))
        short = list(map(without_titles, keys))
        asked = keys, short, kin, further, predicates, threshold, limit, _REQUESTED
        [row] = await self._database.read("facts_of_question", tenant, user_id, *asked)
        requested, surfacing = (
            [rows.fact_of(fact) for fact in row[name]] for name in ("requested", "surfacing")
        )
        named = _each_once((*row["names"], *row["people"], *row["speakers"]))
        profile = UserProfile(row["timezone"], row["utc_offset"], named, tuple(row["speakers"]))
        return FactsOfQuestion(profile, row["bearers"], requested, surfacing)

    async def ranking_rows(
        self, tenant: str, user_id: str, ids: Sequence[UUID], now: datetime, *, floors: bool = True
    ) -> Sequence[RankingRow]:
        """Return the ranking rows of `ids` that belong to the user, with decay factors as of `now`."""
        found = await self._database.read("ranking_rows", tenant, user_id, ids, now, floors)
        return [
            RankingRow(one, sent, rows.event_times(times) if times else (), *rest)
            for one, sent, times, *rest in found
        ]

    async def connected_facts(
        self, tenant: str, user_id: str, messages: Sequence[str], leading: int, limit: int
    ) -> Sequence[Fact]:
        """Return the current, undisputed facts that messages tell, and those that share an entity with them.

        Args:
            messages: ids, of which the first `leading` lead to further facts, of any confidence.
            limit: of the further facts.
        """
        found = await self._database.read("connected_facts", tenant, user_id, messages, leading, limit)
        return [rows.fact_of(row) for row in found]


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in order; of those that differ in case only, the first."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.casefold(), name)
    return tuple(kept.values())
