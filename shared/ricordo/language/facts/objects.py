"""Reads the object of a phrase by its kind, without the words around it."""

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Final

from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.name_spans import Span, names_from
from ricordo.language.facts.object_phrases import OF, ObjectPhrases, Spans
from ricordo.language.facts.organisations import Organisations, Places
from ricordo.language.facts.phrase_trees import ObjectReader, Rule
from ricordo.language.facts.plans import Plans
from ricordo.language.facts.quantities import Figures
from ricordo.language.facts.word_forms import (
    BRANDS,
    GAMBLES,
    NO_ALLERGENS,
    NO_JOBS,
    NOT_FOR_A_LIVING,
    SPORTS,
    TOOLS,
    word_list,
)
from ricordo.language.person_names import is_place

LONGEST_GAME: Final = 3
_DOING: Final = frozenset({"il", "lo", "la", "l'", "i"})
"""After "faccio", the article of a job: "faccio il casellante"."""
_LIKINGS: Final = frozenset({"likes", "dislikes"})
_PLACED: Final = frozenset({"lives_in", "born_in", "visited", "studies_at"})
_AS: Final = frozenset({"as", "come"})
_RATHER: Final = frozenset({"to", "over", "a", "ad", "al", "allo", "alla", "all'", "ai", "agli", "alle"})
_JOBLIKE: Final = {
    "en": re.compile(r"\w{3,}(?:er|ist|ician|smith|wright|woman|man|or)"),
    "it": re.compile(r"\w{3,}(?:ista|iere|iera|aio|aia|tore|trice|ante|aro|ara|logo|loga)"),
}
_SETTINGS: Final = frozenset(
    {"at home", "at work", "at school", "in casa", "a casa", "al lavoro", "a scuola", "in ufficio"}
)
"""Where one language of several is spoken."""
_FLUENCY: Final = word_list("fluency")
_LISTING: Final = frozenset({",", ":", "languages", "lingue"})
"""Between the verb and the languages: "three languages: English and Hindi"."""


class Objects(ObjectPhrases):
    """Reads objects in one message, from the index where the object starts to the end of its clause."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        super().__init__(tokens, grammar)
        self.figures = Figures(tokens, grammar)
        self.organisations = Organisations(tokens, grammar)
        self.places = Places(tokens, grammar)
        self.plans = Plans(tokens, grammar)

    def read(self, reader: ObjectReader, begin: int, end: int) -> Spans:
        """Return the objects that `reader` finds (coordinated ones are several), none of another kind."""
        find: Callable[[int, int], Spans] = _FINDERS[reader](self)
        return find(begin, end)

    def value(self, rule: Rule, span: Span) -> str:
        """Return an object as it is kept: its words, of an age the figures, of a town its article too."""
        liked = rule.predicate in _LIKINGS and self._tokens.raw[span[0]][0].isupper()
        if liked or rule.predicate in _PLACED:
            return self.places.called(*span)
        figures = self.figures.number(span[0]) if rule.reader is ObjectReader.AGE else None
        return figures or self._tokens.text(*span)

    def is_occupation(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a job."""
        known, endings = self._grammar.occupations, self._grammar.occupation_endings
        heads = self._heads(begin, end)
        return any(word in known or (len(word) > 6 and word.endswith(endings)) for word in heads)

    def acts_as(self, begin: int, end: int) -> bool:
        """Whether the noun phrase is formed like a job, though no known one: "glassblower", "casellante"."""
        word = next(iter(self._heads(begin, end)), "")
        joblike = _JOBLIKE.get(self._grammar.code)
        formed = joblike is not None and joblike.fullmatch(word) is not None
        return formed and word not in NO_JOBS and word not in NOT_FOR_A_LIVING and word.islower()

    def is_role(self, begin: int, end: int) -> bool:
        """Whether the noun phrase says what somebody is: a belief, an origin, a breed."""
        roles, heads = self._grammar.roles, self._heads(begin, end)
        if any(word in roles for word in heads):
            return True
        if self._grammar.code == "en":
            return any(word.removesuffix("s") in roles for word in heads)
        return any(word[-1] in "ie" and word[:-1] + ending in roles for word in heads for ending in "oae")

    def is_condition(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a condition of health."""
        known = self._grammar.lexicon[ObjectReader.CONDITION]
        return any(word in known for word in self._low[begin:end])

    def is_ownable(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a thing people own and speak of: a vehicle, a home, an instrument."""
        known = self._grammar.lexicon[ObjectReader.POSSESSION]
        branded = not BRANDS.isdisjoint(self._low[begin:end])
        return branded or any(word in known for word in self._heads(begin, end))

    def is_field(self, begin: int, end: int) -> bool:
        """Whether it is what people study, by one word: "law"."""
        words = self._low[begin:end]
        return len(words) == 1 and words[0] in self._grammar.lexicon[ObjectReader.SUBJECT_OF_STUDY]

    def _heads(self, begin: int, end: int) -> list[str]:
        """Return what may be the head: in English the last word before "of", in Italian any before "di"."""
        words = self._low[begin:end]
        before = next((i for i, word in enumerate(words) if word in OF), len(words))
        return words[:before] if self._grammar.code == "it" else words[max(0, before - 1) : before]

    def _names(self, begin: int, end: int) -> Spans:
        """Read names of people."""
        at = self.lead(begin, end)
        spans = names_from(self._tokens, self._grammar, at, end, person=True)
        return [
            (first, after)
            for first, after in spans
            if self._low[first] not in TOOLS and not is_place(self._tokens.text(first, after))
        ]

    def _occupation(self, begin: int, end: int) -> Spans:
        """Read a job: any noun phrase after "as", a known job elsewhere."""
        at = self.lead(begin, end)
        after = self.noun_phrase(at, end)
        if after == at or self.foreign(at, after):
            return []
        any_noun = self._low[begin - 1] in _AS and self._names_a_job(begin, at, after)
        done = self._low[begin - 1] in _DOING and self.acts_as(at, after) and after == at + 1
        if done:
            return [(at, after)]
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
        known, spans = self._grammar.lexicon[ObjectReader.LANGUAGE], []
        told = True
        for at in range(begin, end):
            listed = self._low[at - 1] in (",", ":") or self._low[at - 1] in self._grammar.conjunctions
            if self._low[at] in known and (told or listed):
                spans.append((at, at + 1))
            elif not (self._low[at] in _FLUENCY or self._low[at] in _LISTING or self._fills(at, end)):
                told = False
            if not spans and not told:
                break
        return spans

    def _fills(self, at: int, end: int) -> bool:
        word = self._low[at]
        if (
            word in self._grammar.conjunctions
            or word in self._grammar.numbers
            or word in OF
            or self.lead(at, end) > at
        ):
            return True
        return any(" ".join(self._low[i : i + 2]) in _SETTINGS for i in (at - 1, at))

    def _things(self, begin: int, end: int) -> Spans:
        """Read noun phrases: "pizza", "hiking in the mountains", "jazz and old films"."""
        return [span for span in self.coordinated(begin, end) if not self._pointed_at(*span)]

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
        return [self.until_preposition(span) for span in self._things(begin, end)]

    def _preferred(self, begin: int, end: int) -> Spans:
        """Read what is preferred, up to what it is preferred to."""
        lesser = next((i for i in range(begin + 1, end) if self._low[i] in _RATHER), end)
        return self._things(begin, lesser)

    def _played(self, begin: int, end: int) -> Spans:
        """Read instruments, sports and games; a preposition first means that something else is meant."""
        items = [self.until_preposition(span) for span in self.coordinated(begin, end)]
        # Bells and horns go with Italian "suonare" too.
        sounded = any(word.startswith("suon") for word in self._low[max(0, begin - 3) : begin])
        known = self._grammar.lexicon[ObjectReader.INSTRUMENT] if sounded else None
        return [
            (first, after)
            for first, after in items
            if 0 < after - first <= LONGEST_GAME
            and GAMBLES.isdisjoint(self._low[first:after])
            and (known is None or not known.isdisjoint(self._low[first:after]))
        ]

    def _sports(self, begin: int, end: int) -> Spans:
        """Read what people do for sport: "I do judo", "faccio yoga e pilates"."""
        return [span for span in self._played(begin, end) if not SPORTS.isdisjoint(self._low[slice(*span)])]

    def _studied(self, begin: int, end: int) -> Spans:
        """Read fields of study."""
        items = [self.until_preposition(span) for span in self._things(begin, end)]
        return [span for span in items if span[1] > span[0]]

    def _known_fields(self, begin: int, end: int) -> Spans:
        """Read fields of study that are known by name: one reads law, and a novel."""
        return [span for span in self._studied(begin, end) if self.is_field(*span)]

    def _conditions(self, begin: int, end: int) -> Spans:
        """Read conditions of health that are known by name."""
        return [span for span in self._things(begin, end) if self.is_condition(*span)]


_FINDERS: Final = {
    ObjectReader.PLACE: attrgetter("places.named"),
    ObjectReader.NAME: attrgetter("_names"),
    ObjectReader.ORGANISATION: attrgetter("organisations.named"),
    ObjectReader.GROUP: attrgetter("organisations.group"),
    ObjectReader.TAUGHT: attrgetter("organisations.behind"),
    ObjectReader.EMPLOYER: attrgetter("organisations.employer"),
    ObjectReader.ENROLMENT: attrgetter("organisations.named"),
    ObjectReader.OCCUPATION: attrgetter("_occupation"),
    ObjectReader.LANGUAGE: attrgetter("_languages"),
    ObjectReader.THING: attrgetter("_things"),
    ObjectReader.SUBSTANCE: attrgetter("_substances"),
    ObjectReader.PROPERTY: attrgetter("_property"),
    ObjectReader.PREFERRED: attrgetter("_preferred"),
    ObjectReader.INSTRUMENT: attrgetter("_played"),
    ObjectReader.SPORT: attrgetter("_sports"),
    ObjectReader.ACTIVITY: attrgetter("plans.activity"),
    ObjectReader.UNDERTAKING: attrgetter("plans.undertaking"),
    ObjectReader.INTENTION: attrgetter("plans.intention"),
    ObjectReader.FUTURE: attrgetter("plans.future"),
    ObjectReader.AGE: attrgetter("figures.age"),
    ObjectReader.DATE: attrgetter("figures.date"),
    ObjectReader.SUBJECT_OF_STUDY: attrgetter("_studied"),
    ObjectReader.KNOWN_SUBJECT: attrgetter("_known_fields"),
    ObjectReader.CONDITION: attrgetter("_conditions"),
}
"""The method of `Objects` for each reader."""
