"""Validates the relations that a language model reads in a message, against the message.

A relation counts only where the message has the quoted words, asserts them, and names the subject; where the
reader contradicts it, the reader wins.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from itertools import islice
from typing import Final

from ricordo.language.document import Document
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.kinship import PRESUMED
from ricordo.language.facts.message_words import MessageWords, Mood, place_of, places
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.language.name_lists import is_of_the_users_life, is_of_the_world
from ricordo.memory.llm_validation import LlmMessage

_MOST: Final = 16
"""Relations of one message that are examined."""
_MOST_PLACES: Final = 8
"""Occurrences of a value in a quote that are examined."""
_LONGEST_QUOTE: Final = 600
_LONGEST_PART: Final = 128
"""Characters of a subject or an object."""
_MOST_WORDS: Final = 12
"""Words of an object."""
_PERSON: Final = "person"
"""The label of people."""
_OLDEST: Final = 130
"""Years."""


@dataclass(frozen=True, slots=True)
class RecognisedEntity:
    """An entity that a model found in a text.

    Attributes:
        start, end: offsets `[start, end)`.
        score: confidence, [0, 1].
    """

    start: int
    end: int
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A message for relation extraction, with the entities recognised in its shown text."""

    said: LlmMessage
    entities: tuple[RecognisedEntity, ...] = ()

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The distinct entities as written, with their labels."""
        shown = self.said.shown
        return tuple(dict.fromkeys((shown[one.start : one.end], one.label) for one in self.entities))


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that a model claims; its parts are unchecked."""

    subject: str
    predicate: str
    object: str
    quote: str
    past: bool = False


class RelationFault(StrEnum):
    """Why a relation is rejected."""

    PREDICATE = "predicate"
    """It is not in the vocabulary."""
    QUOTE = "quote"
    """The message does not contain the quote."""
    SUBJECT = "subject"
    """It is neither the user nor a name in the message."""
    OBJECT = "object"
    """It is not in the quote, or says nothing by itself."""
    UNSTATED = "unstated"
    """The message asks, wishes, imagines, quotes, denies or expects it."""
    CONTESTED = "contested"
    """The reader read otherwise."""


@dataclass(frozen=True, slots=True)
class ValidatedStatements:
    """The statements of a message.

    Attributes:
        statements: of the reader and of the model, in the order of the text.
    """

    statements: tuple[Statement, ...]
    added: int = 0
    faults: tuple[RelationFault, ...] = field(default=())


def validate_relations(
    passage: Passage,
    relations: Sequence[Relation],
    by_reader: Sequence[Statement],
    *,
    at: datetime | None = None,
    zone: tzinfo | None = None,
) -> ValidatedStatements:
    """Return what the reader read, and those relations of the model that the message supports."""
    words = MessageWords(Document(passage.said.text, passage.said.language))
    ties, labels = _ties(by_reader), {normalise(name): label for name, label in passage.named}
    known = labels.keys() | ties.keys()
    found = list(by_reader)
    faults: list[RelationFault] = []
    for relation in relations[:_MOST]:
        read = _read(relation, passage.said, words, known)
        if isinstance(read, Statement) and at is not None:
            read = words.timed(read, at, zone) or RelationFault.UNSTATED
        if isinstance(read, RelationFault):
            faults.append(read)
        elif contradicts(read, found):
            faults.append(RelationFault.CONTESTED)
        elif not any(says_the_same(read, one) for one in found):
            found = [one for one in found if not _denies(one, read)]
            found.append(_tied(read, ties, labels))
    found.sort(key=lambda one: one.span[0])
    return ValidatedStatements(tuple(found), len(found) - len(by_reader), tuple(faults))


def _ties(statements: Iterable[Statement]) -> dict[str, str]:
    """Return the ties of people by name; a model is not asked for them."""
    ties: dict[str, str] = {}
    for one in statements:
        if one.polarity == "denied":
            continue
        for name, tie in ((one.subject, one.subject_tie), (one.object, one.object_tie)):
            if tie:
                ties.setdefault(normalise(name), tie)
    return ties


def _tied(one: Statement, ties: Mapping[str, str], labels: Mapping[str, str]) -> Statement:
    """Return a statement with the ties of its people; strangers are marked as presumed."""
    subject, value = normalise(one.subject), normalise(one.object)
    tie = ties.get(subject) or (PRESUMED if _is_a_stranger(one.subject, labels.get(subject)) else "")
    named = ties.get(value, "") if PREDICATES[one.predicate].object_is_entity else ""
    return replace(one, subject_tie=tie, object_tie="" if named == PRESUMED else named)


def _is_a_stranger(name: str, label: str | None) -> bool:
    """Whether a name is that of a public figure rather than of an acquaintance."""
    parts = name.lower().split()
    if name == USER or label not in (None, _PERSON):
        return False
    return is_of_the_world(parts) if label == _PERSON else not is_of_the_users_life(parts)


def _read(
    relation: Relation, said: LlmMessage, words: MessageWords, known: AbstractSet[str]
) -> Statement | RelationFault:
    content = said.text
    if relation.predicate not in PREDICATES:
        return RelationFault.PREDICATE
    quote = place_of(relation.quote, content) if len(relation.quote) <= _LONGEST_QUOTE else None
    if quote is None:
        return RelationFault.QUOTE
    subject = _subject(relation.subject, said, words, known)
    if subject is None:
        return RelationFault.SUBJECT
    value = _value(relation, content, quote, words)
    if isinstance(value, RelationFault):
        return value
    if normalise(value) in (normalise(subject), ""):
        return RelationFault.OBJECT
    polarity: Polarity = "past" if relation.past else "holds"
    return Statement(subject, relation.predicate, value, content[slice(*quote)], quote, polarity=polarity)


def _subject(claimed: str, said: LlmMessage, words: MessageWords, known: AbstractSet[str]) -> str | None:
    """Return the subject as written; None where it is no name in the message, or the writer's own."""
    if normalise(claimed) == USER:
        return USER
    place = place_of(claimed, said.text) if len(claimed) <= _LONGEST_PART else None
    if place is None:
        return None
    written = said.text[slice(*place)]
    if said.speaker and normalise(written) == normalise(said.speaker):
        return None  # the writer is no third person
    return written if normalise(written) in known or words.is_name(written) else None


def _value(
    relation: Relation, content: str, quote: tuple[int, int], words: MessageWords
) -> str | RelationFault:
    """Return the object as written, where the message asserts it."""
    claimed = relation.object
    if relation.predicate == "age":
        claimed = words.written(claimed.strip(), content[slice(*quote)])
    if not claimed.strip() or len(claimed) > _LONGEST_PART or len(claimed.split()) > _MOST_WORDS:
        return RelationFault.OBJECT
    found = list(places(claimed, content, *quote)) or places(words.core(claimed), content, *quote)
    bare = [words.trimmed(*place) for place in islice(found, _MOST_PLACES)]
    whole = [place for place in bare if not words.points_away(content[slice(*place)])]
    alone = [place for place in whole if not _more_than(content, quote, place)]
    if not whole or len(alone) == len(whole):
        return RelationFault.OBJECT
    stated = next((place for place in whole if _states(relation, words.mood(*place))), None)
    if stated is None:
        return RelationFault.UNSTATED
    written = " ".join(content[slice(*stated)].split())
    return written if relation.predicate != "age" else _age(words.number(written))


def _age(years: str) -> str | RelationFault:
    return years if years and int(years) <= _OLDEST else RelationFault.OBJECT


def _states(relation: Relation, mood: Mood) -> bool:
    """Whether the mood states the relation: a denied liking is a dislike, what is over is past."""
    match mood:
        case Mood.ASSERTED:
            return True
        case Mood.DENIED:
            return relation.predicate == "dislikes"
        case Mood.OVER:
            return relation.past
        case Mood.UNSTATED:
            return False


def _more_than(content: str, quote: tuple[int, int], place: tuple[int, int]) -> bool:
    """Whether a quote has words besides the value: a value alone states nothing."""
    around = content[quote[0] : place[0]] + " " + content[place[1] : quote[1]]
    return any(letter.isalpha() for letter in around)


def contradicts(one: Statement, others: Iterable[Statement]) -> bool:
    """Whether a functional predicate has another value, or the opposite is said of the same."""
    predicate = PREDICATES[one.predicate]
    for other in others:
        if normalise(other.subject) != normalise(one.subject) or _denies(other, one):
            continue
        same = normalise(other.object) == normalise(one.object)
        if other.predicate == one.predicate:
            alike = _over(other) == _over(one)
            if (same and not alike) or (predicate.single_valued and not same and alike):
                return True
        if same and other.predicate == predicate.opposite:
            return True
    return False


def _over(one: Statement) -> bool:
    return one.polarity not in ("holds", "began")


def _denies(one: Statement, other: Statement) -> bool:
    """Whether one denies what the other says to be over: "I sold the Vespa"."""
    if one.polarity != "denied" or other.polarity != "past" or other.predicate != one.predicate:
        return False
    same = normalise(one.subject) == normalise(other.subject)
    return same and normalise(one.object) == normalise(other.object)


def says_the_same(one: Statement, other: Statement) -> bool:
    """Whether both state one thing, possibly in more words: "pizza" and "pizza with onions"."""
    if other.predicate != one.predicate or normalise(other.subject) != normalise(one.subject):
        return False
    if other.polarity == "denied":
        return False
    mine, others = normalise(one.object), normalise(other.object)
    if mine == others:
        return True
    overlap = one.span[0] < other.span[1] and other.span[0] < one.span[1]
    return overlap and (place_of(mine, others) is not None or place_of(others, mine) is not None)
