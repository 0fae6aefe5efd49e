"""The receipt of a message: whichever worker completes the last stage tells the bot."""

from ricordo.messages.events import DerivedEvent, MemoryRemembered
from ricordo.messages.ids import remembered_id
from ricordo.ports.stages import Progress


def receipt(tenant: str, progress: Progress | None) -> tuple[DerivedEvent, ...]:
    """Return the `memory.remembered` of a message whose stages are all done, else nothing.

    It follows from the state, not from who changed it: a redelivery says it again, under the same id.
    """
    if progress is None or not progress.remembered:
        return ()
    return (
        MemoryRemembered(
            id=remembered_id(tenant, progress.message_id),
            user_id=progress.user_id,
            conversation_id=progress.conversation_id,
            message_id=progress.message_id,
            memory_id=progress.memory_id,
        ),
    )
