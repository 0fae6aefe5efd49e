"""Deterministic ids: the same cause always has the same effects under the same names."""

from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

UNSTAMPED: Final = UUID(int=0)
"""The id of a derived event that the runtime has not stamped yet."""


def memory_id(tenant: str, message_id: str) -> UUID:
    """Return the id of the memory that a message becomes: UUIDv5 of `<tenant>/<message id>`."""
    return uuid5(NAMESPACE_OID, f"{tenant}/{message_id}")


def remembered_id(tenant: str, message_id: str) -> UUID:
    """Return the id of a message's only `memory.remembered`, whichever worker completes it."""
    return uuid5(NAMESPACE_OID, f"{tenant}/{message_id}/remembered")


def request_key(tenant: str, user_id: str, name: str, request_id: str) -> str:
    """Return under which id the effect of a command is kept: the same for the same request of a user.

    Args:
        tenant: of the command's subject.
        user_id: for whom it is.
        name: of the command: two commands may bear one `request_id`.
        request_id: as the bot gave it.

    Returns:
        An id that no message can have: there is a space in it.
    """
    return f"request {uuid5(NAMESPACE_OID, f'{tenant} {user_id} {name} {request_id}')}"


def session_ended_id(tenant: str, conversation_id: str, timestamp: str) -> UUID:
    """Return the id of a `session.ended`, which carries none of its own.

    Args:
        timestamp: as written on the wire, in UTC with `Z`.
    """
    return uuid5(NAMESPACE_OID, f"{tenant}/{conversation_id}/{timestamp}/session.ended")


def derived_id(cause: UUID, name: str, ordinal: int) -> UUID:
    """Return the id of the n-th event called `name` that the event `cause` led to.

    Args:
        ordinal: from 0, among the produced events of that name.
    """
    return uuid5(cause, f"{name}:{ordinal}")
