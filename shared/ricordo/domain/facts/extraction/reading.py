"""Reading a message clause by clause: who each clause is about, and what it says of them."""

from dataclasses import dataclass
from typing import Final

from ricordo.domain.facts.entities import normalise
from ricordo.domain.facts.evidence import Polarity
from ricordo.domain.facts.extraction.clauses import Clause, assertions, clauses, in_jest
from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.mentions import Mention, kin_at, mentions, named_after
from ricordo.domain.facts.extraction.names import Cast, Person, Span, name_at
from ricordo.domain.facts.extraction.objects import Objects
from ricordo.domain.facts.extraction.phrases import Reader, Rule, longest
from ricordo.domain.facts.extraction.statement import Statement
from ricordo.domain.facts.extraction.tokens import Tokens
from ricordo.domain.facts.extraction.verbs import Verb, verb_at
from ricordo.domain.facts.vocabulary import FUNCTIONAL, USER

LONGEST_OPENING: Final = 10
"""Words a clause may begin with before its subject."""

_NAMEABLE: Final = frozenset({"has_pet", "has_child", "has_sibling", "partner"})
"""Kinships worth stating without a name ("I have a sister")."""

Who = Person | None
"""The subject: somebody, or (None) the user."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A statement whose people may still be named by a later clause."""

    subject: Who
    predicate: str
    object: str | Person
    span: Span
    polarity: Polarity


class Reading:
    """Reads one message."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._objects = Objects(tokens, grammar)
        self._cast = Cast()
        self._drafts: list[_Draft] = []
        self._mentions: dict[int, Mention] = {}
        self._subject: Who = None
        self._subject_known = False
        self._span: Span = (0, 0)

    def statements(self) -> tuple[Statement, ...]:
        """Return what the message states, in its order, each once."""
        if in_jest(self._tokens, self._grammar):
            return ()
        for begin, end in assertions(self._tokens, self._grammar):
            self._sentence(begin, end)
        return self._resolved()

    def _sentence(self, begin: int, end: int) -> None:
        self._subject_known = False
        found = mentions(self._tokens, self._grammar, begin, end)
        for mention in found:
            self._mentions[mention.begin] = mention
        for clause in clauses(self._tokens, self._grammar, begin, end, self._mentions):
            self._span = (clause.begin, clause.end)
            self._introduce(found, clause)
            self._clause(clause)

    def _introduce(self, found: list[Mention], clause: Clause) -> None:
        for mention in found:
            if clause.begin <= mention.begin < clause.end:
                named = bool(mention.person.names)
                person = self._cast.introduce(mention.person)
                self._mentions[mention.begin] = Mention(mention.begin, mention.end, person)
                if named and person.kin:
                    self._draft(None, person.kin.predicate, person, (mention.begin, mention.end))

    def _clause(self, clause: Clause) -> None:
        begin, end = clause.begin, clause.end
        if clause.relative:
            person = self._cast.latest()
            if person is not None:
                self._about(person, begin, end)
            return
        for at in range(begin, min(end, begin + LONGEST_OPENING)):
            if (
                self._attribute(at, end)
                or self._favourite(at, end)
                or self._subject_at(at, end)
                or self._subjectless(at, end)
            ):
                return
            if not self._opens(at):
                return

    def _opens(self, at: int) -> bool:
        word, grammar = self._tokens.low[at], self._grammar
        return (
            word in grammar.openers
            or word in grammar.adverbs
            or word in grammar.prepositions
            or word in grammar.breakers
            or word in grammar.conjunctions
            or word in grammar.determiners
            or not word[0].isalpha()
        )

    def _attribute(self, at: int, end: int) -> bool:
        found = longest(self._grammar.attributes, self._tokens.low, at, end, self._grammar.adverbs)
        if found is None:
            return False
        rule, after = found
        subject = self._cast.latest() if rule.person else None
        if subject is not None or not rule.person:
            self._state(subject, rule, after, end, "holds")
        return True

    def _favourite(self, at: int, end: int) -> bool:
        """Read "my favourite dish is carbonara", "il mio piatto preferito è la carbonara"."""
        low, grammar = self._tokens.low, self._grammar
        if low[at] not in grammar.possessives:
            return False
        for favourite in range(at + 1, min(at + 4, end)):
            if low[favourite] in grammar.favourite:
                copula = next(
                    (i for i in range(favourite + 1, min(favourite + 6, end)) if low[i] in grammar.to_be),
                    None,
                )
                if copula is not None:
                    self._state(None, Rule("likes", Reader.THING), copula + 1, end, "holds")
                return True
        return False

    def _subject_at(self, at: int, end: int) -> bool:
        low, grammar = self._tokens.low, self._grammar
        word = low[at]
        if word in grammar.user_pronouns:
            return self._about(None, self._over_company(at + 1, end), end)
        mention = self._mentions.get(at)
        if mention is not None and at < mention.end <= end:
            after = self._with_user(mention.end, end)
            return self._about(mention.person if after is None else None, after or mention.end, end)
        if word in grammar.third_pronouns and not self._tokens.raw[at].isupper():
            person = self._cast.latest(grammar.third_pronouns[word])
            if person is not None:
                self._about(person, at + 1, end)
            return True
        return self._named_subject(at, end)

    def _named_subject(self, at: int, end: int) -> bool:
        after = name_at(self._tokens, self._grammar, at, end)
        first = self._tokens.low[at]
        if (
            after == at
            or first in self._grammar.other_pronouns
            or first in self._grammar.phrases.words
            or first in self._grammar.openers
        ):
            return False
        joined = self._with_user(after, end)
        if joined is not None:
            return self._about(None, joined, end)
        if self._verb(after, end) is None:
            return False
        person = self._cast.introduce(Person(None, names=[self._tokens.text(at, after)]))
        return self._about(person, after, end)

    def _with_user(self, at: int, end: int) -> int | None:
        """Read "… and I": the subject is the user among others. Returns the index after it."""
        low, grammar = self._tokens.low, self._grammar
        joined = at + 1 < end and low[at] in grammar.conjunctions and low[at + 1] in grammar.user_pronouns
        return at + 2 if joined else None

    def _over_company(self, at: int, end: int) -> int:
        """Step over "… and my wife" after the user's pronoun."""
        if at + 1 >= end or self._tokens.low[at] not in self._grammar.conjunctions:
            return at
        mention = self._mentions.get(at + 1)
        return (
            mention.end if mention is not None else max(at, name_at(self._tokens, self._grammar, at + 1, end))
        )

    def _subjectless(self, at: int, end: int) -> bool:
        """Read a clause that starts with its verb: of the subject before it, or of the verb's own person."""
        verb = self._verb(at, end)
        if verb is None or (not verb.rule.person and not self._subject_known):
            return False
        if verb.rule.person == 1:
            self._said(None, verb, end)
        elif verb.rule.person:
            person = self._subject if self._subject_known and self._subject else self._cast.latest()
            if person is not None:
                self._said(person, verb, end)
        else:
            self._said(self._subject, verb, end)
        return True

    def _about(self, subject: Who, at: int, end: int) -> bool:
        self._subject, self._subject_known = subject, True
        low = self._tokens.low
        while at < end and (low[at] in self._grammar.relatives or low[at] == ","):
            at += 1
        verb = self._verb(at, end)
        if verb is not None and verb.rule.person != (1 if subject is not None else 3):
            self._said(subject, verb, end)
        return True

    def _verb(self, at: int, end: int) -> Verb | None:
        return verb_at(self._tokens.low, self._grammar, at, end)

    def _said(self, subject: Who, verb: Verb, end: int) -> None:
        rule, polarity = verb.rule, verb.rule.polarity
        if verb.negated and rule.denied:
            rule = Rule(rule.denied, rule.reader)
        elif verb.negated and verb.over:
            polarity = "past"
        elif verb.negated:
            return
        elif verb.over:
            polarity = "past"
        self._state(subject, rule, verb.end, end, polarity)

    def _state(self, subject: Who, rule: Rule, at: int, end: int, polarity: Polarity) -> None:
        if rule.reader is Reader.ROLE:
            self._role(subject, rule, at, end, polarity)
        elif rule.reader is Reader.KIN:
            if subject is not None:
                self._draft(None, rule.predicate, subject, self._span)
        elif rule.reader in (Reader.POSSESSION, Reader.ACQUISITION):
            for begin, stop in self._objects.pieces(at, end):
                self._possession(subject, begin, stop, rule.reader)
        elif rule.predicate == "name":
            self._naming(subject, at, end)
        else:
            self._objects_of(subject, rule, at, end, polarity)

    def _objects_of(self, subject: Who, rule: Rule, at: int, end: int, polarity: Polarity) -> None:
        mention = self._mentions.get(at)
        if rule.reader is Reader.NAME and mention is not None:
            return
        spans = self._objects.read(rule.reader, at, end)
        for begin, stop in spans[:1] if rule.predicate in FUNCTIONAL else spans:
            self._draft(subject, rule.predicate, self._value(rule, begin, stop), self._span, polarity)
            if rule.reader is Reader.NAME:
                self._cast.introduce(Person(None, names=[self._tokens.text(begin, stop)]))
        self._continued(subject, rule, spans[-1][1] if spans else at, end, polarity)

    def _value(self, rule: Rule, begin: int, end: int) -> str:
        if rule.reader is Reader.AGE:
            return self._objects.number(begin) or self._tokens.text(begin, end)
        return self._tokens.text(begin, end)

    def _continued(self, subject: Who, rule: Rule, at: int, end: int, polarity: Polarity) -> None:
        """Read what goes on after an object: "… as a nurse | at the Mater", "… from Rome | to Milan"."""
        tree = self._grammar.after.get(rule.predicate)
        if tree is None or at >= end:
            return
        if self._tokens.low[at] == ",":
            at += 1
        found = longest(tree, self._tokens.low, at, end, self._grammar.adverbs)
        if found is None:
            return
        following, after = found
        moved = following.predicate == rule.predicate
        if moved and polarity == "holds":
            return
        spans = self._objects.read(following.reader, after, end)
        for begin, stop in spans[:1]:
            self._draft(
                subject,
                following.predicate,
                self._value(following, begin, stop),
                self._span,
                "holds" if moved else polarity,
            )

    def _naming(self, subject: Who, at: int, end: int) -> None:
        after = name_at(self._tokens, self._grammar, at, end, loose=True)
        if after == at:
            return
        name = self._tokens.text(at, after)
        if subject is None:
            self._draft(None, "name", name, self._span)
        elif not subject.names and subject.kin:
            spans, _ = named_after(self._tokens, self._grammar, subject.kin, at, end, apposed=False)
            subject.names = [self._tokens.text(*span) for span in spans] or [name]
            self._draft(None, subject.kin.predicate, subject, self._span)

    def _role(self, subject: Who, rule: Rule, at: int, end: int, polarity: Polarity) -> None:
        """Read what follows "to be": a kinship, a name, an age, a job, what somebody is, a condition."""
        mention = self._mentions.get(at)
        if mention is not None:
            self._identified(subject, mention)
            return
        begin = self._objects.lead(at, end)
        if begin >= end:
            return
        if self._grammar.code == "en" and self._aged(subject, at, end, polarity):
            return
        if self._named(subject, rule, at, end):
            return
        after = self._objects.noun_phrase(begin, end)
        if after == begin:
            return
        articled = begin > at and self._tokens.low[begin - 1] in self._grammar.determiners
        predicate = self._kind(begin, after, articled=articled or self._grammar.code == "it")
        if predicate is None:
            return
        self._draft(subject, predicate, self._tokens.text(begin, after), self._span, polarity)
        self._continued(subject, Rule(predicate, Reader.ROLE), after, end, polarity)

    def _kind(self, begin: int, end: int, *, articled: bool) -> str | None:
        if articled and self._objects.is_occupation(begin, end):
            return "works_as"
        if self._objects.is_condition(begin, end):
            return "has_condition"
        return "is_a" if (articled or end == begin + 1) and self._objects.is_role(begin, end) else None

    def _aged(self, subject: Who, at: int, end: int, polarity: Polarity) -> bool:
        spans = self._objects.age(at, end) if polarity == "holds" else []
        for begin, _ in spans:
            self._draft(subject, "age", self._objects.number(begin) or "", self._span)
        return bool(spans)

    def _identified(self, subject: Who, mention: Mention) -> None:
        """Read "Nora is my sister"."""
        person = mention.person
        if subject is not None and subject.names and not person.names and person.kin:
            subject.kin = subject.kin or person.kin
            self._draft(None, person.kin.predicate, subject, self._span)

    def _named(self, subject: Who, rule: Rule, at: int, end: int) -> bool:
        """Read "I'm Davide", "my best friend is Luca"."""
        after = name_at(self._tokens, self._grammar, at, end)
        low, grammar = self._tokens.low, self._grammar
        if (
            rule.predicate != "name"
            or after == at
            or low[at] in grammar.roles
            or low[at].endswith(("ish", "ese", "ian", "can", "ench", "ano", "ana"))
        ):
            return False
        if (
            after < end
            and low[after][0].isalnum()
            and low[after] not in grammar.conjunctions
            and low[after] not in grammar.stops
        ):
            return False
        if subject is None or not subject.names:
            self._naming(subject, at, end)
        return True

    def _possession(self, subject: Who, begin: int, end: int, reader: Reader) -> None:
        low = self._tokens.low
        if low[begin] in ("no", "nessun", "nessuno", "nessuna", "neither"):
            return
        at = self._objects.lead(begin, end)
        if at >= end or low[at] in self._grammar.possessives or low[at] in self._grammar.other_pronouns:
            return
        term = kin_at(self._tokens, self._grammar, at, end)
        after = self._objects.noun_phrase(at, end)
        if term is not None and not self._compounded(term[1], after):
            self._related(subject, at, term[0].noun, end, reader)
            return
        if after > at:
            self._had(subject, begin, at, after, reader)

    def _compounded(self, at: int, after: int) -> bool:
        """Whether the kinship term only narrows another noun down: "a cat allergy", "a dog bed"."""
        return (
            at < after
            and self._tokens.raw[at].islower()
            and longest(self._grammar.naming, self._tokens.low, at, after, ()) is None
        )

    def _related(self, subject: Who, at: int, noun: str, end: int, reader: Reader) -> None:
        """Read "a dog named Max", "two sisters, Anna and Clara", "una gatta"."""
        term = kin_at(self._tokens, self._grammar, at, end)
        if term is None or (reader is Reader.ACQUISITION and term[0].predicate != "has_pet"):
            return
        kin, after = term
        spans, _ = named_after(self._tokens, self._grammar, kin, after, end)
        names = [self._tokens.text(*span) for span in spans]
        person = self._cast.introduce(Person(kin, self._tokens.text(at, after) or noun, names))
        if names or kin.predicate in _NAMEABLE:
            self._draft(subject, kin.predicate, person, self._span)

    def _had(self, subject: Who, begin: int, at: int, after: int, reader: Reader) -> None:
        low, grammar = self._tokens.low, self._grammar
        text = self._tokens.text(at, after)
        if after < len(low) and low[after] in grammar.years and self._objects.number(after - 1):
            after += 1
        unit = next((i for i in range(at, after) if low[i] in grammar.years), None)
        if unit is not None:
            if reader is Reader.POSSESSION and unit == at + 1 and grammar.code == "it":
                self._objects_of(subject, Rule("age", Reader.AGE), at, self._span[1], "holds")
            return
        if reader is Reader.POSSESSION and low[after - 1] == "allergy" and after - at > 1:
            self._draft(subject, "allergic_to", self._tokens.text(at, after - 1), self._span)
        elif reader is Reader.POSSESSION and self._objects.is_condition(at, after):
            self._draft(subject, "has_condition", text, self._span)
        elif self._is_ownable(begin, at, after):
            self._draft(subject, "owns", text, self._span)

    def _is_ownable(self, begin: int, at: int, after: int) -> bool:
        known = self._grammar.lexicon[Reader.POSSESSION]
        heads = (
            self._tokens.low[at:after] if self._grammar.code == "it" else self._tokens.low[after - 1 : after]
        )
        if any(word in known for word in heads):
            return True
        return at > begin and name_at(self._tokens, self._grammar, at, after) == after

    def _draft(
        self, subject: Who, predicate: str, value: str | Person, span: Span, polarity: Polarity = "holds"
    ) -> None:
        self._drafts.append(_Draft(subject, predicate, value, span, polarity))

    def _resolved(self) -> tuple[Statement, ...]:
        made: dict[tuple[str, ...], Statement] = {}
        for draft in self._drafts:
            subjects = (USER,) if draft.subject is None else draft.subject.labels()
            values = (draft.object,) if isinstance(draft.object, str) else draft.object.labels()
            for subject in subjects:
                for value in values:
                    key = (normalise(subject), draft.predicate, normalise(value), draft.polarity)
                    if normalise(value) and key not in made:
                        made[key] = self._statement(subject, draft, value)
        return tuple(made.values())

    def _statement(self, subject: str, draft: _Draft, value: str) -> Statement:
        begin, end = self._tokens.starts[draft.span[0]], self._tokens.ends[draft.span[1] - 1]
        return Statement(
            subject, draft.predicate, value, self._tokens.source[begin:end], (begin, end), draft.polarity
        )
