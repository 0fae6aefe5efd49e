"""The events that follow from a stage, and the receipt that the worker of the last stage publishes."""

from collections.abc import Callable, Iterable

from ricordo.memory.model import MessageIds, Progress
from ricordo.messages.events import DerivedEvent, FactsRequested, MemoryCreated, MemoryRemembered
from ricordo.messages.ids import remembered_id


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


def created_again(
    unread: Iterable[Progress], event: type[MemoryCreated] = MemoryCreated
) -> tuple[MemoryCreated, ...]:
    """Return what has texts read once more, on the lane of `event`."""
    return tuple(event(**one.ids) for one in unread)


def facts_requested(unread: Iterable[Progress]) -> tuple[FactsRequested, ...]:
    """Return what has the facts of messages extracted once more."""
    return tuple(FactsRequested(**one.ids) for one in unread)
