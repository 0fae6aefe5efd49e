"""Turns of a conversation, and the names of those who speak."""

import datetime as dt
import re
from dataclasses import dataclass
from uuid import UUID

from ricordo.language.text import collapse, excerpt
from ricordo.language.unmasking import unmasked

NAME_LENGTH = 80
_MOST_READ = 1_000  # characters of a name
_NO_NAME = re.compile(r"[:：︰﹕\[\]<>{}|#*`=\x00-\x1f\x7f-\x9f]|^[\s\-+>]+")  # noqa: RUF001 - colons, too
_ROLES = frozenset(
    "system assistant user tool developer human model bot ai sistema assistente utente strumento".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """A message as it was said.

    Attributes:
        role: one of user, assistant, system, tool.
        speaker: the name, or "".
        timestamp: when it was said, aware.
        language: two letters, or "" if unknown.
    """

    message_id: str
    memory_id: UUID
    conversation_id: str
    role: str
    speaker: str
    content: str
    timestamp: dt.datetime
    language: str = ""
    participants: tuple[str, ...] = ()


def as_name(speaker: str) -> str:
    """Return a speaker's name, safe to stand before what was said; "" for none.

    Markup and delimiters are removed; a name that is a role ("system") is quoted, so that no user can pose as
    one.
    """
    name = collapse(_NO_NAME.sub(" ", speaker[:_MOST_READ]))
    name = excerpt(name, NAME_LENGTH) if name else ""
    return f"«{name}»" if unmasked(name).strip() in _ROLES else name
