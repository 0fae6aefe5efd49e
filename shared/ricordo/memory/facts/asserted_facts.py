"""Facts that a bot asserts, validated as those of our own language model are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from ricordo.language.annotations import Role
from ricordo.language.facts.entity_names import is_name, normalise
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.vocabulary import USER
from ricordo.language.temporal.moments import find_zone
from ricordo.memory.facts.relation_validation import (
    Passage,
    Relation,
    RelationFault,
    RelationValidation,
    contradicts,
    says_the_same,
)
from ricordo.memory.facts.user_assertions import ImpossibleValue, clean_value
from ricordo.memory.facts.utterances import Utterance
from ricordo.memory.llm_validation import LlmMessage

LEAST_CERTAINTY: Final = 0.5
"""From which on an asserted fact counts, [0, 1]."""


class AssertionFault(StrEnum):
    """Why an asserted fact does not count, where it is no fault of its relation to the message."""

    UNCERTAIN = f"its certainty is below {LEAST_CERTAINTY:g}"
    NAME = "the subject or the object is no name or value"
    NOT_THE_USERS = "the message is not the user's own"
    REJECTED = "the user has rejected it"


Fault = RelationFault | AssertionFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion(Relation):
    """A fact as a bot asserts it, without a quote.

    Attributes:
        certainty: how sure the bot is, [0, 1].
    """

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    certainty: float = 1.0


def statements_of_assertions(
    asserted: Sequence[Assertion], said: Utterance | None, read: Sequence[Statement] = ()
) -> list[Statement | Fault]:
    """Return what each assertion states, or why it does not count.

    It follows from the message alone, whether that was read already or not. What was read in other words is
    returned as it was read.

    Args:
        said: the message that they are evidence of; None for the bot's own word, which nothing can confirm.
        read: what was read in that message.
    """
    validation = None
    if said is not None:
        passage = Passage(LlmMessage(said.content, said.language, Role(said.role), said.speaker))
        validation = RelationValidation(passage, (), at=said.said_at, zone=find_zone(said.timezone))
    found: list[Statement | Fault] = []
    for one in asserted:
        if one.certainty < LEAST_CERTAINTY:
            stated: Statement | Fault = AssertionFault.UNCERTAIN
        elif said is not None and said.role != Role.USER:
            stated = AssertionFault.NOT_THE_USERS
        elif validation is None:
            stated = _of_the_bot(one)
        else:
            stated = _beside(read, validation.take(one))
        is_own = isinstance(stated, Statement) and not any(stated is each for each in read)
        found.append(_timed(stated, one) if isinstance(stated, Statement) and is_own else stated)
    return found


def _beside(read: Sequence[Statement], stated: Statement | RelationFault) -> Statement | RelationFault:
    """Return a statement, unless what was read contradicts it, or says the same in other words."""
    if isinstance(stated, RelationFault):
        return stated
    if contradicts(stated, read):
        return RelationFault.CONTESTED
    same = [one for one in read if says_the_same(stated, one)]
    value = normalise(stated.object)
    return stated if not same or any(normalise(one.object) == value for one in same) else same[0]


def _timed(stated: Statement, one: Assertion) -> Statement:
    start, end = one.valid_from or stated.valid_from, one.valid_to or stated.valid_to
    return replace(stated, valid_from=start, valid_to=end)


def _of_the_bot(asserted: Assertion) -> Statement | Fault:
    try:
        value = clean_value(asserted.object)
    except ImpossibleValue:
        return AssertionFault.NAME
    subject = USER if normalise(asserted.subject) == USER else asserted.subject
    if not is_name(subject) or not is_name(value) or normalise(subject) == normalise(value):
        return AssertionFault.NAME
    return Statement(subject, asserted.predicate, value, "", (0, 0), polarity=asserted.polarity)
