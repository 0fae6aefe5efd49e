"""What a parser yields: a message of the past, or an entry that it skips, and why."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Literal

DateOrder = Literal["dmy", "mdy", "ymd"]


class SkipReason(StrEnum):
    """Why an entry is no message; the text is shown with the count."""

    SYSTEM = "system lines"
    DELETED = "deleted messages"
    NO_TEXT = "messages without text"
    BOT = "messages of bots and apps"
    TOOL = "tool calls, reasoning and hidden messages"
    OTHER_VERSION = "other versions of edited messages and answers"
    AUTOMATIC = "newsletters and automatic mail"
    MALFORMED = "malformed entries"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who wrote a message."""

    key: str  # the service's id, which survives a change of name; the name where the service has none
    name: str
    aliases: tuple[str, ...] = ()  # other names under which `--me` may name the speaker

    def is_called(self, names: Collection[str]) -> bool:
        """Return whether one of `names`, which are case-folded, is the speaker's."""
        return any(name.casefold() in names for name in (self.key, self.name, *self.aliases))


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMessage:
    """A message of an export."""

    conversation: str  # its key, the same in every export of it
    title: str
    key: str  # within its conversation, the same in every export
    text: str
    sent_at: datetime  # aware
    speaker: Speaker
    role: Literal["user", "assistant"] = "user"
    own: bool = False  # the export says that the user, or an assistant in reply to the user, wrote it
    reply_to: str | None = None  # the key of a message of the same conversation
    place: str = ""  # where it stands, for people


@dataclass(frozen=True, slots=True)
class Skip:
    """An entry that is not imported."""

    place: str
    reason: SkipReason
    detail: str = ""


Entry = PastMessage | Skip


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """What the user says about an export."""

    zone: tzinfo | None = None  # the zone of times without an offset; None for the machine's
    date_order: DateOrder | None = None  # forced order of day, month and year
    conversation: str | None = None  # the name of the conversation, where the file does not say it

    def instant(self, value: object) -> datetime:
        """Read seconds since 1970, as a number or a text, or ISO 8601, with or without an offset.

        Raises:
            ValueError: it is none of these.
        """
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError("has no time")  # noqa: TRY004 - a fault of the file, as any other
        try:
            return datetime.fromtimestamp(float(value), UTC)
        except (ValueError, OverflowError, OSError):
            return self.aware(datetime.fromisoformat(str(value)))

    def aware(self, moment: datetime) -> datetime:
        """Return `moment` with the zone of the export, if it has none of its own."""
        if moment.tzinfo is not None:
            return moment
        return moment.astimezone() if self.zone is None else moment.replace(tzinfo=self.zone)
