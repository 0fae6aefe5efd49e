"""Counts what an export contains, before anything of it is published."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ricordo_services.importers.conversion import text_parts
from ricordo_services.importers.past_message import PastMessage, Skip, SkipReason, Speaker

MOST_ACTIVE: Final = 10
_SAMPLES: Final = 500


@dataclass(slots=True)
class ConversationCount:
    """The size and span of a conversation.

    Attributes:
        sample: one of its messages.
    """

    sample: PastMessage
    first: datetime
    last: datetime
    messages: int = 0


@dataclass(slots=True)
class Survey:
    """What an export contains.

    Attributes:
        messages: the messages to publish, the parts of long ones counted each.
        cut: messages that are longer than one message may be.
        own: the keys of the speakers of whom the export itself says that they are the user, or an assistant.
        samples: all messages, or 500 to 1,000 at even distances.
    """

    messages: int = 0
    cut: int = 0
    own: set[str] = field(default_factory=set)
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    malformed: list[Skip] = field(default_factory=list)
    speakers: dict[str, Speaker] = field(default_factory=dict)
    spoken: Counter[str] = field(default_factory=Counter)
    conversations: dict[str, ConversationCount] = field(default_factory=dict)
    samples: list[PastMessage] = field(default_factory=list)
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

    def has_speaker(self, names: Collection[str]) -> bool:
        """Return whether anybody is called by one of `names`, which are case-folded."""
        return any(speaker.is_called(names) for speaker in self.speakers.values())

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
