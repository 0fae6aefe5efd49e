"""The query that answers a question in words."""

from typing import Final
from uuid import UUID

from ricordo.messages.enumerations import AnsweredBy, AnswerStyle, Degradation
from ricordo.messages.message_types import Count, Flag, Message, Unit
from ricordo.messages.queries import RecallRequest

MOST_PARTS: Final = 8
"""The most parts of one answer; permissions allow so many messages and the reply."""


class AnswerRequest(RecallRequest, name="query.answer"):
    """Answer a question from the memories and facts of a user."""

    style: AnswerStyle = AnswerStyle.SHORT
    min_confidence: Unit | None = None
    """The confidence from which on the question is answered; the server's setting by default."""
    stream: Flag = False
    """Whether each sentence is sent as soon as it is written and checked, before the reply."""


class AnswerPart(Message):
    """A sentence of an answer that is being written; joined by spaces they are the `answer` of the reply."""

    text: str
    sources: tuple[UUID, ...] = ()
    """Ids of the facts and memories that the sentence rests on."""


class AnswerReply(Message):
    """An answer in the language of the question, and what it rests on."""

    answer: str
    """A sentence that says so where the evidence does not suffice."""
    answered: Flag
    """Whether the evidence suffices."""
    confidence: Unit
    """The estimated probability that the answer is right; of a refusal, that the best passage answered."""
    sources: tuple[UUID, ...] = ()
    """Ids of the facts and memories that it rests on, facts first; none unless it is answered."""
    by: AnsweredBy
    recall_id: UUID
    """For `command.feedback`."""
    archived_matches: Count = 0
    """The number of archived matches that were not read."""
    degraded: tuple[Degradation, ...] = ()
    """The components that were unavailable."""
