"""Reads the data export of ChatGPT: `conversations.json`, or `conversations-000.json` and following.

Each conversation is a tree of messages, `mapping`; the branch that was kept leads from
`current_node` to the root. The format as seen by
https://github.com/mitkury/chatgpt-export-parser (docs/chatgpt-data-export-format.md).
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
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

_FILES: Final = r"(^|/)conversations(-\d+)?\.json$"
_USER: Final = Speaker("user", "")
_ASSISTANT: Final = Speaker("chatgpt", "ChatGPT")
_TEXTS: Final = frozenset({"text", "multimodal_text"})


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of all conversations, each from its beginning."""
    yield from read_conversations(
        export, _FILES, partial(_conversation, options), of_another=("chat_messages", "claude")
    )


def _conversation(options: ParserOptions, place: str, conversation: Mapping[str, Any]) -> Iterator[Entry]:
    mapping = conversation["mapping"]
    parents = {node: found.get("parent") for node, found in mapping.items()}
    kept = branch_to(conversation.get("current_node"), parents)
    key = text_of(conversation.get("conversation_id") or conversation["id"])
    title = text_of(conversation.get("title"))
    earlier: object = conversation.get("create_time")
    for node in mapping:
        if node not in kept and _has_words(mapping[node]):
            yield Skip(f"{place}.mapping.{node}", SkipReason.OTHER_VERSION)
    for node in kept:
        message = mapping[node].get("message")
        if message is None:
            continue
        where = f"{place}.mapping.{node}"
        time = (message.get("create_time") if isinstance(message, Mapping) else None) or earlier
        entry = read_entry(where, _message, where, message, key, title, partial(options.instant, time))
        yield entry
        if isinstance(entry, PastMessage):
            earlier = time


def _has_words(node: Mapping[str, Any]) -> bool:
    message = node.get("message") or {}
    return (message.get("author") or {}).get("role") in ("user", "assistant")


def _message(
    place: str,
    message: Mapping[str, Any],
    conversation: str,
    title: str,
    sent_at: Callable[[], datetime],
) -> Entry:
    role, content, metadata = message["author"]["role"], message["content"], message.get("metadata") or {}
    if role == "system":
        return Skip(place, SkipReason.SYSTEM)
    is_hidden = (
        metadata.get("is_visually_hidden_from_conversation") or message.get("recipient", "all") != "all"
    )
    if role not in ("user", "assistant") or is_hidden or content.get("content_type") not in _TEXTS:
        return Skip(place, SkipReason.TOOL)
    text = "\n".join(filter(None, map(_part, content["parts"])))
    if not text.strip():
        return Skip(place, SkipReason.NO_TEXT)
    return PastMessage(
        conversation=conversation,
        title=title,
        key=text_of(message["id"]),
        place=place,
        text=text,
        sent_at=sent_at(),
        speaker=_USER if role == "user" else _ASSISTANT,
        role="user" if role == "user" else "assistant",
        own=True,
    )


def _part(part: object) -> str:
    """Return the words of a part: a text, or what was said in a recording; pictures have none."""
    if isinstance(part, Mapping):
        return text_of(part.get("text"))
    return text_of(part)
