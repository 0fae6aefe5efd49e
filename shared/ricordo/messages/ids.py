"""Deterministic ids: a repeated cause has the same effects under the same ids."""

from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

UNSTAMPED: Final = UUID(int=0)
"""The id of a derived event before it is stamped."""


def memory_id(tenant: str, message_id: str) -> UUID:
    """Return the id of a message's memory: UUIDv5 of `<tenant>/<message id>`."""
    return uuid5(NAMESPACE_OID, f"{tenant}/{message_id}")


def remembered_id(tenant: str, message_id: str) -> UUID:
    """Return the id of a message's `memory.remembered`, whichever worker publishes it."""
    return uuid5(NAMESPACE_OID, f"{tenant}/{message_id}/remembered")


def request_key(tenant: str, user_id: str, name: str, request_id: str) -> str:
    """Return the key under which the effect of a command is stored: the same for the same request of a user.

    Args:
        name: of the command: two commands may have one `request_id`.
        request_id: as the bot gave it.

    Returns:
        A key that is never a message id, as it contains a space.
    """
    return f"request {uuid5(NAMESPACE_OID, f'{tenant} {user_id} {name} {request_id}')}"


def session_ended_id(tenant: str, conversation_id: str, timestamp: str) -> UUID:
    """Return the id of a `session.ended`, which has none of its own.

    Args:
        timestamp: as on the wire, in UTC with `Z`.
    """
    return uuid5(NAMESPACE_OID, f"{tenant}/{conversation_id}/{timestamp}/session.ended")


def derived_id(cause: UUID, name: str, ordinal: int) -> UUID:
    """Return the id of the n-th event called `name` that `cause` led to.

    Args:
        ordinal: from 0, among the events of that name.
    """
    return uuid5(cause, f"{name}:{ordinal}")
