"""Reads the export of a Slack workspace: a folder for each channel with a file for each day.

Replies in a thread form a conversation of their own; the message that began it stays in the channel, since it
has none yet in an earlier export. The format after https://slack.com/help/articles/220556107 and
https://github.com/rusq/slackdump (export.md), which writes such files too.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, Skip, SkipReason, Speaker
from ricordo_services.importers.parsing import read_entries, text_of

_DAYS: Final = r"(^|/)[^/]+/\d{4}-\d\d-\d\d\.json$"
_CHANNEL_FILES: Final = ("channels", "groups", "dms", "mpims")
_PEOPLES: Final = (None, "file_share", "me_message", "reply_broadcast", "thread_broadcast")
_REMOVED: Final = ("message_deleted", "tombstone")
_MARKUP: Final = re.compile(r"<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>")
_SLACKBOT: Final = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class _Workspace:
    """Names by ids."""

    speakers: Mapping[str, Speaker]
    bots: frozenset[str]
    channels: Mapping[str, tuple[str, str]]  # the id and title of a channel, by the name of its folder

    @classmethod
    def read(cls, export: ExportArchive) -> "_Workspace":
        users = export.optional_document(r"(^|/)users\.json$") or ()
        speakers = {user["id"]: _speaker(user) for user in users}
        channels: dict[str, tuple[str, str]] = {}
        for kind in _CHANNEL_FILES:
            for channel in export.optional_document(rf"(^|/){kind}\.json$") or ():
                name = channel.get("name")
                members = (speakers[each].name for each in channel.get("members", ()) if each in speakers)
                title = f"#{name}" if kind in ("channels", "groups") else ", ".join(members)
                channels[name or channel["id"]] = (channel["id"], title)
        return cls(speakers, frozenset(user["id"] for user in users if user.get("is_bot")), channels)

    def plain(self, text: str) -> str:
        """Return `text` with names in place of ids, and links as they are read."""
        return html.unescape(_MARKUP.sub(self._unmarked, text))

    def _unmarked(self, found: re.Match[str]) -> str:
        sign, target, label = found[1], found[2], found[3]
        if sign == "@":
            speaker = self.speakers.get(target)
            return f"@{speaker.name if speaker else label or target}"
        if sign == "#":
            named = (title for key, title in self.channels.values() if key == target)
            return next(named, f"#{label or target}")
        if sign == "!":
            return label or f"@{target}"
        return f"{label} ({target})" if label and label not in target else target


def parse(export: ExportArchive, options: ParserOptions) -> Iterator[Entry]:
    """Yield the messages of all channels, each from its beginning.

    Raises:
        UnreadableExport: it is no export of a workspace.
    """
    days = export.matching(_DAYS)
    if not days:
        raise UnreadableExport(
            f"{export.title} contains no folder of a channel with files such as 2024-01-05.json: name the "
            "zip that Slack sent, or its folder"
        )
    workspace = _Workspace.read(export)
    for name in days:
        try:
            messages = export.document(name)
        except UnreadableExport as error:  # of one day and channel; the others are imported
            yield Skip(export.place(name), SkipReason.MALFORMED, error.without(export.place(name)))
            continue
        if not isinstance(messages, list):
            yield Skip(export.place(name), SkipReason.MALFORMED, "is no list of messages")
            continue
        folder = PurePosixPath(name).parent.name
        yield from read_entries(f"{export.place(name)}, ", messages, _message, folder, workspace, options)


def _message(
    message: Mapping[str, Any], folder: str, workspace: _Workspace, options: ParserOptions
) -> PastMessage | SkipReason:
    kind, key = message.get("subtype"), message.get("user")
    if kind in _REMOVED:
        return SkipReason.DELETED
    is_bot = kind == "bot_message" or key == _SLACKBOT or key in workspace.bots
    if is_bot or (message.get("bot_id") and not key):
        return SkipReason.BOT
    if message["type"] != "message" or kind not in _PEOPLES:
        return SkipReason.SYSTEM
    text = workspace.plain(text_of(message.get("text")))
    channel, title = workspace.channels.get(folder, (folder, folder))
    sent, thread = text_of(message["ts"]), message.get("thread_ts")
    is_reply = thread is not None and thread != sent
    key = text_of(message["user"])
    return PastMessage(
        conversation=f"{channel} {thread}" if is_reply else channel,
        title=f"{title}, a thread" if is_reply else title,
        key=sent,
        text=text,
        sent_at=options.instant(sent),
        speaker=workspace.speakers.get(key) or _speaker({**(message.get("user_profile") or {}), "id": key}),
    )


def _speaker(user: Mapping[str, Any]) -> Speaker:
    """Return a user of `users.json`, or the profile that a message of a guest carries."""
    profile = user.get("profile") or user
    names = [profile.get("display_name"), profile.get("real_name"), user.get("name"), profile.get("email")]
    found = [name for name in names if name] or [user["id"]]
    return Speaker(user["id"], found[0], tuple(found[1:]))
