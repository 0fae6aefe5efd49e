"""Turns messages of the past into messages of the contract, with ids that every later import gives again."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import Final

from ricordo.messages.message_types import CONTENT_MAX_CHARS, format_instant
from ricordo_services.importers.past_message import PastMessage, Speaker

_LONGEST_LABEL: Final = 200
_LONGEST_KEY: Final = 48
_LONGEST_ID: Final = 128
_SHORTENED: Final = 90
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_NO_KEY: Final = re.compile(r"[^a-z0-9@._+-]+")
_STEP: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Conversion:
    """How the messages of an export become those of a user.

    Attributes:
        names: the user's names in the export, case-folded.
        prefix: begins the user ids of all other speakers.
        timezone: the user's zone; None leaves it to the system.
    """

    service: str
    user_id: str
    names: frozenset[str]
    prefix: str
    timezone: str | None = None

    def is_own(self, message: PastMessage) -> bool:
        """Return whether the user wrote a message, or an assistant in reply to the user."""
        return message.own or message.speaker.is_called(self.names)

    def conversation_id(self, message: PastMessage) -> str:
        """Return the id of a conversation; two users who import the same group have one each."""
        return f"{self.service}:{_hash(self.user_id, message.conversation)}"

    def speaker_id(self, speaker: Speaker) -> str:
        """Return the user id of somebody else: the prefix, and a readable form of the key."""
        plain = unicodedata.normalize("NFKD", speaker.key.casefold()).encode("ascii", "ignore").decode()
        key = _NO_KEY.sub("-", plain).strip("-")
        if key != re.sub(r"\s+", "-", speaker.key.casefold()) or len(key) > _LONGEST_KEY:
            key = f"{key[:_LONGEST_KEY]}-{_hash(speaker.key)[:8]}".removeprefix("-")
        found = f"{self.prefix}{key}"
        return found if len(found) <= _LONGEST_ID else f"{found[:_SHORTENED]}-{_hash(found)}"

    def bodies(self, message: PastMessage) -> Iterator[bytes]:
        """Yield the body of a message; several where its text is longer than one message may be."""
        conversation = self.conversation_id(message)
        user_id = self.user_id if self.is_own(message) else self.speaker_id(message.speaker)
        metadata = {"service": self.service, "conversation": _label(message.title)}
        if message.reply_to is not None:
            metadata["reply_to"] = self._id(message, message.reply_to)
        for number, part in enumerate(text_parts(message.text)):
            body: dict[str, object] = {
                "id": self._id(message, f"{message.key}\n{number}" if number else message.key),
                "user_id": user_id,
                "conversation_id": conversation,
                "role": message.role,
                "content": part,
                "timestamp": format_instant(message.sent_at + number * _STEP),
                "metadata": metadata,
            }
            if name := _label(message.speaker.name):
                body["speaker"] = name
            if self.timezone is not None:
                body["timezone"] = self.timezone
            yield json.dumps(body, ensure_ascii=False).encode()

    def _id(self, message: PastMessage, key: str) -> str:
        return f"{self.service}:{_hash(self.user_id, message.conversation, key)}"


def text_parts(text: str) -> list[str]:
    """Cut a text into parts that one message can hold, at the end of a paragraph, a line or a word."""
    rest = unicodedata.normalize("NFC", _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)).strip()
    parts = []
    while len(rest) > CONTENT_MAX_CHARS:
        window = rest[:CONTENT_MAX_CHARS]
        cuts = (window.rfind(border) for border in ("\n\n", "\n", " "))
        cut = next((at for at in cuts if at > CONTENT_MAX_CHARS // 2), CONTENT_MAX_CHARS)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*parts, rest] if rest else parts


def _label(text: str) -> str:
    return " ".join(_UNSTORABLE.sub("", text).split())[:_LONGEST_LABEL]


def _hash(*parts: str) -> str:
    document = json.dumps(parts).encode()
    return blake2b(document, digest_size=16).hexdigest()
