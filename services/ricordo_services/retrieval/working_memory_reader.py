"""What is at hand in a conversation: viewed anew when something of it has changed, and only then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from cachetools import LRUCache, TTLCache

from ricordo.clock import Clock
from ricordo.memory.context.token_budget import cached_token_counter
from ricordo.memory.working_memory import LIFETIME, MAX_LINES, TurnReadings, WorkingMemory, working_memory
from ricordo.messages.queries import WorkingReply, WorkingRequest
from ricordo.models.encoder import TokenCounter
from ricordo.store.working_memory_store import WorkingMemorySnapshot, WorkingMemorySpan, WorkingMemoryStore

SKEW: Final = timedelta(minutes=5)
"""By which a bot's clock may be ahead of ours."""
_MOST_VIEWS: Final = 500
_IDLE_S: Final = 600.0  # after which the view of a conversation that nobody reads is forgotten
_MOST_NAMES: Final = 500
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True)
class _View:
    """What was at hand when it was last looked at."""

    token: str
    memory: WorkingMemory
    readings: TurnReadings


class WorkingMemoryReader:
    """Reads working memory.

    A view that was made once is shown again as long as the store says that nothing of it has changed: it is
    asked each time, so that what another process has recorded or erased is seen at once.
    """

    def __init__(
        self,
        desks: WorkingMemoryStore,
        tokens: TokenCounter,
        clock: Clock,
        lifetime: timedelta = LIFETIME,
        most: int = _MOST_VIEWS,
    ) -> None:
        self.count = cached_token_counter(tokens.count)
        self._desks = desks
        self._clock = clock
        self._lifetime = lifetime
        self._views = TTLCache[tuple[str, str, str], _View](most, _IDLE_S, timer=clock.monotonic)
        self._names = LRUCache[tuple[str, str], tuple[UUID | None, Sequence[str]]](_MOST_NAMES)

    async def read(
        self, tenant: str, user_id: str, conversation_id: str, *, now: datetime | None = None
    ) -> WorkingMemory:
        """Return what is at hand in the conversation.

        Raises:
            StoreUnavailable: the store cannot be asked now.
        """
        key = tenant, user_id, conversation_id
        view = self._views.get(key)
        moment, names = now or self._clock.now(), self._names.get((tenant, user_id))
        desk = await self._desks.snapshot(
            *key,
            span=self._span(moment),
            max_turns=MAX_LINES,
            known_token=None if view is None else view.token,
            known_names=None if names is None else names[0],
        )
        if desk is None and view is not None:
            self._views[key] = view
            return view.memory
        if desk is None:
            return WorkingMemory()  # a store that takes nothing for something
        readings = TurnReadings() if view is None else view.readings
        memory = working_memory(
            desk.turns,
            now=later(moment, SKEW),
            count=self.count,
            language=desk.turns[-1].language if desk.turns else "",
            notes=desk.notes,
            known_names=self._known(tenant, user_id, desk),
            lifetime=self._lifetime + SKEW,
            readings=readings,
        )
        self._views[key] = _View(desk.token, memory, readings)
        return memory

    def _span(self, moment: datetime) -> WorkingMemorySpan:
        present = self._clock.now()
        return WorkingMemorySpan(
            turns_after=later(moment, -self._lifetime),
            turns_before=later(moment, SKEW),
            notes_after=later(present, -self._lifetime),
            notes_before=later(present, self._lifetime),
        )

    def _known(self, tenant: str, user_id: str, desk: WorkingMemorySnapshot) -> Sequence[str]:
        """Return the names that are known: from facts, and those who speak and are spoken of here."""
        here = dict.fromkeys(
            name for turn in desk.turns for name in (turn.speaker, *turn.participants) if name
        )
        if desk.names is not None:
            self._names[tenant, user_id] = desk.names_token, desk.names
        _, names = self._names.get((tenant, user_id)) or (None, ())
        return tuple(dict.fromkeys((*names, *here)))


@dataclass(frozen=True, slots=True)
class Working:
    """Answers `query.working`."""

    at_hand: WorkingMemoryReader

    async def __call__(self, tenant: str, request: WorkingRequest, /) -> WorkingReply:
        """Return what is at hand in the conversation."""
        return working_view(await self.at_hand.read(tenant, request.user_id, request.conversation_id))


def working_view(memory: WorkingMemory) -> WorkingReply:
    """Show what is at hand on the wire."""
    return WorkingReply.model_validate(
        {"lines": memory.lines, "entities": memory.entities, "notes": dict(memory.notes)}
    )


def later(moment: datetime, span: timedelta) -> datetime:
    """Return the moment so much later; at its ends, where it would lie beyond the calendar."""
    try:
        return moment + span
    except OverflowError:
        return _LAST if span > timedelta() else _FIRST
