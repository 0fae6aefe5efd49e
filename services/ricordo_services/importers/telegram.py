"""Reads `result.json` of Telegram Desktop: one chat, or the export of an account with all of them.

The export of an account says who its owner is; a personal chat has the id of the other person. Older exports
have local times only, newer ones seconds since 1970 too. See https://telegram.org/blog/export-and-more and
the package tg-parser (its docs/TELEGRAM_FORMAT.md).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, SkipReason, Speaker
from ricordo_services.importers.parsing import FAULTS, malformed, read_entries, text_of

_DELETED_ACCOUNT: Final = "Deleted Account"
_REPLY: Final = "reply_to_message_id"


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of all chats.

    Raises:
        UnreadableExport: it is no `result.json`.
    """
    for name in export.required(r"(^|/)result\.json$", "result.json: export as JSON, not as HTML"):
        document, place = export.document(name), export.place(name)
        if not isinstance(document, Mapping) or not document.keys() & {"messages", "chats", "left_chats"}:
            raise UnreadableExport(f"{place} is no export of Telegram: it has neither messages nor chats")
        owner = _user_key((document.get("personal_information") or {}).get("user_id"))
        if "messages" in document:
            yield from _chat(f"{place}, ", document, owner, options)
        for part in ("chats", "left_chats"):
            for number, chat in enumerate((document.get(part) or {}).get("list", ())):
                yield from _chat(f"{place}, {part}.list[{number}].", chat, owner, options)


def _chat(place: str, chat: Mapping[str, Any], owner: str, options: ParserOptions) -> Iterator[Entry]:
    try:
        other = _other(chat)
        yield from read_entries(f"{place}messages", chat["messages"], _message, chat, owner, other, options)
    except FAULTS as error:
        yield malformed(place.rstrip(" ,."), error)


def _message(
    message: Mapping[str, Any], chat: Mapping[str, Any], owner: str, other: str | None, options: ParserOptions
) -> PastMessage | SkipReason:
    """Read a message; `owner` and `other` are the keys of the two people, as far as they are known."""
    if message["type"] != "message":
        return SkipReason.SYSTEM
    text, key, reply = _text(message["text"]), _user_key(message["from_id"]), message.get(_REPLY)
    is_bot = chat.get("type") == "bot_chat" and key == other
    is_owner = key == owner or chat.get("type") == "saved_messages" or (other is not None and key != other)
    return PastMessage(
        conversation=str(chat["id"]),
        title=text_of(chat.get("name")) or text_of(chat.get("type")),
        key=str(message["id"]),
        text=text,
        sent_at=options.instant(message.get("date_unixtime") or message["date"]),
        speaker=Speaker(key, text_of(message.get("from")) or _DELETED_ACCOUNT),
        role="assistant" if is_bot else "user",
        own=is_bot or is_owner,
        reply_to=None if reply is None else str(reply),
    )


def _other(chat: Mapping[str, Any]) -> str | None:
    """Return the key of the other person of a personal chat, whose id the chat has; None where none wrote."""
    key = _user_key(chat["id"])
    is_personal = chat.get("type") in ("personal_chat", "bot_chat")
    writers = (_user_key(each.get("from_id")) for each in chat["messages"] if isinstance(each, Mapping))
    return key if is_personal and key in writers else None


def _text(text: object) -> str:
    """Return a text, which is given as a string, or as a list of strings and of pieces with a style."""
    if isinstance(text, list):
        return "".join(piece if isinstance(piece, str) else text_of(piece["text"]) for piece in text)
    return text_of(text)


def _user_key(user: object) -> str:
    """Return the id of a user as newer exports write it: `user123`, where older ones have 123."""
    return f"user{user}" if isinstance(user, int) else text_of(user)
