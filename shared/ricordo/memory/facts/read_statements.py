"""Turns what the reader read in a message into statements, by exact rules: kin, numbers, names, times."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ricordo.language.annotations import Role
from ricordo.language.corrections.correction_parsing import read_correction
from ricordo.language.document import document_of
from ricordo.language.facts.entity_names import is_name, normalise
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.kinship import Tie
from ricordo.language.facts.message_words import MessageWords, Mood
from ricordo.language.facts.vocabulary import OBJECT_KINDS, SINGLE_VALUED, USER
from ricordo.language.reading import LEARNED, STATED, ReadStatement, Span
from ricordo.language.temporal.moments import find_zone
from ricordo.memory.facts.relation_validation import contradicts, says_the_same
from ricordo.memory.facts.subjects import EDGES, Subjects
from ricordo.memory.facts.utterances import Utterance

_INTENDED: Final = frozenset({"plans", "wants", "attends", "deadline", "agreement", "decision", STATED})
"""What may be of a time to come; all else that is planned is a plan."""
_SURE: Final = 0.7
"""From here on a value may displace a known one."""
_ENDING: Final = frozenset({"place", "organisation"})
"""Kinds of objects that end with their name."""
_UNIT: Final = 12  # characters behind an age, within which "months" is seen
_PICTURES: Final = re.compile(r"[^\w\s!-~€£°’]+$")  # whatever is no letter, figure or sign of a keyboard


def statements_of(utterance: Utterance) -> tuple[Statement, ...]:
    """Return what was read in a message, in the order of the text; of an assistant nothing.

    A clause is noted only where nothing else is stated of it.
    """
    reading, language, role = utterance.reading, utterance.language, utterance.role
    if reading is None or not reading.statements or role != Role.USER or language not in (*LEARNED, ""):
        return ()
    reader = _Message(utterance)
    found: list[Statement] = []
    # Names first: whoever is named is not told once more as "dog"; and last what is only noted.
    ranks = {"name": 0, STATED: 2}
    read = map(_doubted, reading.statements)
    for one in sorted(read, key=lambda one: (ranks.get(one.predicate, 1), -one.certainty)):
        stated = None if reader.puts_right(one) else reader.statement(one)
        others = [each for each in found if stated is None or not _is_named(stated, each)]
        if stated is not None and not contradicts(stated, others):
            found = others if any(_covers(each, stated) for each in others) else [*others, stated]
    found += _ties(utterance.content, found)
    return tuple(sorted(found, key=lambda one: one.span[0]))


def _ties(text: str, found: Sequence[Statement]) -> Iterator[Statement]:
    """Yield that the user has the relatives whom a text names: "my sister Nora lives in Lisbon"."""
    known = {normalise(one.object) for one in found if one.subject == USER}
    for one in found:
        tie = Tie.parse(one.subject_tie)
        if tie is None or not tie.named or one.subject not in text or normalise(one.subject) in known:
            continue
        known.add(normalise(one.subject))
        polarity: Polarity = "past" if tie.former else "holds"
        yield Statement(
            USER,
            tie.predicate,
            one.subject,
            one.quote,
            one.span,
            polarity=polarity,
            object_tie=one.subject_tie,
        )


class _Message:
    """A message, of which statements are made by the words of its language."""

    def __init__(self, utterance: Utterance) -> None:
        self._utterance = utterance
        self._words = MessageWords(document_of(utterance.content, utterance.language))
        self._subjects = Subjects(utterance)

    def puts_right(self, read: ReadStatement) -> bool:
        """Return whether a statement only corrects another message: what is right, that one tells."""
        text, language = self._utterance.content, self._utterance.language
        if read_correction(document_of(text, language)) is None:
            return False
        if self._words.mood(*read.object) is Mood.DENIED:  # "come architetto, non come geometra"
            return True
        return read_correction(document_of(text[slice(*read.clause)], language)) is not None

    def statement(self, read: ReadStatement) -> Statement | None:
        """Return what was read as a statement; None where subject or object cannot be told."""
        text, words = self._utterance.content, self._words
        who, polarity = self._subjects.subject_of(read), _polarity(read)
        if who is None or polarity is None:
            return None
        (subject, tie), predicate = who, read.predicate
        place = read.object if predicate == STATED else self._without_tail(read, words.trimmed(*read.object))
        what = self._subjects.object_of(subject, predicate, _tidy(text, place), place)
        if what is None:
            return None
        value, object_tie = what
        if read.status == "planned" and predicate not in _INTENDED:
            predicate, value = "plans", _tidy(text, read.clause)
        if predicate == "likes" and polarity == "denied":
            predicate, polarity = "dislikes", "holds"
        if predicate == "age":
            value = words.years(text[place[0] : place[1] + _UNIT])
        if not is_name(value) or words.points_away(value):
            # The object is no usable value: the clause is noted.
            noted = replace(read, predicate=STATED, object=read.clause)
            return None if predicate == STATED else self.statement(noted)
        kin = Tie.parse(tie) if predicate == "name" and tie else None
        if kin is not None and (not kin.named or normalise(subject) == normalise(value)):
            # "My dog is called Birba" and "my sister Nora" say whose they are.
            subject, predicate, tie, object_tie = USER, kin.predicate, "", str(replace(kin, named=True))
        if normalise(subject) == normalise(value) or (predicate == "name" and kin is not None and kin.named):
            return None  # somebody who has a name has no other one
        known = Tie.parse(object_tie)
        if polarity == "holds" and known is not None and known.former:
            polarity = "past"  # "my ex Paolo" is nobody's partner now, whatever the reader says of when
        stated = Statement(
            subject,
            predicate,
            value,
            text[slice(*read.clause)],
            read.clause,
            polarity=polarity,
            subject_tie=tie,
            object_tie=object_tie,
        )
        return words.timed(stated, self._utterance.said_at, find_zone(self._utterance.timezone))

    def _without_tail(self, read: ReadStatement, place: Span) -> Span:
        """Return a place or an organisation up to the end of its name: "Ghent above a bakery"."""
        reading, kind = self._utterance.reading, OBJECT_KINDS.get(read.predicate)
        if reading is None or kind not in _ENDING:
            return place
        text, names = self._utterance.content, reading.names
        ends = [end for start, end, of in names if of == kind and place[0] <= start and end <= place[1]]
        end = max(ends, default=place[1])
        return (place[0], end) if text[end : end + 1].isspace() else place  # not within "E.ON"


def _tidy(text: str, place: Span) -> str:
    """Return a part of a text as a value, with single spaces and without pictures at its end."""
    return _PICTURES.sub("", " ".join(text[slice(*place)].split())).strip(EDGES)


def _doubted(read: ReadStatement) -> ReadStatement:
    """Return a statement; only noted where the speaker doubts it, or a known value is at stake."""
    if read.hedge == "sure" and (read.predicate not in SINGLE_VALUED or read.certainty >= _SURE):
        return read
    return replace(read, predicate=STATED, object=read.clause)


def _polarity(read: ReadStatement) -> Polarity | None:
    if read.denied:
        return None if read.predicate in ("dislikes", STATED) else "denied"
    return "past" if read.status in ("past", "ended") else "holds"


def _covers(one: Statement, other: Statement) -> bool:
    """Whether a statement makes another one needless: of the same words, or of the same being."""
    if says_the_same(other, one) or _is_named(one, other):
        return True
    if not (one.span[0] < other.span[1] and other.span[0] < one.span[1]):
        return False
    if other.predicate == STATED:  # a clause that holds more than what is typed of it stays
        return one.predicate == STATED
    same = normalise(one.object) == normalise(other.object)
    return same and (one.subject == other.subject or one.predicate == other.predicate)


def _is_named(one: Statement, unnamed: Statement) -> bool:
    """Whether a statement names the being of which another only tells the kind: "Birba" and "cane"."""
    known, told = Tie.parse(one.object_tie), Tie.parse(unnamed.object_tie)
    if known is None or told is None or told.named or one.subject != unnamed.subject:
        return False
    only_one = not known.noun and one.predicate == unnamed.predicate and one.predicate in SINGLE_VALUED
    return known.named and (known.noun == told.noun or only_one)
