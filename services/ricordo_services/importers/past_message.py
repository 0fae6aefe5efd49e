"""What a parser yields: a message of the past, or an entry that it skips, and why."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any, Final, Literal, ParamSpec

from ricordo_services.importers.archive import ExportArchive, UnreadableExport

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
    """Who wrote a message.

    Attributes:
        key: the service's id, which survives a change of name; the name where the service has none.
        aliases: other names under which `--me` may name the speaker.
    """

    key: str
    name: str
    aliases: tuple[str, ...] = ()

    def is_called(self, names: Collection[str]) -> bool:
        """Return whether one of `names`, which are case-folded, is the speaker's."""
        return any(name.casefold() in names for name in (self.key, self.name, *self.aliases))


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMessage:
    """A message of an export.

    Attributes:
        conversation: the key of the conversation, the same in every export of it.
        key: the key of the message within its conversation, the same in every export.
        place: where it stands, for people.
        sent_at: aware.
        own: whether the export itself says that the user, or an assistant in reply to the user, wrote it.
        reply_to: the key of a message of the same conversation.
    """

    conversation: str
    title: str
    key: str
    place: str
    text: str
    sent_at: datetime
    speaker: Speaker
    role: Literal["user", "assistant"] = "user"
    own: bool = False
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """An entry that is not imported."""

    place: str
    reason: SkipReason
    detail: str = ""


Entry = PastMessage | Skip


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """What the user says about an export.

    Attributes:
        zone: the zone of times without an offset; None for the machine's.
        date_order: forced order of day, month and year.
        conversation: the name of the conversation, where the file does not say it.
    """

    zone: tzinfo | None = None
    date_order: DateOrder | None = None
    conversation: str | None = None

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


Parser = Callable[[ExportArchive, ParserOptions], Iterator[Entry]]

P = ParamSpec("P")
FAULTS: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What reading a malformed entry raises."""


def read_entry(place: str, read: Callable[P, Entry], *args: P.args, **kwargs: P.kwargs) -> Entry:
    """Return what `read` reads at `place`; a malformed entry is skipped, the others are imported."""
    try:
        return read(*args, **kwargs)
    except FAULTS as error:
        return malformed(place, error)


def malformed(place: str, error: Exception) -> Skip:
    """Return the skip of an entry that could not be read."""
    if isinstance(error, KeyError):
        detail = f"has no {error.args[0]!r}"
    elif not isinstance(error, ValueError):  # their words are of this program, and not of the file
        detail = "is not of the shape that the service writes"
    else:
        detail = f"is malformed ({error})"
    return Skip(place, SkipReason.MALFORMED, detail)


def text_of(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Return `value`, which must be a text or null.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError("its text is no text")  # noqa: TRY004 - a fault of the file, as any other
    return value


def read_conversations(
    export: ExportArchive,
    pattern: str,
    read: Callable[[str, Mapping[str, Any]], Iterator[Entry]],
    *,
    of_another: tuple[str, str],
) -> Iterator[Entry]:
    """Yield what `read` finds in each conversation, whose place it is given; a malformed one is skipped.

    Args:
        pattern: of the names of files that hold a list of conversations each.
        of_another: a field of the conversations of another service, and its name.

    Raises:
        UnreadableExport: there is no such file, or one holds no list, or that of the other service.
    """
    for name in export.required(pattern, "conversations.json: is it the zip that the service sent?"):
        conversations = export.document(name)
        if not isinstance(conversations, list):
            raise UnreadableExport(
                f"{export.place(name)} is no list of conversations: is it conversations.json of the service?"
            )
        field, service = of_another
        if any(isinstance(each, Mapping) and field in each for each in conversations):
            raise UnreadableExport(
                f"{export.place(name)} looks like an export of another service: --from {service}"
            )
        for number, conversation in enumerate(conversations):
            place = f"{export.place(name)}, [{number}]"
            try:
                yield from read(place, conversation)
            except FAULTS as error:
                yield malformed(place, error)


def branch_to(leaf: str | None, parents: Mapping[str, str | None]) -> list[str]:
    """Return the ids from the root to `leaf`, or to the last of all ids where it is unknown.

    Raises:
        ValueError: messages follow each other in a circle.
    """
    node = leaf if leaf in parents else next(reversed(list(parents)), None)
    branch: dict[str, None] = {}
    while node is not None and node in parents:
        if node in branch:
            raise ValueError("its messages follow each other in a circle")
        branch[node] = None
        node = parents[node]
    return list(reversed(branch))
