"""Reads the data exports of ChatGPT and Claude: `conversations.json`, or `conversations-000.json` and so on.

Each conversation of ChatGPT is a tree of messages, `mapping`; the branch that was kept leads from
`current_node` to the root. The format as seen by
https://github.com/mitkury/chatgpt-export-parser (docs/chatgpt-data-export-format.md).

Older exports of Claude have the words of a message in `text`, newer ones in blocks of `content`, and those
name a message's parent, so that the branch that was kept can be told. The format as seen by
https://github.com/Sinity/polylogue (docs/providers/claude-ai.md) and
https://github.com/withLinda/claude-conversation-exporter.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, Skip, SkipReason, Speaker
from ricordo_services.importers.parsing import FAULTS, malformed, read_entry, text_of

_USER: Final = Speaker("user", "")
_ASSISTANT: Final = Speaker("chatgpt", "ChatGPT")
_TEXTS: Final = frozenset({"text", "multimodal_text"})


def _chatgpt_conversation(
    place: str, conversation: Mapping[str, Any], options: ParserOptions
) -> Iterator[Entry]:
    mapping = conversation["mapping"]
    parents = {node: found.get("parent") for node, found in mapping.items()}
    kept = _branch_to(conversation.get("current_node"), parents)
    key = text_of(conversation.get("conversation_id") or conversation["id"])
    title = text_of(conversation.get("title"))
    earlier: object = conversation.get("create_time")
    for node in (node for node in mapping if node not in kept):
        author = (mapping[node].get("message") or {}).get("author") or {}
        if author.get("role") in ("user", "assistant"):
            yield Skip(f"{place}.mapping.{node}", SkipReason.OTHER_VERSION)
    for node in kept:
        message = mapping[node].get("message")
        if message is None:
            continue
        where = f"{place}.mapping.{node}"
        time = (message.get("create_time") if isinstance(message, Mapping) else None) or earlier
        entry = read_entry(where, _of_chatgpt, message, key, title, time, options)
        yield entry
        if isinstance(entry, PastMessage):
            earlier = time


def _of_chatgpt(
    message: Mapping[str, Any], conversation: str, title: str, time: object, options: ParserOptions
) -> PastMessage | SkipReason:
    role, content, metadata = message["author"]["role"], message["content"], message.get("metadata") or {}
    if role == "system":
        return SkipReason.SYSTEM
    is_hidden = (
        metadata.get("is_visually_hidden_from_conversation") or message.get("recipient", "all") != "all"
    )
    if role not in ("user", "assistant") or is_hidden or content.get("content_type") not in _TEXTS:
        return SkipReason.TOOL
    # A part is a text, or what was said in a recording; pictures have none.
    parts = (text_of(part.get("text") if isinstance(part, Mapping) else part) for part in content["parts"])
    return PastMessage(
        conversation=conversation,
        title=title,
        text="\n".join(filter(None, parts)),
        key=text_of(message["id"]),
        sent_at=options.instant(time),
        speaker=_USER if role == "user" else _ASSISTANT,
        role="user" if role == "user" else "assistant",
        own=True,
    )


_SPEAKERS: Final = {"human": Speaker("user", ""), "assistant": Speaker("claude", "Claude")}


def _claude_conversation(
    place: str, conversation: Mapping[str, Any], options: ParserOptions
) -> Iterator[Entry]:
    messages = conversation["chat_messages"]
    kept = _kept_branch(messages, conversation.get("current_leaf_message_uuid"))
    for number, message in enumerate(messages):
        where = f"{place}.chat_messages[{number}]"
        if kept is not None and isinstance(message, Mapping) and message.get("uuid") not in kept:
            yield Skip(where, SkipReason.OTHER_VERSION)
        else:
            yield read_entry(where, _of_claude, message, conversation, options)


def _kept_branch(messages: Sequence[Any], leaf: str | None) -> Collection[str] | None:
    """Return the ids from the root to `leaf`, or to the last message; None where no parents are named."""
    read = [message for message in messages if isinstance(message, Mapping) and "uuid" in message]
    parents = {message["uuid"]: message.get("parent_message_uuid") for message in read}
    named = any(parent in parents for parent in parents.values())
    return _branch_to(leaf, parents) if named else None


def _of_claude(
    message: Mapping[str, Any], conversation: Mapping[str, Any], options: ParserOptions
) -> PastMessage | SkipReason:
    sender = message["sender"]
    blocks = message.get("content") or ()  # `text` has placeholders for those that are no text
    texts = (text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    text = "\n".join(texts) if blocks else text_of(message.get("text"))
    if blocks and not text.strip():
        return SkipReason.TOOL
    return PastMessage(
        text=text,
        conversation=text_of(conversation["uuid"]),
        title=text_of(conversation.get("name")),
        key=text_of(message["uuid"]),
        sent_at=options.instant(message["created_at"]),
        speaker=_SPEAKERS[sender],
        role="user" if sender == "human" else "assistant",
        own=True,
    )


def _parse(
    export: ExportArchive,
    options: ParserOptions,
    *,
    files: str,  # the names of files that hold a list of conversations each
    read: Callable[[str, Mapping[str, Any], ParserOptions], Iterator[Entry]],
    of_another: tuple[str, str],  # a field of the conversations of another service, and its name
) -> Iterator[Entry]:
    """Yield the messages of all conversations, each from its beginning; a malformed one is skipped.

    Raises:
        UnreadableExport: there is no file of conversations, or it is that of another service.
    """
    for name in export.required(files, "conversations.json: is it the zip that the service sent?"):
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
                yield from read(place, conversation, options)
            except FAULTS as error:
                yield malformed(place, error)


parse_chatgpt: Final = partial(
    _parse,
    files=r"(^|/)conversations(-\d+)?\.json$",
    read=_chatgpt_conversation,
    of_another=("chat_messages", "claude"),
)
parse_claude: Final = partial(
    _parse,
    files=r"(^|/)conversations\.json$",
    read=_claude_conversation,
    of_another=("mapping", "chatgpt"),
)


def _branch_to(leaf: str | None, parents: Mapping[str, str | None]) -> list[str]:
    """Return the ids from the root to `leaf`, or to the last of all ids where it is unknown."""
    node = leaf if leaf in parents else next(reversed(list(parents)), None)
    branch: dict[str, None] = {}
    while node is not None and node in parents:
        if node in branch:
            raise ValueError("its messages follow each other in a circle")
        branch[node] = None
        node = parents[node]
    return list(reversed(branch))
