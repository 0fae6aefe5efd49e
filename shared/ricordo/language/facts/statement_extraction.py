"""Reads a message clause by clause: the subject of each, and what it states."""

from dataclasses import replace
from typing import Final

from ricordo.language.facts.acquaintance import is_of_the_users_life
from ricordo.language.facts.adjuncts import after_time
from ricordo.language.facts.asides import aged, each_aged
from ricordo.language.facts.asserted_spans import after_reminder, assertions, in_jest
from ricordo.language.facts.attributes import (
    attribute,
    belonging,
    favoured,
    favourite,
    fronted,
    own_language,
    taken_up,
)
from ricordo.language.facts.clauses import Clause, clauses
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.fact_grammar import Gender, Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.mentions import Mention, kin_at, mentions, others_mentions
from ricordo.language.facts.name_spans import Person, name_at
from ricordo.language.facts.object_phrases import LONGEST_THING
from ricordo.language.facts.phrase_trees import ObjectReader
from ricordo.language.facts.predicate_rules import said, state
from ricordo.language.facts.relatives import (
    are_called,
    coupled,
    in_company,
    relative,
    relative_of,
    whom_named,
    with_user,
)
from ricordo.language.facts.scene import Scene, Who
from ricordo.language.facts.verbs import Verb, agrees, elided_at, verb_at
from ricordo.language.facts.vocabulary import SHARED
from ricordo.language.facts.word_forms import is_verb

_SHORT: Final = 3
"""Words of a first clause without a verb after which "I am" may be left out: "Baker, living in Hull"."""
_LEADING: Final = frozenset("since after before ever dopo prima".split())
_LONGEST_LED: Final = 4
_SEVERAL: Final = 2
LONGEST_OPENING: Final = 10
"""Words a clause may begin with before its subject."""
_OF: Final = frozenset({"di", "of"})


class StatementExtractor:
    """Reads one message."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._scene = Scene(tokens, grammar)
        self._subject: Who = None
        self._subject_known = False
        self._elsewhere = False
        self._first = True

    def statements(self) -> tuple[Statement, ...]:
        """Return what the message states, in its order, each once."""
        if in_jest(self._tokens, self._grammar):
            return ()
        for begin, last, end in assertions(self._tokens, self._grammar):
            if last > begin:
                self._sentence(begin, last)
            else:
                self._asked(begin, end)
        return self._scene.statements()

    def _sentence(self, begin: int, end: int) -> None:
        self._subject, self._subject_known, self._first = None, False, True
        self._elsewhere = False
        self._alone(begin, end)
        found = mentions(self._tokens, self._grammar, begin, end)
        self._scene.limit = end
        found += others_mentions(self._tokens, self._grammar, begin, end)
        for mention in found:
            self._scene.mentions.setdefault(mention.begin, mention)
        for clause in clauses(self._tokens, self._grammar, begin, end, self._scene.mentions):
            self._scene.span = (clause.begin, clause.end)
            for mention in found:
                if clause.begin <= mention.begin < clause.end:
                    self._introduce(mention)
            self._clause(clause)
            self._goes_on_about(clause)
            self._first = self._first and clause.end - begin <= _SHORT and not self._subject_known

    def _alone(self, begin: int, end: int) -> None:
        """Keep in mind what is named alone: "Wasps. I'm allergic to them."."""
        objects = self._scene.objects
        if end - objects.lead(begin, end) > LONGEST_THING + 1:
            return  # more than a thing with its "'s"
        alone = objects.coordinated(begin, end)
        named = len(alone) == 1 and alone[0][1] == end
        if named and not is_verb(self._tokens.low[alone[0][0]], self._grammar.code):
            self._scene.topic = self._tokens.text(*alone[0])

    def _asked(self, begin: int, end: int) -> None:
        """Keep in mind whom a question speaks of: what is said of them afterwards says who they are."""
        self._alone(begin, end)
        for mention in mentions(self._tokens, self._grammar, begin, end):
            mention.person.asked = (mention.begin, mention.end)
            self._scene.cast.introduce(mention.person)

    def _introduce(self, mention: Mention) -> None:
        named = bool(mention.person.names)
        if not named and mention.begin and self._tokens.low[mention.begin - 1] in _OF:
            self._of_others()  # "la maestra di mio figlio, Rosa, | vive a Bari"
        person = self._scene.cast.introduce(mention.person)
        self._scene.mentions[mention.begin] = Mention(mention.begin, mention.end, person, mention.spans)
        if person.of_other:
            self._tie_to_other(person, mention)
        elif named and person.kin:
            self._scene.tie(person, span=(mention.begin, mention.end))
            each_aged(self._scene, person, mention.spans)

    def _tie_to_other(self, person: Person, mention: Mention) -> None:
        """Read "his husband Pete": the tie is to whoever was spoken of before."""
        words = self._tokens.low[mention.begin : mention.begin + 2]
        genders = (g for w, g in self._grammar.others_possessives.items() if w in words)
        gender: Gender = next(genders, "")
        owner = self._scene.cast.latest(gender, but=person)
        if owner is not None:
            self._scene.tie(person, to=owner, span=(mention.begin, mention.end))

    def _clause(self, clause: Clause) -> None:
        end = clause.end
        begin = after_reminder(self._tokens, self._grammar, clause.begin, end)
        begin = after_time(self._tokens, self._grammar, begin, end)
        if begin >= end or self._tokens.low[begin] in self._grammar.whenever:
            return
        if clause.relative:
            person = self._described(clause.begin)
            if person is not None:
                self._about(person, begin, end)
            return
        if (
            fronted(self._scene, begin, end)
            or taken_up(self._scene, begin, end)
            or favoured(self._scene, begin, end)
        ):
            return
        at = begin
        while at < min(end, begin + LONGEST_OPENING):
            if self._read_at(at, end):
                return
            behind = after_time(self._tokens, self._grammar, at, end)
            if behind == at and not self._opens(at) and not self._led(begin, at):
                return
            at = max(behind, at + 1)

    def _goes_on_about(self, clause: Clause) -> None:
        """Let what follows be of who was named last: "Leo has a bar, his wife is Eva | and is Dutch"."""
        person, end = self._scene.cast.latest(), clause.end
        if self._subject is None or person is None or clause.relative:
            return
        verbs = (self._verb(at, end) for at in range(clause.begin + 1, end - 1))
        for name in (
            self._tokens.text(one.end, end) for one in verbs if one and one.rule.predicate == "name"
        ):
            if name in person.names:
                self._subject = person
            elif name not in self._subject.names:
                self._of_others()

    def _described(self, at: int) -> Person | None:
        """Return whom the relative clause at `at` is about: of several, the one who was named just before."""
        person = self._scene.cast.latest()
        if person is None or len(person.names) < _SEVERAL:
            return person
        low, between = self._tokens.low, {",", *self._grammar.relatives}
        last = next((i for i in range(at - 1, max(-1, at - 4), -1) if low[i] not in between), at)
        named = (name for name in person.names if name.split()[-1].lower() == low[last])
        return next((Person(None, names=[name]) for name in named), person)

    def _read_at(self, at: int, end: int) -> bool:
        return (
            attribute(self._scene, at, end)
            or own_language(self._scene, at, end)
            or favourite(self._scene, at, end)
            or self._subject_at(at, end)
            or self._subjectless(at, end)
        )

    def _opens(self, at: int) -> bool:
        word = self._tokens.low[at]
        if word in self._grammar.openings or word in self._grammar.numbers or not word[0].isalpha():
            return True
        placed = at > 0 and self._tokens.low[at - 1] in self._grammar.prepositions
        return placed and self._tokens.raw[at][0].isupper()

    def _subject_at(self, at: int, end: int) -> bool:
        low, grammar = self._tokens.low, self._grammar
        word = low[at]
        among = word in grammar.joined_pronouns and at + 1 < end and low[at + 1] in grammar.conjunctions
        if word in grammar.user_pronouns or among:
            person, after = in_company(self._scene, at + 1, end)
            return self._about(None, after, end) if person is None else self._together(person, after, end)
        mention = self._scene.mentions.get(at)
        if mention is not None and at < mention.end <= end:
            if at and low[at - 1] in _OF:
                return self._of_others()
            joined = with_user(self._scene, mention.end, end)
            if joined is not None:
                return self._together(mention.person, joined, end)
            return self._about(mention.person, mention.end, end)
        if word in grammar.third_pronouns and not self._tokens.raw[at].isupper():
            person = self._scene.cast.latest(grammar.third_pronouns[word])
            return person is None or self._about(person, at + 1, end)
        theirs = relative_of(self._scene, at, end)
        return self._named_subject(at, end) if theirs is None else self._about(*theirs, end)

    def _of_others(self) -> bool:
        """Note that somebody of a person's is spoken of, not the person: "my son's teacher, …, lives in"."""
        self._elsewhere, self._subject_known = True, False
        return True

    def _named_subject(self, at: int, end: int) -> bool:
        first, grammar = self._tokens.low[at], self._grammar
        whose = first in grammar.determiners or first in grammar.others_possessives
        if self._subject is not None and whose and kin_at(self._tokens, grammar, at + 1, end) is not None:
            return self._of_others()  # "Leo lives in Rome, his wife is called Eva | and is Dutch"
        after = name_at(self._tokens, grammar, at, end, person=True)
        if after == at or first in grammar.common or first in grammar.verbal or first in grammar.openers:
            return False
        joined = with_user(self._scene, after, end)
        if joined is not None:
            person = self._scene.cast.introduce(Person(None, names=[self._tokens.text(at, after)]))
            return self._together(person, joined, end)
        verb = self._verb(after, end)
        possessed = after < end and self._tokens.low[after] == "'s"
        aside = after < end and self._tokens.low[after] in (",", "(")
        if (verb is None and not possessed and not aside) or (verb is not None and verb.bare):
            return False
        name = self._tokens.text(at, after)
        presumed = not self._scene.cast.knows(name) and not is_of_the_users_life(self._tokens.low[at:after])
        person = self._scene.cast.introduce(Person(None, names=[name], presumed=presumed))
        return self._about(person, after, end)

    def _led(self, begin: int, at: int) -> bool:
        """Whether a word belongs to what is told before the subject: "since the divorce | I live in …"."""
        low = self._tokens.low
        led = low[begin] in self._grammar.prepositions or low[begin] in _LEADING
        return (
            led
            and at - begin <= _LONGEST_LED
            and low[at][0].isalpha()
            and low[at] not in self._grammar.refused
        )

    def _together(self, company: Person, at: int, end: int) -> bool:
        """Read what is said of the user and somebody: "my cousin and I play padel", "Ada and I broke up"."""
        if coupled(self._scene, company, at, end):
            return True
        self._about(None, at, end)
        verb = self._verb(at, end)
        if verb is not None and company.names and verb.rule.predicate in SHARED:
            said(self._scene, company, verb, end)
        return True

    def _subjectless(self, at: int, end: int) -> bool:
        """Read a clause that starts with its verb: of the subject before it, or of the verb's own person."""
        elided = self._first or self._subject_known
        elided = elided and self._tokens.low[at] in self._grammar.elided
        verb = self._verb(at, end) or (
            elided_at(self._tokens.low, self._grammar, at, end) if elided else None
        )
        if verb is None or (not verb.rule.person and not self._subject_known and not elided):
            return False
        if elided and not self._grammar.negations.isdisjoint(self._tokens.low[max(0, at - 3) : at]):
            if verb.rule.predicate == "plans":
                return False  # "not going to lie, I love …"
            verb = replace(verb, negated=True)  # "not a fan of cats"
        if elided and not self._subject_known:
            self._subject, self._subject_known = None, True
        if self._tokens.low[at] == "like" and not (at and self._tokens.low[at - 1] in self._grammar.joints):
            return False  # "films like this one"
        if verb.rule.person == 1:
            said(self._scene, None, verb, end)
        elif self._elsewhere:
            return True
        elif verb.rule.person:
            person = self._subject if self._subject_known and self._subject else self._scene.cast.latest()
            person = whom_named(self._scene, verb, person)
            if person is not None or verb.rule.reader is ObjectReader.LOSS:  # "è morta Luna"
                said(self._scene, person, verb, end)
        else:
            said(self._scene, self._subject, verb, end)
        return True

    def _about(self, subject: Who, at: int, end: int) -> bool:
        """Read what is said of `subject` at `at`; True, for the clause has found its subject."""
        self._subject, self._subject_known, self._elsewhere = subject, True, False
        low = self._tokens.low
        if subject is not None:
            at = aged(self._scene, subject, at, end)
            called = are_called(self._scene, subject, at, end)
            if called is not None:
                state(self._scene, called)
                return True
            if at < end and low[at] == "'s":
                told = belonging(self._scene, subject, at + 1, end)
                theirs = None if told else relative(self._scene, subject, at + 1, end)
                if theirs is not None:
                    return self._about(*theirs, end)
                if told or kin_at(self._tokens, self._grammar, at + 1, end) is not None:
                    return self._of_others()
        while at < end and (low[at] in self._grammar.relatives or low[at] in (",", ")")):
            at += 1
        at += 2 * (tuple(low[at : at + 2]) in self._grammar.in_youth)
        verb = self._verb(at, end)
        if verb is not None and agrees(subject, verb):
            said(self._scene, subject, verb, end)
        return True

    def _verb(self, at: int, end: int) -> Verb | None:
        return verb_at(self._tokens.low, self._grammar, at, end)
