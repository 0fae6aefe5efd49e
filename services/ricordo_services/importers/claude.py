"""Reads the data export of Claude: `conversations.json`.

Older exports have the words of a message in `text`, newer ones in blocks of `content`, and those name a
message's parent, so that the branch that was kept can be told. The format as seen by
https://github.com/Sinity/polylogue (docs/providers/claude-ai.md) and
https://github.com/withLinda/claude-conversation-exporter.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ricordo_services.importers.archive import ExportArchive
from ricordo_services.importers.past_message import (
    Entry,
    ParserOptions,
    PastMessage,
    Skip,
    SkipReason,
    Speaker,
    branch_to,
    read_conversations,
    read_entry,
    text_of,
)

_FILES: Final = r"(^|/)conversations\.json$"
_SPEAKERS: Final = {"human": Speaker("user", ""), "assistant": Speaker("claude", "Claude")}


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of all conversations, each from its beginning."""
    yield from read_conversations(
        export,
        r"(^|/)conversations\.json$",
        partial(_conversation, options),
        of_another=("mapping", "chatgpt"),
    )


def _conversation(options: ParserOptions, place: str, conversation: Mapping[str, Any]) -> Iterator[Entry]:
    messages = conversation["chat_messages"]
    kept = _kept_branch(messages, conversation.get("current_leaf_message_uuid"))
    for number, message in enumerate(messages):
        where = f"{place}.chat_messages[{number}]"
        if kept is not None and isinstance(message, Mapping) and message.get("uuid") not in kept:
            yield Skip(where, SkipReason.OTHER_VERSION)
        else:
            yield read_entry(where, _message, where, message, conversation, options)


def _kept_branch(messages: Sequence[Any], leaf: str | None) -> Collection[str] | None:
    """Return the ids from the root to `leaf`, or to the last message; None where no parents are named."""
    read = [message for message in messages if isinstance(message, Mapping) and "uuid" in message]
    parents = {message["uuid"]: message.get("parent_message_uuid") for message in read}
    named = any(parent in parents for parent in parents.values())
    return branch_to(leaf, parents) if named else None


def _message(
    place: str, message: Mapping[str, Any], conversation: Mapping[str, Any], options: ParserOptions
) -> Entry:
    sender = message["sender"]
    text = _text(message)
    if not text.strip():
        return Skip(place, SkipReason.TOOL if message.get("content") else SkipReason.NO_TEXT)
    return PastMessage(
        conversation=text_of(conversation["uuid"]),
        title=text_of(conversation.get("name")),
        key=text_of(message["uuid"]),
        place=place,
        text=text,
        sent_at=options.instant(message["created_at"]),
        speaker=_SPEAKERS[sender],
        role="user" if sender == "human" else "assistant",
        own=True,
    )


def _text(message: Mapping[str, Any]) -> str:
    """Return the blocks of text; `text` has placeholders for the others."""
    if blocks := message.get("content"):
        return "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    return text_of(message.get("text"))
