"""How much of what a language model reads in a message the message bears out.

A model is read as a witness, not obeyed: a relation counts only where the message has the words that it is
quoted with, asserts them, and names whom it is about; and where the rules read otherwise, they are right.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.facts import Mood, Statement, Wording, wording
from ricordo.language.facts.acquaintance import is_of_the_users_life, is_of_the_world
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Polarity
from ricordo.language.facts.kinship import PRESUMED
from ricordo.language.facts.quoting import place_of, places
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.llm_description import LlmMessage

_MOST: Final = 16
"""Relations of one message that are looked at."""
_MOST_PLACES: Final = 8
"""Places in a quote at which a value is looked at."""
_LONGEST_QUOTE: Final = 600
_LONGEST_PART: Final = 128
"""Characters of a subject or an object."""
_MOST_WORDS: Final = 12
"""Words of an object."""
_PERSON: Final = "person"
"""The label of people, whom one may know or read of."""
_OLDEST: Final = 130
"""Years."""


@dataclass(frozen=True, slots=True)
class RecognisedEntity:
    """An entity that a model has found in a text.

    Attributes:
        start, end: offsets `[start, end)` in the text.
        label: the kind of entity, one of those that were asked for.
        score: how sure the model is, in [0, 1].
    """

    start: int
    end: int
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A message as a model is asked for its relations.

    Attributes:
        said: the message.
        entities: what was recognised in what is shown of it; none where nobody looked.
    """

    said: LlmMessage
    entities: tuple[RecognisedEntity, ...] = ()

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The entities as they are written, each once, with their labels."""
        shown = self.said.shown
        return tuple(dict.fromkeys((shown[one.start : one.end], one.label) for one in self.entities))


@dataclass(frozen=True, slots=True)
class Relation:
    """What a model says that a message states: a claim, whose parts are anything.

    Attributes:
        subject: `user`, or a name.
        predicate: of the vocabulary, if the model keeps to it.
        object: the value.
        quote: the words of the message that state it.
        past: whether it is said to be over.
    """

    subject: str
    predicate: str
    object: str
    quote: str
    past: bool = False


class RelationFault(StrEnum):
    """Why a relation does not count."""

    PREDICATE = "predicate"
    """It is none of the vocabulary."""
    QUOTE = "quote"
    """The message has no such words."""
    SUBJECT = "subject"
    """It is neither the user nor a name in the message."""
    OBJECT = "object"
    """It is not among the words quoted, or says nothing by itself."""
    UNSTATED = "unstated"
    """The message asks, wishes, imagines, quotes or denies it, or tells of what is still to come."""
    CONTESTED = "contested"
    """The rules read otherwise."""


@dataclass(frozen=True, slots=True)
class ValidatedStatements:
    """What a message states, after a model was heard.

    Attributes:
        statements: those of the rules and those that the model added, in the order of the text.
        added: how many of them the model added.
        faults: of each relation that was dropped.
    """

    statements: tuple[Statement, ...]
    added: int = 0
    faults: tuple[RelationFault, ...] = field(default=())


def validate_relations(
    passage: Passage,
    relations: Sequence[Relation],
    by_rules: Sequence[Statement],
    *,
    at: datetime | None = None,
    zone: ZoneInfo | None = None,
) -> ValidatedStatements:
    """Return what the rules read, with what the model says where the message bears it out.

    Args:
        passage: what the model was shown.
        relations: what it says, of anybody and anything.
        by_rules: what the rules read in the same message.
        at: when it was said, aware; see `extract`.
        zone: the writer's.
    """
    words = wording(passage.said.text, passage.said.language)
    ties, labels = _ties(by_rules), {normalise(name): label for name, label in passage.named}
    known = labels.keys() | ties.keys()
    found = list(by_rules)
    faults: list[RelationFault] = []
    for relation in relations[:_MOST]:
        read = _read(relation, passage.said, words, known)
        if isinstance(read, Statement) and at is not None:
            read = words.timed(read, at, zone) or RelationFault.UNSTATED
        if isinstance(read, RelationFault):
            faults.append(read)
        elif _contradicts(read, found):
            faults.append(RelationFault.CONTESTED)
        elif not any(_says_the_same(read, one) for one in found):
            found = [one for one in found if not _denies(one, read)]
            found.append(_tied(read, ties, labels))
    found.sort(key=lambda one: one.span[0])
    return ValidatedStatements(tuple(found), len(found) - len(by_rules), tuple(faults))


def _ties(statements: Iterable[Statement]) -> dict[str, str]:
    """Return what ties people to the user, by their names: a model is not asked for that."""
    ties: dict[str, str] = {}
    for one in statements:
        if one.polarity == "denied":
            continue
        for name, tie in ((one.subject, one.subject_tie), (one.object, one.object_tie)):
            if tie:
                ties.setdefault(normalise(name), tie)
    return ties


def _tied(one: Statement, ties: Mapping[str, str], labels: Mapping[str, str]) -> Statement:
    """Return a statement with what ties its people to the user; who is a stranger is marked as one."""
    subject, value = normalise(one.subject), normalise(one.object)
    tie = ties.get(subject) or (PRESUMED if _is_a_stranger(one.subject, labels.get(subject)) else "")
    named = ties.get(value, "") if PREDICATES[one.predicate].about else ""
    return replace(one, subject_tie=tie, object_tie="" if named == PRESUMED else named)


def _is_a_stranger(name: str, label: str | None) -> bool:
    """Tell whether a name is one under which people speak of whom they read of; `label` where recognised."""
    parts = name.lower().split()
    if name == USER or label not in (None, _PERSON):
        return False
    return is_of_the_world(parts) if label == _PERSON else not is_of_the_users_life(parts)


def _read(
    relation: Relation, said: LlmMessage, words: Wording, known: AbstractSet[str]
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
    return Statement(subject, relation.predicate, value, content[slice(*quote)], quote, polarity)


def _subject(claimed: str, said: LlmMessage, words: Wording, known: AbstractSet[str]) -> str | None:
    """Return the subject as it is written; None where it is no name in the message, or the writer's own."""
    if normalise(claimed) == USER:
        return USER
    place = place_of(claimed, said.text) if len(claimed) <= _LONGEST_PART else None
    if place is None:
        return None
    written = said.text[slice(*place)]
    if said.speaker and normalise(written) == normalise(said.speaker):
        return None  # as for the rules, the writer is no third person
    return written if normalise(written) in known or words.is_name(written) else None


def _value(relation: Relation, content: str, quote: tuple[int, int], words: Wording) -> str | RelationFault:
    """Return the object as it is written, where the message asserts it."""
    claimed = relation.object
    if relation.predicate == "age":
        claimed = words.written(claimed.strip(), content[slice(*quote)])
    if not claimed.strip() or len(claimed) > _LONGEST_PART or len(claimed.split()) > _MOST_WORDS:
        return RelationFault.OBJECT
    found = list(places(claimed, content, *quote)) or places(words.core(claimed), content, *quote)
    bare = [words.bare(*place) for place in islice(found, _MOST_PLACES)]
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
    """Tell whether what is put so states the relation: a denied liking is a dislike, and what is over was."""
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
    """Tell whether a quote has any word beside those at `place`: a value alone states nothing."""
    around = content[quote[0] : place[0]] + " " + content[place[1] : quote[1]]
    return any(letter.isalpha() for letter in around)


def _contradicts(one: Statement, others: Iterable[Statement]) -> bool:
    """Tell whether another value stands for what has one at a time, or the opposite is said of the same."""
    predicate = PREDICATES[one.predicate]
    for other in others:
        if normalise(other.subject) != normalise(one.subject) or _denies(other, one):
            continue
        same = normalise(other.object) == normalise(one.object)
        if other.predicate == one.predicate:
            alike = _over(other) == _over(one)
            if (same and not alike) or (predicate.functional and not same and alike):
                return True
        if same and other.predicate == predicate.opposite:
            return True
    return False


def _over(one: Statement) -> bool:
    return one.polarity not in ("holds", "began")


def _denies(one: Statement, other: Statement) -> bool:
    """Tell whether one denies what the other says to be over: "I sold the Vespa" had one, says a model."""
    if one.polarity != "denied" or other.polarity != "past" or other.predicate != one.predicate:
        return False
    same = normalise(one.subject) == normalise(other.subject)
    return same and normalise(one.object) == normalise(other.object)


def _says_the_same(one: Statement, other: Statement) -> bool:
    """Tell whether both state one thing, be it in more words: "pizza" and "pizza with onions"."""
    if other.predicate != one.predicate or normalise(other.subject) != normalise(one.subject):
        return False
    if other.polarity == "denied":
        return False
    mine, others = normalise(one.object), normalise(other.object)
    if mine == others:
        return True
    overlap = one.span[0] < other.span[1] and other.span[0] < one.span[1]
    return overlap and (place_of(mine, others) is not None or place_of(others, mine) is not None)
