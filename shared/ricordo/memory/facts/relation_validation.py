"""Validates the relations that a language model, ours or a bot's, reads in a message, against the message.

A relation counts only where the message has the quoted words, asserts them, and names the subject; where the
reader contradicts it, the reader wins.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from itertools import islice
from typing import Final

from ricordo.language.document import Document
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.message_words import MessageWords, Mood, Span, place_of, places
from ricordo.language.facts.vocabulary import PREDICATES, USER
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
_OLDEST: Final = 130
"""Years."""
_END: Final = re.compile(r"[.!?…](?=\s)\s*|\n+")
"""Ends of sentences; an abbreviation may be taken for one, which makes a quote shorter."""


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
    """A relation that a model claims; its parts are unchecked.

    Attributes:
        quote: the words that state it; None for the sentence with the object.
    """

    subject: str
    predicate: str
    object: str
    quote: str | None = None
    polarity: Polarity = "holds"


class RelationFault(StrEnum):
    """Why a relation is rejected, as a bot is told it."""

    PREDICATE = "the predicate is not in the vocabulary"
    QUOTE = "the message does not have the words"
    SUBJECT = "the subject is neither `user` nor a name that the message has"
    OBJECT = "no sentence of the message has the object beside other words: copy it from there"
    UNSTATED = "the message asks, wishes, imagines, quotes, denies or expects it"
    CONTESTED = "the message says something else"


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
    at: datetime,
    zone: tzinfo,
) -> ValidatedStatements:
    """Return what the reader read, and those relations of the model that the message supports."""
    validation = RelationValidation(passage, by_reader, at=at, zone=zone)
    results = [validation.take(relation) for relation in relations[:_MOST]]
    statements = tuple(sorted(validation.statements, key=lambda one: one.span[0]))
    faults = tuple(one for one in results if isinstance(one, RelationFault))
    return ValidatedStatements(statements, len(statements) - len(by_reader), faults)


class RelationValidation:
    """Holds the relations that are claimed of one message against its words, and against each other.

    Attributes:
        statements: of the reader, and those that were accepted.
    """

    def __init__(
        self, passage: Passage, by_reader: Sequence[Statement], *, at: datetime, zone: tzinfo
    ) -> None:
        self.statements = list(by_reader)
        self._said = passage.said
        self._words = MessageWords(Document(passage.said.text, passage.said.language))
        self._ties = _ties(by_reader)
        self._known = self._ties.keys() | {normalise(name) for name, _ in passage.named}
        self._at, self._zone = at, zone

    def take(self, relation: Relation) -> Statement | RelationFault:
        """Return the statement of a relation, or the one that says the same, or why it is rejected."""
        read = self._read(relation)
        if isinstance(read, RelationFault):
            return read
        if contradicts(read, self.statements):
            return RelationFault.CONTESTED
        for one in self.statements:
            if says_the_same(read, one):
                return one
        self.statements = [one for one in self.statements if not _denies(one, read)]
        self.statements.append(_tied(read, self._ties))
        return self.statements[-1]

    def _read(self, relation: Relation) -> Statement | RelationFault:
        """Return what the message states of a relation: the first of the quotes that bear it out."""
        if relation.predicate not in PREDICATES:
            return RelationFault.PREDICATE
        fault = RelationFault.OBJECT if relation.quote is None else RelationFault.QUOTE
        for quote in islice(_quotes(relation, self._said.text), _MOST_PLACES):
            read = self._read_in(quote, relation)
            if isinstance(read, Statement):
                read = self._words.timed(read, self._at, self._zone) or RelationFault.UNSTATED
            if isinstance(read, Statement):
                return read
            fault = read
        return fault

    def _read_in(self, quote: Span, relation: Relation) -> Statement | RelationFault:
        subject, value = self._subject(relation), self._value(quote, relation)
        if subject is None:
            return RelationFault.SUBJECT
        if isinstance(value, RelationFault):
            return value
        if normalise(value) in (normalise(subject), ""):
            return RelationFault.OBJECT
        quoted = self._said.text[slice(*quote)]
        return Statement(subject, relation.predicate, value, quoted, quote, polarity=relation.polarity)

    def _subject(self, relation: Relation) -> str | None:
        """Return the subject as written; None where it is no name in the message, or the writer's own."""
        claimed, said = relation.subject, self._said
        if normalise(claimed) == USER:
            return USER
        place = place_of(claimed, said.text) if len(claimed) <= _LONGEST_PART else None
        if place is None:
            return None
        written = said.text[slice(*place)]
        key = normalise(written)
        if self._words.points_away(written) or (said.speaker and key == normalise(said.speaker)):
            return None  # the writer is no third person
        # Of a bot's assertion, which brings no quote, a name may be written as people type: "bex".
        is_typed = relation.quote is None and key == normalise(claimed)
        return written if is_typed or key in self._known or self._words.is_name(written) else None

    def _value(self, quote: Span, relation: Relation) -> str | RelationFault:
        """Return the object as written, where the message asserts it."""
        claimed, content, words = relation.object, self._said.text, self._words
        if relation.predicate == "age":
            claimed = words.written(claimed.strip(), content[slice(*quote)])
        if not claimed.strip() or len(claimed) > _LONGEST_PART or len(claimed.split()) > _MOST_WORDS:
            return RelationFault.OBJECT
        found = list(places(claimed, content, *quote)) or places(words.core(claimed), content, *quote)
        bare = [words.trimmed(*place) for place in islice(found, _MOST_PLACES)]
        whole = [place for place in bare if not words.points_away(content[slice(*place)])]
        if not any(_more_than(content, quote, place) for place in whole):
            return RelationFault.OBJECT
        stated = next((place for place in whole if _states(relation, words.mood(*place))), None)
        if stated is None:
            return RelationFault.UNSTATED
        written = " ".join(content[slice(*stated)].split())
        return written if relation.predicate != "age" else _age(words.number(written))


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


def _tied(one: Statement, ties: Mapping[str, str]) -> Statement:
    """Return a statement with the ties of its people."""
    named = ties.get(normalise(one.object), "") if PREDICATES[one.predicate].object_is_entity else ""
    return replace(one, subject_tie=ties.get(normalise(one.subject), ""), object_tie=named)


def _quotes(relation: Relation, content: str) -> Iterator[Span]:
    """Yield where the words stand that may state a relation: its quote, or what is around its object."""
    if relation.quote is not None:
        place = place_of(relation.quote, content) if len(relation.quote) <= _LONGEST_QUOTE else None
        yield from () if place is None else (place,)
        return
    end = -1
    for start, stop in places(relation.object, content, 0, len(content)):
        if stop > end:
            begin, end = _sentence_around(start, stop, content)
            yield begin, end


def _sentence_around(start: int, stop: int, content: str) -> Span:
    """Return the sentence of a place, without what is further than half a quote from it."""
    first, last = max(0, start - _LONGEST_QUOTE // 2), min(len(content), stop + _LONGEST_QUOTE // 2)
    before = [one.end() for one in _END.finditer(content, first, start)]
    behind = next(_END.finditer(content, stop, last), None)
    return before[-1] if before else first, last if behind is None else behind.start() + 1


def _age(years: str) -> str | RelationFault:
    return years if years and int(years) <= _OLDEST else RelationFault.OBJECT


def _states(relation: Relation, mood: Mood) -> bool:
    """Whether the mood states the relation: a denied liking is a dislike, what is over is past."""
    match mood:
        case Mood.ASSERTED:
            return relation.polarity != "denied"
        case Mood.DENIED:
            return relation.predicate == "dislikes" or relation.polarity == "denied"
        case Mood.OVER:
            return relation.polarity in ("past", "denied")
        case Mood.UNSTATED:
            return False


def _more_than(content: str, quote: Span, place: Span) -> bool:
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
