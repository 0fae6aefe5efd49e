"""Publishes conversations to a running system and asks their questions, over NATS as a bot does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.client import MemoryClient
from ricordo.memory.ranking.signals import Signals
from ricordo.messages.enumerations import Profile
from ricordo.messages.events import MessageReceived
from ricordo.messages.views import MemoryView
from ricordo_lab.bench.publication import remember
from ricordo_lab.console import MeasurementFailed, progress
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn

MOST: Final = 200
"""The most memories that a recall returns."""


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """A question and what it returned.

    Attributes:
        found: ids of turns, best first.
        signals: a column each, [n], in the order of `found`; unset where no explanation was asked for.
    """

    conversation: str
    source: str
    question: LocomoQuestion
    found: tuple[str, ...]
    signals: Signals

    @property
    def relevant(self) -> NDArray[np.bool_]:
        """Whether each of what came back is evidence, [n]."""
        return np.array([one in self.question.evidence for one in self.found], dtype=np.bool_)


def by_languages(answers: Sequence[RankedAnswer]) -> Mapping[str, list[RankedAnswer]]:
    """Return answers by the languages of question and conversation."""
    groups: dict[str, list[RankedAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.question.languages, []).append(answer)
    return groups


async def publish(address: str, conversations: Sequence[Conversation]) -> None:
    """Publish all turns, a user for each conversation, and wait until they are remembered."""
    for number, conversation in enumerate(conversations, 1):
        turns = len(conversation.turns)
        progress(f"  publishing conversation {number} of {len(conversations)}: {turns} turns")
        await remember(address, [message_of(conversation, turn) for turn in conversation.turns])


async def ask(
    address: str,
    conversations: Sequence[Conversation],
    *,
    limit: int = MOST,
    explain: bool = True,
    profile: Profile | None = None,
) -> list[RankedAnswer]:
    """Ask all questions, without reinforcing what they return.

    Raises:
        MeasurementFailed: an answer is incomplete.
    """
    asked = [(one, question) for one in conversations for question in one.questions]
    answers: list[RankedAnswer] = []
    async with MemoryClient.connect(address) as client:
        for conversation, question in asked:
            reply = await client.recall(
                conversation.id, question.text, limit=limit, explain=explain, profile=profile, reinforce=False
            )
            if reply.degraded:
                raise MeasurementFailed(f"an answer lacks {', '.join(reply.degraded)}")
            found = tuple(source_of(memory).partition("/")[2] for memory in reply.memories)
            rows = [memory.signals or {} for memory in reply.memories]
            signals = _columns(rows) if explain else Signals()
            answers.append(RankedAnswer(conversation.id, conversation.source, question, found, signals))
            if len(answers) % 100 == 0:
                progress(f"  asked {len(answers)} of {len(asked)}")
    return answers


def source_of(memory: MemoryView) -> str:
    """Return the id of the message of a memory; empty for a summary of several."""
    return memory.message_ids[0] if memory.role is not None and memory.message_ids else ""


def message_of(conversation: Conversation, turn: Turn) -> MessageReceived:
    """Return a turn as its user would publish it; its id is unique among conversations."""
    return MessageReceived(
        id=f"{conversation.id}/{turn.id}",
        user_id=conversation.id,
        conversation_id=f"{conversation.id}-{turn.session}",
        role=turn.role,
        speaker=turn.speaker or None,
        content=turn.text,
        timestamp=turn.at,
    )


def _columns(rows: Sequence[dict[str, float]]) -> Signals:
    return Signals(
        *(
            np.array([row.get(name, Signals._field_defaults[name]) for row in rows], dtype=np.float64)
            for name in Signals._fields
        )
    )
