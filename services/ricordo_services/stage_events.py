"""The events that follow from a stage, and the receipt that the worker of the last stage publishes."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ricordo.memory.model import MessageIds, Progress
from ricordo.messages.event_items import DerivedEvent, Rework
from ricordo.messages.events import MemoryRemembered
from ricordo.messages.ids import remembered_id

R = TypeVar("R", bound=Rework)


def stage_events(
    tenant: str, progress: Progress | None, event: Callable[[MessageIds], DerivedEvent]
) -> tuple[DerivedEvent, ...]:
    """Return what follows from a stage that was set: the stage's own event, and the receipt if it is due.

    Args:
        progress: all stages as they stand; None of a message forgotten meanwhile, of which nothing follows.
    """
    return () if progress is None else (event(progress.ids), *receipt(tenant, progress))


def receipt(tenant: str, progress: Progress) -> tuple[DerivedEvent, ...]:
    """Return the `memory.remembered` of a message whose stages are all done, else nothing.

    It follows from the state, not from who changed it: a redelivery says it again, under the same id. For
    what no message is behind, nobody waits.
    """
    message_id, conversation_id = progress.message_id, progress.conversation_id
    if message_id is None or conversation_id is None or not progress.remembered:
        return ()
    return (
        MemoryRemembered(
            id=remembered_id(tenant, message_id),
            user_id=progress.user_id,
            conversation_id=conversation_id,
            message_id=message_id,
            memory_id=progress.memory_id,
        ),
    )


def requests(event: type[R], memories: Iterable[Progress], reason: str) -> tuple[R, ...]:
    """Return the commands that have a worker do its work on memories again, and why."""
    return tuple(event(**one.ids, reason=reason) for one in memories)
