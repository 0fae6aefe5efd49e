"""Finds the earlier message that a correction corrects, independent of the order of arrival."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.language.corrections.correction_parsing import (
    Correction,
    asserted,
    content_stems,
    read_correction,
)
from ricordo.language.corrections.values import Value, tokens_of
from ricordo.language.document import Document, document_of

REACH: Final = timedelta(days=60)
"""How far back somebody puts right what they said."""
AT_ONCE: Final = timedelta(days=2)
"""For how long a value alone, said in another conversation, is likely the one that is meant."""
_TURNS: Final = 5  # messages of the writer among which stands what is put right without naming it


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of a user."""

    id: UUID
    message_id: str
    conversation_id: str
    at: datetime
    content: str
    speaker: str = ""

    @property
    def document(self) -> Document:
        """The analysed text; kept between calls, as one message is compared with many."""
        return document_of(self.content)


def corrected_by(message: UserMessage, others: Iterable[UserMessage]) -> UUID | None:
    """Return which of the user's other messages `message` corrects; None where it corrects none.

    Of what was said before it in the same conversation, and else in the last 60 days, the latest that holds
    what it denies. A correction that does not name what was wrong is about the last messages of the writer in
    the same conversation, of which it takes the latest with a value of the same kind; one that shares a word
    or a name with it goes first.
    """
    correction = read_correction(message.document)
    if correction is None:
        return None
    earlier = sorted(
        {one.id: one for one in others if _may_be_meant(one, message)}.values(),
        key=lambda one: (one.at, one.message_id),
        reverse=True,
    )
    here = [one for one in earlier if one.conversation_id == message.conversation_id]
    if not correction.denied and not correction.denied_words:
        lately = [one for one in here[:_TURNS] if _holds_another(one, correction)]
        return _first(one for one in lately if _shares(one, correction)) or _first(lately)
    if correction.firmness == "bare":
        return _first(one for one in here[:_TURNS] if _holds(one, correction))
    if (found := _first(one for one in here if _holds(one, correction))) is not None:
        return found
    return _first(one for one in earlier if _holds(one, correction) and _is_about(one, correction, message))


def concerns(message: UserMessage, one: UserMessage) -> bool:
    """Return whether what `message` corrects may be another one with, or without, the message `one`."""
    if not _may_be_meant(one, message):
        return False
    return one.conversation_id == message.conversation_id or corrected_by(message, [one]) is not None


def _may_be_meant(one: UserMessage, message: UserMessage) -> bool:
    if one.speaker and message.speaker and one.speaker.casefold() != message.speaker.casefold():
        return False
    before = (one.at, one.message_id) < (message.at, message.message_id)
    return before and message.at - one.at <= REACH and one.id != message.id


def _holds(one: UserMessage, correction: Correction) -> bool:
    """Return whether a message says what was wrong."""
    if correction.denied_words:
        return correction.denied_words <= content_stems(one.document)
    values = asserted(one.document)
    return all(wrong.is_among(values) for wrong in correction.denied)


def _holds_another(one: UserMessage, correction: Correction) -> bool:
    """Return whether a message has a value of the same kind, and not the one that is said instead.

    A number is of the kind of another if both are hours, days or counts, unless the correction is nothing but
    the number: of "for the party, I was wrong: the guests are eighteen" no hour is put right. A name beside
    another value says whose that is ("Anna is 5"); a name alone, in a clause, is of the same matter.
    """
    named = all(value.kind == "name" for value in correction.said)
    if named and correction.about and not _shares(one, correction):
        return False
    kinds = {_kind(value, correction) for value in correction.said if named or value.kind != "name"}
    return any(
        _kind(value, correction) in kinds and not value.is_among(correction.said)
        for value in asserted(one.document)
    )


def _kind(value: Value, correction: Correction) -> tuple[str, str]:
    return value.kind, value.use if correction.about else ""


def _shares(one: UserMessage, correction: Correction) -> bool:
    """Return whether a message speaks of what a correction speaks of."""
    names = {word for value in correction.said if value.kind == "name" for word in value.key.split()}
    words = {token.folded for token in tokens_of(one.document)}
    return not names.isdisjoint(words) or bool(correction.about & content_stems(one.document))


def _is_about(one: UserMessage, correction: Correction, message: UserMessage) -> bool:
    """Tell whether a message of another conversation is likely meant: it is recent, or of the same matter."""
    return message.at - one.at <= AT_ONCE or bool(correction.about & content_stems(one.document))


def _first(found: Iterable[UserMessage]) -> UUID | None:
    return next((one.id for one in found), None)
