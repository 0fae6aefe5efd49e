"""How the object of a phrase is read and cleaned: where it ends, what it must be, what is dropped."""

from collections.abc import Callable, Iterator
from typing import Final

from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.names import Span, name_at, names_from
from ricordo.domain.facts.extraction.phrases import Reader
from ricordo.domain.facts.extraction.tokens import Tokens

LONGEST_THING: Final = 6
LONGEST_ACTIVITY: Final = 9
OLDEST: Final = 120
_QUANTITIES: Final = frozenset({"lot", "lots", "bit", "sacco", "po'", "kind", "couple", "tons"})
_OF: Final = frozenset({"of", "di"})
_WHERE: Final = frozenset({"in", "a", "ad"})
_RATHER: Final = frozenset({"to", "over", "a", "ad", "al", "allo", "alla", "all'", "ai", "agli", "alle"})
_NOT_DONE: Final = frozenset(
    {"bed", "work", "school", "church", "sleep", "town", "be", "have", "need", "say", "miss", "regret"}
)
_PLACE_LINKS: Final = frozenset({"of", "di", "del", "della", "in", "a", "dell'", "d'"})

Spans = list[Span]


class Objects:
    """Reads objects in one message, from the index where the object starts to the end of its clause."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._low = tokens.low
        self._read: dict[Reader, Callable[[int, int], Spans]] = {
            Reader.PLACE: self.places,
            Reader.NAME: self.names,
            Reader.ORGANISATION: self.organisation,
            Reader.OCCUPATION: self.occupation,
            Reader.LANGUAGE: self.languages,
            Reader.THING: self.things,
            Reader.SUBSTANCE: self.things,
            Reader.PREFERRED: self.preferred,
            Reader.INSTRUMENT: self.played,
            Reader.ACTIVITY: self.activity,
            Reader.AGE: self.age,
            Reader.DATE: self.date,
            Reader.SUBJECT_OF_STUDY: self.studied,
            Reader.CONDITION: self.conditions,
        }

    def read(self, reader: Reader, begin: int, end: int) -> Spans:
        """Return the objects that `reader` finds (coordinated ones are several), none of another kind."""
        return self._read[reader](begin, end)

    def places(self, begin: int, end: int) -> Spans:
        """Read names of places: "Rome", "the centre of Milan", "Spain and Portugal"."""
        at = self.lead(begin, end)
        spans = list(names_from(self._tokens, self._grammar, at, end, loose=self._tokens.lowercase))
        if spans:
            return spans
        if at < end and self._low[at] in self._grammar.areas:
            return [(at, at + 1)]
        for link in range(at + 1, min(at + LONGEST_THING, end - 1)):
            if self._low[link] in self._grammar.stops or not self._low[link].replace("'", "").isalpha():
                break
            after = name_at(self._tokens, self._grammar, link + 1, end)
            if self._low[link] in _PLACE_LINKS and after > link + 1:
                return [] if self._beside(at, link) else [(link + 1, after)]
        return []

    def names(self, begin: int, end: int) -> Spans:
        """Read names of people."""
        at = self.lead(begin, end)
        return list(names_from(self._tokens, self._grammar, at, end))

    def organisation(self, begin: int, end: int) -> Spans:
        """Read an employer, a school, a group: by name, or by a noun that makes one ("a bakery")."""
        at = self.lead(begin, end)
        after = at
        while after < end and after - at < LONGEST_THING and self._inside_organisation(after, at, end):
            after += 1
        after = self._trim(at, after)
        if after == at or self._foreign(at, after):
            return []
        made = any(word in self._grammar.organisations for word in self._low[at:after])
        located = self._low[begin - 1] in _WHERE
        named = any(name_at(self._tokens, self._grammar, i, after) > i for i in range(at, after))
        return [(at, after)] if made or (named and not located) else []

    def occupation(self, begin: int, end: int) -> Spans:
        """Read a job: any noun phrase after "as", a known job elsewhere."""
        at = self.lead(begin, end)
        after = self._noun_phrase(at, end)
        if after == at or self._foreign(at, after):
            return []
        open_class = self._low[begin - 1] in ("as", "come")
        return [(at, after)] if open_class or self.is_occupation(at, after) else []

    def is_occupation(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a job."""
        known, endings = self._grammar.occupations, self._grammar.occupation_endings
        words = self._low[begin:end] if self._grammar.code == "it" else self._low[end - 1 : end]
        if self._grammar.code == "en" and "of" in self._low[begin:end]:
            words = [self._low[self._low.index("of", begin) - 1]]
        return any(word in known or (len(word) > 6 and word.endswith(endings)) for word in words)

    def is_role(self, begin: int, end: int) -> bool:
        """Whether the noun phrase says what somebody is: a belief, an origin, a breed."""
        of = next((i for i in range(begin, end) if self._of(self._low[i])), end)
        words = (self._low[begin], self._low[of - 1]) if self._grammar.code == "it" else (self._low[of - 1],)
        return any(word in self._grammar.roles for word in words)

    def is_condition(self, begin: int, end: int) -> bool:
        """Whether the noun phrase names a condition of health."""
        known = self._grammar.lexicon[Reader.CONDITION]
        return any(word in known for word in self._low[begin:end])

    def languages(self, begin: int, end: int) -> Spans:
        """Read languages, over fillers like "a little" and "un po' di"."""
        known, spans = self._grammar.lexicon[Reader.LANGUAGE], []
        for at in range(begin, end):
            word = self._low[at]
            if word in known:
                spans.append((at, at + 1))
            elif not self._between_languages(word):
                break
        return spans

    def things(self, begin: int, end: int) -> Spans:
        """Read noun phrases: "pizza", "hiking in the mountains", "jazz and old films"."""
        spans: Spans = []
        at = begin
        while at < end:
            at = self.lead(at, end)
            after = self._phrase_end(at, end, LONGEST_THING)
            if after == at or self._foreign(at, after):
                break
            spans.append((at, after))
            following = self._after_conjunction(after, end)
            if following == after:
                break
            at = following
        return spans

    def preferred(self, begin: int, end: int) -> Spans:
        """Read what is preferred, up to what it is preferred to."""
        lesser = next((i for i in range(begin + 1, end) if self._low[i] in _RATHER), end)
        return self.things(begin, lesser)

    def played(self, begin: int, end: int) -> Spans:
        """Read instruments, sports and games; a preposition first means that something else is meant."""
        if begin < end and self._low[begin] in self._grammar.prepositions:
            return []
        return [span for span in self.things(begin, end) if span[1] - span[0] <= 3]

    def studied(self, begin: int, end: int) -> Spans:
        """Read fields of study."""
        if begin < end and self._low[begin] in self._grammar.prepositions:
            return []
        return [
            self._until_preposition(span)
            for span in self.things(begin, end)
            if self._until_preposition(span)[1] > span[0]
        ]

    def activity(self, begin: int, end: int) -> Spans:
        """Read what somebody means to do, or likes doing: a verb phrase."""
        if begin >= end or self._low[begin] in _NOT_DONE or self._low[begin] in self._grammar.determiners:
            return []
        if self._tokens.raw[begin][0].isupper() or self._foreign(begin, begin + 1):
            return []
        after = self._phrase_end(begin, end, LONGEST_ACTIVITY)
        return [(begin, after)] if after > begin else []

    def conditions(self, begin: int, end: int) -> Spans:
        """Read conditions of health that are known by name."""
        return [span for span in self.things(begin, end) if self.is_condition(*span)]

    def age(self, begin: int, end: int) -> Spans:
        """Read an age in years (1-120): a number, before its unit or at the end of the clause."""
        at = self.lead(begin, end)
        if at >= end or self.number(at) is None:
            return []
        after = at + 1
        closed = (
            after >= end or self._low[after] in self._grammar.years or self._low[after] in self._grammar.stops
        )
        if not closed and not self._low[after].isalnum():
            closed = True
        if (
            after + 1 < end
            and self._low[after] in self._grammar.years
            and self._low[after + 1] in ("di", "fa", "of", "ago")
        ):
            return []
        return [(at, after)] if closed else []

    def number(self, at: int) -> str | None:
        """Return the number at `at` in figures if it may be an age."""
        word = self._grammar.numbers.get(self._low[at], self._low[at])
        return word if word.isascii() and word.isdigit() and 1 <= int(word) <= OLDEST else None

    def date(self, begin: int, end: int) -> Spans:
        """Read a day and a month, with or without the year."""
        at = begin
        while at < end and (
            self._low[at] in self._grammar.determiners or self._low[at] in self._grammar.prepositions
        ):
            at += 1
        after = at
        while after < end and (
            self._low[after] in self._grammar.months
            or self._low[after] in ("of", ",", "di")
            or self._low[after][0].isdigit()
        ):
            after += 1
        while after > at and self._low[after - 1] in ("of", ",", "di"):
            after -= 1
        words = self._low[at:after]
        dated = any(word[0].isdigit() for word in words)
        named = any(word in self._grammar.months for word in words) or any("/" in word for word in words)
        return [(at, after)] if dated and named else []

    def lead(self, begin: int, end: int) -> int:
        """Step over what stands before an object and is not part of it: articles, adverbs, "a lot of"."""
        at = begin
        while at < end:
            word = self._low[at]
            if word in _QUANTITIES and at + 1 < end and self._low[at + 1] in _OF:
                at += 2
            elif word in self._grammar.determiners or word in self._grammar.adverbs or word in _QUANTITIES:
                at += 1
            else:
                break
        return at

    def pieces(self, begin: int, end: int) -> Iterator[Span]:
        """Yield the items of a coordination, articles included: "a dog named Max", "a red bike"."""
        start = begin
        for at in range(begin, end):
            word = self._low[at]
            joined = (word in self._grammar.conjunctions or word == ",") and at > start and at + 1 < end
            if joined and (
                self._low[at + 1] in self._grammar.determiners or self._low[at + 1] in self._grammar.numbers
            ):
                yield start, at
                start = at + 1
        if start < end:
            yield start, end

    def noun_phrase(self, begin: int, end: int) -> int:
        """Return the end of the noun phrase at `begin`, before any preposition but "of"."""
        return self._noun_phrase(begin, end)

    def _noun_phrase(self, begin: int, end: int) -> int:
        after = begin
        while after < end and after - begin < LONGEST_THING:
            word = self._low[after]
            if self._stops(after, end) or (word in self._grammar.prepositions and not self._of(word)):
                break
            after += 1
        return self._trim(begin, after)

    def _phrase_end(self, begin: int, end: int, longest: int) -> int:
        after = begin
        while after < end and after - begin < longest and not self._stops(after, end):
            if self._adjunct(after, end):
                break
            after += 1
        return self._trim(begin, after)

    def _stops(self, at: int, end: int) -> bool:
        word = self._low[at]
        if word in self._grammar.stops or word in self._grammar.conjunctions or not self._wordlike(word):
            return True
        return at + 1 < end and f"{word} {self._low[at + 1]}" in self._grammar.tails

    def _adjunct(self, at: int, end: int) -> bool:
        """Whether a prepositional phrase of time starts here: "in the morning", "di sera"."""
        if self._low[at] not in self._grammar.prepositions:
            return False
        after = at + 1
        while after < end and self._low[after] in self._grammar.determiners:
            after += 1
        return after >= end or self._low[after] in self._grammar.time_nouns

    def _trim(self, begin: int, end: int) -> int:
        idle = self._grammar.prepositions | self._grammar.determiners | self._grammar.adverbs
        while end > begin and self._low[end - 1] in idle:
            end -= 1
        return end

    def _foreign(self, begin: int, end: int) -> bool:
        """Whether the phrase is no object of its own: a pronoun, something possessed, nothing at all."""
        words = self._low[begin:end]
        refused = self._grammar.other_pronouns | self._grammar.possessives | self._grammar.user_pronouns
        return words[0] in refused or any(
            word in self._grammar.possessives or word in ("no", "nessun", "nessuna") for word in words
        )

    def _inside_organisation(self, at: int, begin: int, end: int) -> bool:
        word = self._low[at]
        if word == "'s":
            return at + 1 < end and (
                self._tokens.raw[at + 1][0].isupper() or self._low[at + 1] in self._grammar.organisations
            )
        if self._stops(at, end):
            return False
        return word not in self._grammar.prepositions or (at > begin and self._of(word))

    def _after_conjunction(self, at: int, end: int) -> int:
        after = at
        while after < end and (self._low[after] == "," or self._low[after] in self._grammar.conjunctions):
            after += 1
        if (
            after > at
            and after < end
            and self._grammar.code == "it"
            and self._low[after] in self._grammar.prepositions
        ):
            after += 1
        return after

    def _until_preposition(self, span: Span) -> Span:
        begin, end = span
        after = next(
            (
                i
                for i in range(begin, end)
                if self._low[i] in self._grammar.prepositions and not self._of(self._low[i])
            ),
            end,
        )
        return begin, self._trim(begin, after)

    def _between_languages(self, word: str) -> bool:
        grammar = self._grammar
        return (
            word == ","
            or word in _QUANTITIES
            or word in _OF
            or word in grammar.conjunctions
            or word in grammar.determiners
            or word in grammar.adverbs
            or word
            in (
                "little",
                "fluent",
                "fluently",
                "basic",
                "good",
                "correntemente",
                "fluentemente",
                "well",
                "discretamente",
            )
        )

    def _beside(self, begin: int, end: int) -> bool:
        return any(
            word in ("near", "outside", "vicino", "fuori", "from", "da") for word in self._low[begin:end]
        )

    def _of(self, word: str) -> bool:
        return word in ("of", "di", "d'", "del", "della", "dell'", "dei", "degli", "delle", "dello")

    @staticmethod
    def _wordlike(word: str) -> bool:
        return word[0].isalnum() or word in ("'s", "&")
