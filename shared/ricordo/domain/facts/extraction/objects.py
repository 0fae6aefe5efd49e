"""How the object of a phrase is read: what it must be, and what is dropped around it."""

import re
from collections.abc import Callable
from typing import Final

from ricordo.domain.facts.extraction.figurative import NO_ALLERGENS, NO_JOBS
from ricordo.domain.facts.extraction.figures import Figures
from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.names import name_at, names_from
from ricordo.domain.facts.extraction.phrases import Reader, longest
from ricordo.domain.facts.extraction.phrasing import LONGEST_THING, OF, Phrasing, Spans
from ricordo.domain.facts.extraction.tokens import Tokens
from ricordo.domain.names import is_place

LONGEST_GAME: Final = 3
_AS: Final = frozenset({"as", "come"})
_WHERE: Final = frozenset({"in", "a", "ad"})
_RATHER: Final = frozenset({"to", "over", "a", "ad", "al", "allo", "alla", "all'", "ai", "agli", "alle"})
_NOT_DONE: Final = frozenset("bed work school church sleep town be have need say miss regret".split())
_ADJECTIVE: Final = re.compile(r"(?:ic|iv|ari|ori|os|an|at|ut|it|in|es|ur|er|ol|al|ent|ant|il|ern|ond|on)o$")
"""Endings of Italian adjectives in "-o", which verbs of the first person seldom have: "Museo civico"."""
_GROUPS: Final = frozenset(
    "gruppo band coro squadra compagnia orchestra associazione group choir team club orchestra troupe".split()
)
"""What says little until it is named: "in un gruppo che si chiama I Gabbiani"."""
_PLACE_LINKS: Final = frozenset({"of", "di", "del", "della", "in", "a", "dell'", "d'"})
_BESIDE: Final = frozenset({"near", "outside", "vicino", "fuori", "from", "da"})
_SETTINGS: Final = frozenset(
    {"at home", "at work", "at school", "in casa", "a casa", "al lavoro", "a scuola", "in ufficio"}
)
"""Where one language of several is spoken."""
_FLUENCY: Final = frozenset(
    "little fluent fluently basic good well decent correntemente fluentemente discretamente".split()
)


class Objects:
    """Reads objects in one message, from the index where the object starts to the end of its clause."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self.phrasing = Phrasing(tokens, grammar)
        self.figures = Figures(tokens, grammar, self.phrasing)
        self._tokens = tokens
        self._grammar = grammar
        self._low = tokens.low
        self._read: dict[Reader, Callable[[int, int], Spans]] = {
            Reader.PLACE: self._places,
            Reader.NAME: self._names,
            Reader.ORGANISATION: self._organisation,
            Reader.OCCUPATION: self._occupation,
            Reader.LANGUAGE: self._languages,
            Reader.THING: self._things,
            Reader.SUBSTANCE: self._substances,
            Reader.PROPERTY: self._property,
            Reader.PREFERRED: self._preferred,
            Reader.INSTRUMENT: self._played,
            Reader.ACTIVITY: self._activity,
            Reader.UNDERTAKING: self._undertaking,
            Reader.AGE: self.figures.age,
            Reader.DATE: self.figures.date,
            Reader.SUBJECT_OF_STUDY: self._studied,
            Reader.CONDITION: self._conditions,
        }

    def read(self, reader: Reader, begin: int, end: int) -> Spans:
        """Return the objects that `reader` finds (coordinated ones are several), none of another kind."""
        return self._read[reader](begin, end)

    def is_occupation(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a job."""
        known, endings = self._grammar.occupations, self._grammar.occupation_endings
        return any(
            word in known or (len(word) > 6 and word.endswith(endings)) for word in self._heads(begin, end)
        )

    def is_role(self, begin: int, end: int) -> bool:
        """Whether the noun phrase says what somebody is: a belief, an origin, a breed."""
        return any(word in self._grammar.roles for word in self._heads(begin, end))

    def is_condition(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a condition of health."""
        known = self._grammar.lexicon[Reader.CONDITION]
        return any(word in known for word in self._low[begin:end])

    def is_ownable(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a thing people own and speak of: a vehicle, a home, an instrument."""
        known = self._grammar.lexicon[Reader.POSSESSION]
        return any(word in known for word in self._heads(begin, end))

    def _heads(self, begin: int, end: int) -> list[str]:
        """Return what may be the head: in English the last word before "of", in Italian any before "di"."""
        words = self._low[begin:end]
        before = next((i for i, word in enumerate(words) if word in OF), len(words))
        return words[:before] if self._grammar.code == "it" else words[max(0, before - 1) : before]

    def _places(self, begin: int, end: int) -> Spans:
        """Read names of places: "Rome", "the centre of Milan", "Spain and Portugal"."""
        at = self.phrasing.lead(begin, end)
        spans: Spans = []
        while True:
            found = list(names_from(self._tokens, self._grammar, at, end, loose=self._tokens.lowercase))
            spans += found
            at = self._said_again(found[-1][1], end) if found else end
            if at >= end:
                break
        if spans:
            return [] if self._modified(spans[0][0], spans[-1][1], end) else spans
        return self._within(self.phrasing.lead(begin, end), end)

    def _said_again(self, at: int, end: int) -> int:
        """Step over "e a" in "a Berlino e a Dresda"."""
        again = at + 1 < end and self._low[at] in self._grammar.conjunctions and self._low[at + 1] in _WHERE
        return at + 2 if again else end

    def _within(self, at: int, end: int) -> Spans:
        """Read "a small flat in Milan" and "the countryside"."""
        if at < end and self._low[at] in self._grammar.areas:
            return [(at, at + 1)]
        for link in range(at + 1, min(at + LONGEST_THING, end - 1)):
            word = self._low[link]
            if word in self._grammar.stops or not word.replace("'", "").isalpha():
                break
            after = name_at(self._tokens, self._grammar, link + 1, end)
            if word in _PLACE_LINKS and after > link + 1:
                return [] if _BESIDE & set(self._low[at:link]) else [(link + 1, after)]
        return []

    def _modified(self, begin: int, after: int, end: int) -> bool:
        """Whether a noun goes with the name: "a Harry Potter conference" is no place."""
        if self._grammar.code != "en":
            return False
        if begin and self._low[begin - 1] in ("a", "an"):
            return True
        word = self._low[after] if after < end else ","
        return word[0].isalpha() and word not in self._grammar.common and word not in self._grammar.openers

    def _names(self, begin: int, end: int) -> Spans:
        """Read names of people."""
        at = self.phrasing.lead(begin, end)
        spans = names_from(self._tokens, self._grammar, at, end, person=True)
        return [(first, after) for first, after in spans if not is_place(self._tokens.text(first, after))]

    def _organisation(self, begin: int, end: int) -> Spans:
        """Read an employer, a school, a group: by name, or by a noun that makes one ("a bakery")."""
        at = after = self.phrasing.lead(begin, end)
        while after < end and after - at < LONGEST_THING and self._inside_organisation(after, at, end):
            after += 1
        after = self.phrasing.trim(at, after)
        if after == at or self.phrasing.foreign(at, after):
            return []
        made = any(word in self._grammar.organisations for word in self._low[at:after])
        naming = longest(self._grammar.naming, self._low, after, end, self._grammar.adverbs)
        if made and naming is not None and not _GROUPS.isdisjoint(self._low[at:after]):
            first = naming[1]
            the = first < end and self._low[first] in self._grammar.determiners
            bare = first + (the and self._tokens.raw[first][0].isupper())  # "The Gulls", "Le Cicale"
            last = name_at(self._tokens, self._grammar, bare, end)
            if last > bare:
                return [(first, last)]
        located = self._low[begin - 1] in _WHERE
        named = any(name_at(self._tokens, self._grammar, i, after) > i for i in range(at, after))
        return [(at, after)] if made or (named and not located) else []

    def _inside_organisation(self, at: int, begin: int, end: int) -> bool:
        word, following = self._low[at], at + 1
        if word == "'s":
            capitalised = following < end and self._tokens.raw[following][0].isupper()
            return capitalised or (following < end and self._low[following] in self._grammar.organisations)
        if self.phrasing.stops(at, end) or self._acts(at, begin):
            return False
        return word not in self._grammar.prepositions or (at > begin and word in OF)

    def _acts(self, at: int, begin: int) -> bool:
        """Whether the user does something after a name: "da quando lavoro alla Fiat | dormo poco"."""
        named = at > begin and self._tokens.raw[at - 1][0].isupper() and self._tokens.raw[at].islower()
        verb = self._grammar.code == "it" and self._low[at].endswith("o") and len(self._low[at]) > 3
        return named and verb and _ADJECTIVE.search(self._low[at]) is None

    def _occupation(self, begin: int, end: int) -> Spans:
        """Read a job: any noun phrase after "as", a known job elsewhere."""
        at = self.phrasing.lead(begin, end)
        after = self.phrasing.noun_phrase(at, end)
        if after == at or self.phrasing.foreign(at, after):
            return []
        any_noun = self._low[begin - 1] in _AS and self._names_a_job(begin, at, after)
        return [(at, after)] if any_noun or self.is_occupation(at, after) else []

    def _names_a_job(self, begin: int, at: int, after: int) -> bool:
        """Whether "as" gives a job and no comparison: "as a beekeeper", "come apicoltore".

        "As usual", "as a rule" and "come un mulo" say how somebody works: English jobs have their article,
        Italian ones have none.
        """
        if not NO_JOBS.isdisjoint(self._heads(at, after)[:1]):
            return False
        if self._low[after - 1].removesuffix("s") in self._grammar.occupations:
            return True  # "as teachers"
        articled = at > begin and self._low[at - 1] in self._grammar.determiners
        return articled == (self._grammar.code == "en")

    def _languages(self, begin: int, end: int) -> Spans:
        """Read languages, over fillers like "a little" and "un po' di"."""
        known, spans = self._grammar.lexicon[Reader.LANGUAGE], []
        for at in range(begin, end):
            if self._low[at] in known:
                spans.append((at, at + 1))
            elif not (self._low[at] in _FLUENCY or self._low[at] == "," or self._fills(at, end)):
                break
        return spans

    def _fills(self, at: int, end: int) -> bool:
        word = self._low[at]
        if word in self._grammar.conjunctions or word in OF or self.phrasing.lead(at, end) > at:
            return True
        return any(" ".join(self._low[i : i + 2]) in _SETTINGS for i in (at - 1, at))

    def _things(self, begin: int, end: int) -> Spans:
        """Read noun phrases: "pizza", "hiking in the mountains", "jazz and old films"."""
        return [span for span in self.phrasing.coordinated(begin, end) if not self._pointed_at(*span)]

    def _substances(self, begin: int, end: int) -> Spans:
        """Read what one is allergic to or suffers from: neither days nor people nor duties."""
        figurative = NO_ALLERGENS | self._grammar.not_names | self._grammar.time_nouns
        return [span for span in self._things(begin, end) if self._low[span[1] - 1] not in figurative]

    def _pointed_at(self, begin: int, end: int) -> bool:
        """Whether it is one thing at hand ("the colour of it") and not a kind of things ("the sea")."""
        if self._grammar.code != "en" or self._low[begin - 1] != "the":
            return False
        known = self._tokens.raw[begin][0].isupper()
        return not known and not any(word in self._grammar.generic for word in self._low[begin:end])

    def _property(self, begin: int, end: int) -> Spans:
        """Read what is owned, without where it stands: "small cottage", of "a small cottage in Donegal"."""
        return [self.phrasing.until_preposition(span) for span in self._things(begin, end)]

    def _preferred(self, begin: int, end: int) -> Spans:
        """Read what is preferred, up to what it is preferred to."""
        lesser = next((i for i in range(begin + 1, end) if self._low[i] in _RATHER), end)
        return self._things(begin, lesser)

    def _played(self, begin: int, end: int) -> Spans:
        """Read instruments, sports and games; a preposition first means that something else is meant."""
        if begin < end and self._low[begin] in self._grammar.prepositions:
            return []
        items = [self.phrasing.until_preposition(span) for span in self.phrasing.coordinated(begin, end)]
        known = self._grammar.lexicon[Reader.INSTRUMENT] if self._sounded(begin) else None
        return [
            (first, after)
            for first, after in items
            if 0 < after - first <= LONGEST_GAME
            and (known is None or not known.isdisjoint(self._low[first:after]))
        ]

    def _sounded(self, begin: int) -> bool:
        """Whether the verb is Italian "suonare", which bells and horns go with too."""
        return any(word.startswith("suon") for word in self._low[max(0, begin - 3) : begin])

    def _studied(self, begin: int, end: int) -> Spans:
        """Read fields of study."""
        if begin < end and self._low[begin] in self._grammar.prepositions:
            return []
        items = [self.phrasing.until_preposition(span) for span in self._things(begin, end)]
        return [span for span in items if span[1] > span[0]]

    def _activity(self, begin: int, end: int) -> Spans:
        """Read what somebody means to do, or likes doing: a verb phrase."""
        if begin >= end or self._low[begin] in _NOT_DONE or self._low[begin] in self._grammar.determiners:
            return []
        return [] if self._tokens.raw[begin][0].isupper() else self._undertaking(begin, end)

    def _undertaking(self, begin: int, end: int) -> Spans:
        """Read what is planned: "trip to Patagonia", "apply for citizenship"."""
        at = self.phrasing.lead(begin, end)
        after = self.phrasing.undertaking(at, end)
        return [] if after == at or self.phrasing.foreign(at, after) else [(at, after)]

    def _conditions(self, begin: int, end: int) -> Spans:
        """Read conditions of health that are known by name."""
        return [span for span in self._things(begin, end) if self.is_condition(*span)]
