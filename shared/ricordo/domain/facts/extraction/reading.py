"""Reading a message clause by clause: who each clause is about, and what it says of them."""

from typing import Final

from ricordo.domain.facts.extraction.acquaintance import is_of_the_users_life
from ricordo.domain.facts.extraction.asides import aged
from ricordo.domain.facts.extraction.asserting import after_reminder, assertions, in_jest
from ricordo.domain.facts.extraction.clauses import Clause, clauses
from ricordo.domain.facts.extraction.fronting import after_time
from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.mentions import Mention, mentions
from ricordo.domain.facts.extraction.names import Person, name_at
from ricordo.domain.facts.extraction.phrases import Reader, Rule, longest
from ricordo.domain.facts.extraction.phrasing import OF
from ricordo.domain.facts.extraction.scene import Claim, Scene, Who
from ricordo.domain.facts.extraction.statement import Statement
from ricordo.domain.facts.extraction.stating import said, state
from ricordo.domain.facts.extraction.tokens import Tokens
from ricordo.domain.facts.extraction.verbs import Verb, elided_at, verb_at

LONGEST_OPENING: Final = 10
"""Words a clause may begin with before its subject."""


class Reading:
    """Reads one message."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._scene = Scene(tokens, grammar)
        self._subject: Who = None
        self._subject_known = False
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
        found = mentions(self._tokens, self._grammar, begin, end)
        for mention in found:
            self._scene.mentions[mention.begin] = mention
        for clause in clauses(self._tokens, self._grammar, begin, end, self._scene.mentions):
            self._scene.span = (clause.begin, clause.end)
            for mention in found:
                if clause.begin <= mention.begin < clause.end:
                    self._introduce(mention)
            self._clause(clause)
            self._first = False

    def _asked(self, begin: int, end: int) -> None:
        """Keep in mind whom a question speaks of: what is said of them afterwards says who they are."""
        for mention in mentions(self._tokens, self._grammar, begin, end):
            mention.person.asked = (mention.begin, mention.end)
            self._scene.cast.introduce(mention.person)

    def _introduce(self, mention: Mention) -> None:
        named = bool(mention.person.names)
        person = self._scene.cast.introduce(mention.person)
        self._scene.mentions[mention.begin] = Mention(mention.begin, mention.end, person)
        if named and person.kin:
            self._scene.tie(person, span=(mention.begin, mention.end))

    def _clause(self, clause: Clause) -> None:
        end = clause.end
        begin = after_reminder(self._tokens, self._grammar, clause.begin, end)
        begin = after_time(self._tokens, self._grammar, begin, end)
        if begin >= end or self._tokens.low[begin] in self._grammar.whenever:
            return
        if clause.relative:
            person = self._scene.cast.latest()
            if person is not None:
                self._about(person, begin, end)
            return
        if self._fronted(begin, end):
            return
        at = begin
        while at < min(end, begin + LONGEST_OPENING):
            if self._read_at(at, end):
                return
            behind = after_time(self._tokens, self._grammar, at, end)
            if behind == at and not self._opens(at):
                return
            at = max(behind, at + 1)

    def _read_at(self, at: int, end: int) -> bool:
        return (
            self._attribute(at, end)
            or self._belonging_to(at, end)
            or self._favourite(at, end)
            or self._subject_at(at, end)
            or self._subjectless(at, end)
        )

    def _opens(self, at: int) -> bool:
        word = self._tokens.low[at]
        if word in self._grammar.openings or word in self._grammar.numbers or not word[0].isalpha():
            return True
        placed = at > 0 and self._tokens.low[at - 1] in self._grammar.prepositions
        return placed and self._tokens.raw[at][0].isupper()

    def _attribute(self, at: int, end: int) -> bool:
        """Read "my name is …", "her name is …", "il mio lavoro è …"."""
        found = longest(self._grammar.attributes, self._tokens.low, at, end, self._grammar.adverbs)
        if found is None:
            return False
        rule, after = found
        subject = self._scene.cast.latest() if rule.person else None
        if subject is not None or not rule.person:
            state(self._scene, Claim(subject, rule, after, end))
        return True

    def _favourite(self, at: int, end: int) -> bool:
        """Read "my favourite dish is carbonara", "il mio piatto preferito è la carbonara"."""
        low, grammar = self._tokens.low, self._grammar
        if low[at] not in grammar.possessives:
            return False
        favourite = next((i for i in range(at + 1, min(at + 4, end)) if low[i] in grammar.favourite), end)
        copulas = (i for i in range(favourite + 1, min(favourite + 6, end)) if low[i] in grammar.to_be)
        for copula in copulas:
            state(self._scene, Claim(None, Rule("likes", Reader.THING), copula + 1, end))
            return True
        return favourite < end

    def _fronted(self, begin: int, end: int) -> bool:
        """Read "la liquirizia mi piace", "le olive non ci piacciono": what is liked comes first."""
        low, grammar, phrasing = self._tokens.low, self._grammar, self._scene.objects.phrasing
        at = next((i for i in range(begin, end) if low[i] in grammar.pleasing), begin)
        start = at - 2 if at > begin and low[at - 2] in grammar.negations else at - 1
        first = phrasing.lead(begin, start)
        if first == begin or first >= start or low[first - 1] not in grammar.determiners:
            return False
        verb, last = self._verb(start, end), phrasing.trim(first, start)
        if verb is None or verb.end <= at or last == first or phrasing.thing(first, start) != last:
            return False
        if phrasing.foreign(first, last) or any(low[i] not in grammar.wholly for i in range(verb.end, end)):
            return False
        subject = self._scene.cast.latest() if verb.rule.person > 1 else None
        if subject is None and verb.rule.person > 1:
            return True
        predicate = verb.rule.denied if verb.negated else verb.rule.predicate
        self._scene.draft(subject, predicate or verb.rule.predicate, self._tokens.text(first, last))
        return True

    def _subject_at(self, at: int, end: int) -> bool:
        low, grammar = self._tokens.low, self._grammar
        word = low[at]
        if word in grammar.user_pronouns:
            return self._about(None, self._over_company(at + 1, end), end)
        mention = self._scene.mentions.get(at)
        if mention is not None and at < mention.end <= end:
            after = self._with_user(mention.end, end)
            return self._about(mention.person if after is None else None, after or mention.end, end)
        if word in grammar.third_pronouns and not self._tokens.raw[at].isupper():
            person = self._scene.cast.latest(grammar.third_pronouns[word])
            return person is None or self._about(person, at + 1, end)
        return self._named_subject(at, end)

    def _named_subject(self, at: int, end: int) -> bool:
        first, grammar = self._tokens.low[at], self._grammar
        after = name_at(self._tokens, grammar, at, end, person=True)
        if after == at or first in grammar.common or first in grammar.verbal or first in grammar.openers:
            return False
        joined = self._with_user(after, end)
        if joined is not None:
            return self._about(None, joined, end)
        verb = self._verb(after, end)
        possessed = after < end and self._tokens.low[after] == "'s"
        aside = after < end and self._tokens.low[after] in (",", "(")
        if (verb is None and not possessed and not aside) or (verb is not None and verb.bare):
            return False
        name = self._tokens.text(at, after)
        presumed = not self._scene.cast.knows(name) and not is_of_the_users_life(self._tokens.low[at:after])
        person = self._scene.cast.introduce(Person(None, names=[name], presumed=presumed))
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
        mention = self._scene.mentions.get(at + 1)
        if mention is not None:
            return mention.end
        after = name_at(self._tokens, self._grammar, at + 1, end, person=True)
        return after if after > at + 1 else at

    def _subjectless(self, at: int, end: int) -> bool:
        """Read a clause that starts with its verb: of the subject before it, or of the verb's own person."""
        elided = self._tokens.low[at] in self._grammar.elided and (self._first or self._subject_known)
        verb = self._verb(at, end) or (
            elided_at(self._tokens.low, self._grammar, at, end) if elided else None
        )
        if verb is None or (not verb.rule.person and not self._subject_known and not elided):
            return False
        if self._tokens.low[at] == "like" and not (at and self._tokens.low[at - 1] in self._grammar.joints):
            return False  # "films like this one"
        if verb.rule.person == 1:
            said(self._scene, None, verb, end)
        elif verb.rule.person:
            person = self._subject if self._subject_known and self._subject else self._scene.cast.latest()
            if person is not None:
                said(self._scene, person, verb, end)
        else:
            said(self._scene, self._subject, verb, end)
        return True

    def _about(self, subject: Who, at: int, end: int) -> bool:
        """Read what is said of `subject` at `at`; True, for the clause has found its subject."""
        self._subject, self._subject_known = subject, True
        low = self._tokens.low
        if subject is not None:
            at = aged(self._scene, subject, at, end)
            if at < end and low[at] == "'s" and self._belonging(subject, at + 1, end):
                return True
        while at < end and (low[at] in self._grammar.relatives or low[at] == ","):
            at += 1
        verb = self._verb(at, end)
        if verb is not None and _agrees(subject, verb):
            said(self._scene, subject, verb, end)
        return True

    def _belonging(self, owner: Who, at: int, end: int) -> bool:
        """Read "Freya's | birthday is 9 May"."""
        found = longest(self._grammar.belongings, self._tokens.low, at, end, self._grammar.adverbs)
        if found is None:
            return False
        state(self._scene, Claim(owner, found[0], found[1], end))
        return True

    def _belonging_to(self, at: int, end: int) -> bool:
        """Read "il compleanno di mio fratello Saverio è il 12 agosto", "the birthday of my …"."""
        low, grammar = self._tokens.low, self._grammar
        found = longest(grammar.belongings, low, at, end, grammar.adverbs)
        if found is None or found[1] >= end:
            return False
        rule, after = found
        owner = self._owner(after, end) or (self._owner(after + 1, end) if low[after] in OF else None)
        if owner is None or owner[1] >= end or low[owner[1]] not in grammar.to_be | grammar.naming_verbs:
            return False
        state(self._scene, Claim(owner[0], rule, owner[1] + 1, end))
        return True

    def _owner(self, at: int, end: int) -> tuple[Person, int] | None:
        mention = self._scene.mentions.get(at)
        if mention is not None:
            return mention.person, mention.end
        after = name_at(self._tokens, self._grammar, at, end, person=True)
        if after == at or not is_of_the_users_life(self._tokens.low[at:after]):
            return None
        return self._scene.cast.introduce(Person(None, names=[self._tokens.text(at, after)])), after

    def _verb(self, at: int, end: int) -> Verb | None:
        return verb_at(self._tokens.low, self._grammar, at, end)


def _agrees(subject: Who, verb: Verb) -> bool:
    if subject is None:
        return verb.rule.person != 3
    return verb.rule.person != 1 and (subject.several or not verb.bare)
