"""Turns messages of the past into messages of the contract, with ids that every later import gives again."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Final

from ricordo.messages.message_types import CONTENT_MAX_CHARS, format_instant
from ricordo_services.importers.entries import PastMessage, Skip, SkipReason, Speaker

_LONGEST_LABEL: Final = 200
_LONGEST_KEY: Final = 48
_LONGEST_ID: Final = 128
_SHORTENED: Final = 90
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_NO_KEY: Final = re.compile(r"[^a-z0-9@._+-]+")
_STEP: Final = timedelta(milliseconds=1)
MOST_ACTIVE: Final = 10
_SAMPLES: Final = 500


@dataclass(frozen=True, slots=True)
class Conversion:
    """How the messages of an export become those of a user."""

    service: str
    user_id: str
    names: frozenset[str]  # the user's names in the export, case-folded
    prefix: str  # begins the user ids of all other speakers
    timezone: str | None = None  # the user's zone; None leaves it to the system

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
        is_own = message.own or message.speaker.is_called(self.names)
        user_id = self.user_id if is_own else self.speaker_id(message.speaker)
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


@dataclass(slots=True)
class ConversationCount:
    """The size and span of a conversation, and one of its messages."""

    sample: PastMessage
    first: datetime
    last: datetime
    messages: int = 0


@dataclass(slots=True)
class Survey:
    """What an export contains."""

    messages: int = 0  # to be published, the parts of long ones counted each
    cut: int = 0  # longer than one message may be
    own: set[str] = field(default_factory=set)  # keys of speakers who are the user or an assistant, it says
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    malformed: list[Skip] = field(default_factory=list)
    speakers: dict[str, Speaker] = field(default_factory=dict)
    spoken: Counter[str] = field(default_factory=Counter)
    conversations: dict[str, ConversationCount] = field(default_factory=dict)
    samples: list[PastMessage] = field(default_factory=list)  # all, or 500 to 1,000 at even distances
    _step: int = 1
    _read: int = 0

    @classmethod
    def of(cls, entries: Iterable[PastMessage | Skip]) -> "Survey":
        """Count the entries of an export."""
        survey = cls()
        for entry in entries:
            if isinstance(entry, Skip):
                survey.skipped[entry.reason] += 1
                if entry.reason is SkipReason.MALFORMED:
                    survey.malformed.append(entry)
            else:
                survey._add(entry)
        return survey

    def most_active(self) -> list[ConversationCount]:
        """Return the conversations with the most messages, the largest first."""
        ranked = sorted(self.conversations.values(), key=lambda one: (-one.messages, one.first))
        return ranked[:MOST_ACTIVE]

    def others(self, names: Collection[str]) -> list[Speaker]:
        """Return the speakers who are not the user."""
        found = self.speakers.items()
        return [speaker for key, speaker in found if key not in self.own and not speaker.is_called(names)]

    def names(self) -> list[tuple[str, int]]:
        """Return the names of the speakers with their numbers of messages, the busiest first."""
        return [(self.speakers[key].name, number) for key, number in self.spoken.most_common()]

    def _add(self, message: PastMessage) -> None:
        if self._read % self._step == 0:
            self.samples.append(message)
        if len(self.samples) == 2 * _SAMPLES:
            self.samples, self._step = self.samples[::2], 2 * self._step
        self._read += 1
        parts = len(text_parts(message.text))
        self.messages += parts
        self.cut += parts > 1
        if message.own:
            self.own.add(message.speaker.key)
        self.speakers[message.speaker.key] = message.speaker
        self.spoken[message.speaker.key] += 1
        found = self.conversations.setdefault(
            message.conversation, ConversationCount(message, message.sent_at, message.sent_at)
        )
        found.messages += 1
        found.first, found.last = min(found.first, message.sent_at), max(found.last, message.sent_at)
