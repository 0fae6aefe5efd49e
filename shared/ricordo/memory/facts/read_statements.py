"""Turns what the reader read in a message into statements, by exact rules: kin, numbers, names, times."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from ricordo.language.annotations import Role
from ricordo.language.corrections import read_correction
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import document_of
from ricordo.language.facts import MessageGrammar, Statement, extract, message_grammar
from ricordo.language.facts.entity_names import is_name, normalise
from ricordo.language.facts.evidence import Polarity
from ricordo.language.facts.fact_grammar import Kin
from ricordo.language.facts.grammar_data import load_grammar
from ricordo.language.facts.kinship import BEINGS, Tie
from ricordo.language.facts.vocabulary import SINGLE_VALUED, USER
from ricordo.language.instructions import is_instructing
from ricordo.language.reading import LEARNED, STATED, Reading, ReadStatement, Span, is_like
from ricordo.language.temporal.moments import find_zone
from ricordo.memory.facts.relation_validation import contradicts, says_the_same
from ricordo.memory.facts.utterances import Utterance

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EDGES: Final = " \t\n.,;:!?…\"'’()[]{}«»“”"
_INTENDED: Final = frozenset({"plans", "wants", "attends", "deadline", "agreement", "decision", STATED})
"""What may be of a time to come; all else that is planned is a plan."""
_SURE: Final = 0.8
_BEINGS: Final = frozenset({"person", "animal"})
_NAMED: Final = _BEINGS | {"organisation", "event", "work", "product"}
"""Kinds of names of which something may be stated: what is said of a place is of no interest here."""


def statements_of(utterance: Utterance) -> tuple[Statement, ...]:
    """Return what a message states, by the rules and by its reading, in the order of the text.

    Where the rules read the same thing, or another value of it, theirs stands. A clause is noted only where
    nothing else is stated of it.
    """
    document = document_of(utterance.content, utterance.language)
    found = list(
        extract(
            document,
            speaker=utterance.speaker,
            role=utterance.role,
            at=utterance.said_at,
            timezone=find_zone(utterance.timezone),
            presumed=True,
            denied=True,
        )
    )
    reads = utterance.language in (*LEARNED, "") and not is_instructing(utterance.content)
    if utterance.reading is None or not reads or utterance.role != Role.USER:
        return tuple(found)
    if read_correction(document) is not None:  # what is put right is told by the message that it corrects
        return tuple(found)
    reader = _Message.of(utterance)
    # Names first: whoever is named is not told once more as "dog"; and last what is only noted.
    ranks = {"name": 0, STATED: 2}
    read = map(_doubted, utterance.reading.statements)
    for one in sorted(read, key=lambda one: ranks.get(one.predicate, 1)):
        stated = reader.statement(one)
        if stated is None or contradicts(stated, found):
            continue
        if not any(_covers(each, stated) for each in found):
            found = [each for each in found if not _is_named(stated, each)]
            found.append(stated)
    return tuple(sorted(found, key=lambda one: one.span[0]))


@dataclass(frozen=True, slots=True)
class _Message:
    """A message with the words of its language.

    Attributes:
        kin: what nouns tie somebody to the user.
    """

    utterance: Utterance
    words: MessageGrammar
    kin: Mapping[str, Kin]

    @classmethod
    def of(cls, utterance: Utterance) -> Self:
        document = document_of(utterance.content, utterance.language)
        known = utterance.language in LANGUAGES
        kin = load_grammar(utterance.language).kin if known else {}
        return cls(utterance, message_grammar(document), kin)

    def statement(self, read: ReadStatement) -> Statement | None:
        """Return what was read as a statement; None where subject or object cannot be told."""
        text = self.utterance.content
        who = self._subject(read)
        place = read.object if read.predicate == STATED else self.words.trimmed(*read.object)
        value = " ".join(text[slice(*place)].split()).strip(_EDGES)
        predicate, polarity = read.predicate, _polarity(read)
        if who is None or polarity is None:
            return None
        subject, tie = who
        if read.status == "planned" and predicate not in _INTENDED:
            predicate, value = "plans", " ".join(text[slice(*read.clause)].split()).strip(_EDGES)
        if predicate == "likes" and polarity == "denied":
            predicate, polarity = "dislikes", "holds"
        if predicate == "age":
            value = self.words.number(value)
        if not is_name(value) or self.words.points_away(value):
            return None
        if predicate == "name":
            kin = Tie.parse(tie) if tie else None
            if kin is not None and not kin.named:  # "my dog is called Birba" says whose dog Birba is
                subject, predicate, tie = USER, kin.predicate, ""
                object_tie = str(replace(kin, named=True))
            else:
                object_tie = ""
        else:
            object_tie = self._object_tie(predicate, value, read.object)
        if normalise(subject) == normalise(value):
            return None
        quote = text[slice(*read.clause)]
        stated = Statement(
            subject,
            predicate,
            value,
            quote,
            read.clause,
            polarity,
            subject_tie=tie,
            object_tie=object_tie,
        )
        return self.words.timed(stated, self.utterance.said_at, find_zone(self.utterance.timezone))

    def _subject(self, read: ReadStatement) -> tuple[str, str] | None:
        """Return the name of whom a statement is about, and what ties them to the user; None if unknown."""
        if read.of == "speaker":
            return USER, ""
        if read.of == "named":
            return self._named(self.utterance.content, read.subject_at, self.utterance.reading)
        said = self.utterance
        # Of another than the speaker, and named within the clause after all.
        here = [at for at in self._beings(said.content, said.reading) if _holds(read.clause, at)]
        if here:
            return self._named(said.content, here[0], said.reading)
        before = self._beings(said.previous, said.previous_reading)
        return self._named(said.previous, max(before), said.previous_reading) if before else None

    def _beings(self, text: str, reading: Reading | None) -> list[int]:
        """Return where somebody is named, or told by a term of kinship."""
        named = [start for start, _, kind in reading.names if kind in _BEINGS] if reading else []
        told = [word.start() for word in _WORD.finditer(text) if word[0].casefold() in self.kin]
        return sorted({*named, *told})

    def _named(self, text: str, at: int, reading: Reading | None) -> tuple[str, str] | None:
        """Return who is named at an offset of a text: by a name, or by a term of kinship."""
        word = _WORD.match(text, at)
        if word is None:
            return None
        kin = self.kin.get(word[0].casefold())
        if kin is not None and not kin.plural:
            name = _name_behind(text, word.end())
            if name is not None:
                return name, str(Tie(kin.predicate, kin.gender, kin.noun))
            return kin.noun, str(Tie(kin.predicate, kin.gender, kin.noun, named=False))
        name = _whole_name(text, word.span(), reading)
        if not name[:1].isupper():
            return None
        if normalise(name) == normalise(self.utterance.speaker):
            return USER, ""
        before = self._kin_before(text, word.start())
        return name, "" if before is None else str(Tie(before.predicate, before.gender, before.noun))

    def _kin_before(self, text: str, at: int) -> Kin | None:
        """Return the term of kinship that stands directly before a name: "my sister Anna"."""
        before = _WORD.findall(text[:at])[-1:]
        return self.kin.get(before[0].casefold()) if before else None

    def _object_tie(self, predicate: str, value: str, place: Span) -> str:
        """Return what ties a being that is the object to the user."""
        if predicate not in BEINGS:
            return ""
        kin = self.kin.get(value.casefold())
        if kin is not None:
            return str(Tie(predicate, kin.gender, kin.noun, named=False))
        before = self._kin_before(self.utterance.content, place[0])
        if before is not None and before.predicate == predicate:
            return str(Tie(predicate, before.gender, before.noun))
        return str(Tie(predicate))


def _doubted(read: ReadStatement) -> ReadStatement:
    """Return a statement; only noted where the speaker doubts it, or it might displace a known value."""
    if read.hedge == "sure" and (read.certainty >= _SURE or read.predicate not in SINGLE_VALUED):
        return read
    return replace(read, predicate=STATED, object=read.clause)


def _polarity(read: ReadStatement) -> Polarity | None:
    if read.denied:
        return None if read.predicate in ("dislikes", STATED) else "denied"
    return "past" if read.status in ("past", "ended") else "holds"


def _name_behind(text: str, at: int) -> str | None:
    """Return the name that follows a term of kinship at once: "sister Anna Rossi"."""
    names: list[str] = []
    for word in _WORD.finditer(text, at):
        if text[at : word.start()].strip() or not word[0][0].isupper():
            break
        names.append(word[0])
        at = word.end()
    return " ".join(names) or None


def _whole_name(text: str, word: Span, reading: Reading | None) -> str:
    """Return the whole name that a word belongs to, as the reader found it; empty for that of a place."""
    for start, end, kind in reading.names if reading else ():
        if start <= word[0] < end:
            return text[start:end].strip(_EDGES) if kind in _NAMED else ""
    return text[slice(*word)]


def _covers(one: Statement, other: Statement) -> bool:
    """Whether a statement makes another one needless: of the same words, or of the same being."""
    if says_the_same(other, one) or _is_named(one, other):
        return True
    if not (one.span[0] < other.span[1] and other.span[0] < one.span[1]):
        return False
    if other.predicate == STATED:
        return True
    same = normalise(one.object) == normalise(other.object)
    if one.subject == other.subject:
        return same or (is_like(one.predicate, other.predicate) and one.predicate != other.predicate)
    return same and one.predicate == other.predicate


def _is_named(one: Statement, unnamed: Statement) -> bool:
    """Whether a statement names the being of which another only tells the kind: "Birba" and "cane"."""
    known, told = Tie.parse(one.object_tie), Tie.parse(unnamed.object_tie)
    if known is None or told is None or told.named or one.subject != unnamed.subject:
        return False
    return known.named and known.noun == told.noun


def _holds(span: Span, at: int) -> bool:
    return span[0] <= at < span[1]
