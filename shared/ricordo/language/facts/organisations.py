"""Places, employers, schools and groups as objects: by name, or by a noun that makes one ("a bakery")."""

import re
from collections.abc import Sequence
from typing import Final

from ricordo.language.facts.acquaintance import is_known_given
from ricordo.language.facts.name_spans import Span, name_at, names_from
from ricordo.language.facts.object_phrases import LONGEST_THING, OF, ObjectPhrases, Spans
from ricordo.language.facts.phrase_trees import longest
from ricordo.language.facts.word_forms import word_list
from ricordo.language.lemmas import is_known
from ricordo.language.person_names import is_place

_PLACE_WORDS: Final = frozenset({"in", "a", "ad"})
_PLACE_LINKS: Final = frozenset({"of", "di", "del", "della", "in", "a", "dell'", "d'"})
_BESIDE: Final = frozenset({"near", "outside", "vicino", "fuori", "from", "da"})
_COUNTRYWARD: Final = frozenset({"in", "nel", "nella", "nell'"})

_ARTICLED: Final = {
    name.split("_")[1].lower(): name.replace("'_", "'").replace("_", " ")
    for name in """
    L'_Aquila La_Spezia La_Thuile La_Maddalena La_Valletta L'_Avana L'_Aia La_Mecca La_Morra The_Hague
    The_Bronx The_Dalles The_Woodlands
    """.split()
}
"""Towns whose name begins with an article, which melts into the preposition: "all'Aquila", "alla Spezia"."""
_ARTICULATED: Final = frozenset("the l' la all' alla dell' della dall' dalla nell' nella sull' sulla".split())


def is_articled(low: Sequence[str], at: int) -> bool:
    """Whether a town's name stands at `at` whose article is before it: "all' | Aquila", "the | Hague"."""
    return at > 0 and low[at] in _ARTICLED and low[at - 1] in _ARTICULATED


class Places(ObjectPhrases):
    """Reads places in one message."""

    def named(self, begin: int, end: int) -> Spans:
        """Read names of places: "Rome", "the centre of Milan", "Spain and Portugal"."""
        at = self.lead(begin, end)
        spans: Spans = []
        while True:
            found = list(names_from(self._tokens, self._grammar, at, end, loose=self._tokens.lowercase))
            found = [(first, self._before_origin(first, after)) for first, after in found]
            spans += found
            at = self._said_again(found[-1][1], end) if found else end
            if at >= end:
                break
        spans = self._nearer([span for span in spans if self._placed(*span)], end)
        if spans:
            return [] if self._modified(spans[-1][1], end) else spans
        return self._within(self.lead(begin, end), end)

    def called(self, begin: int, after: int) -> str:
        """Return what a place is called whose name was read: "L'Aquila" of "all'Aquila", "a La Loggia"."""
        name, low, raw = self._tokens.text(begin, after), self._low, self._tokens.raw
        if not begin:
            return name
        if after == begin + 1 and is_articled(low, begin):
            name = _ARTICLED[low[begin]]
        titled = begin > 1 and raw[begin - 1][0].isupper() and low[begin - 1] in self._grammar.determiners
        if titled and self._grammar.code == "it" and low[begin - 2] in self._grammar.prepositions:
            return self._tokens.text(begin - 1, after)
        return name

    def _before_origin(self, begin: int, after: int) -> int:
        """Leave out where somebody came from: "Bergen | da Lagos"."""
        return next((i for i in range(begin + 1, after) if self._low[i] in ("da", "dal")), after)

    def _nearer(self, spans: Spans, end: int) -> Spans:
        """Take the town of "in Germania, a Dortmund"."""
        if len(spans) != 1 or self._low[spans[0][0] - 1] not in _COUNTRYWARD:
            return spans
        at = spans[0][1]
        at += at < end and self._low[at] == ","
        if at + 1 >= end or self._low[at] not in self._grammar.townward:
            return spans
        after = name_at(self._tokens, self._grammar, at + 1, end)
        return [(at + 1, after)] if after > at + 1 else spans

    def _placed(self, begin: int, after: int) -> bool:
        """Whether a word without a capital may be a place: no common noun is."""
        word = self._low[begin]
        if is_articled(self._low, begin):
            return True
        if after > begin + 1 or self._tokens.raw[begin][0].isupper() or is_place(word):
            return True
        return not is_known(word, self._grammar.code) and word not in self._grammar.verbal

    def _said_again(self, at: int, end: int) -> int:
        """Step over "e a" in "a Berlino e a Dresda"."""
        again = (
            at + 1 < end and self._low[at] in self._grammar.conjunctions and self._low[at + 1] in _PLACE_WORDS
        )
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

    def _modified(self, after: int, end: int) -> bool:
        """Whether a noun goes with the name: "a Harry Potter conference" is no place."""
        if self._grammar.code != "en":
            return False
        word = self._low[after] if after < end else ","
        return word[0].isalpha() and word not in self._grammar.common and word not in self._grammar.openers


_WHERE: Final = frozenset({"in", "a", "ad"})
_LEISURE: Final = frozenset("band choir club coro banda circolo gruppo orchestra scouts".split())
_STUDYING: Final = frozenset({"doing", "studying", "reading"})
_SPANS: Final = word_list("durations")
_AT_LARGE: Final = frozenset("school college uni university church camp scuola chiesa lezione".split())
_WITHOUT_ARTICLE: Final = frozenset({"at", "in", "from", "to", "a", "da"})
_TAUGHT_WITHIN: Final = 5  # words between "I teach" and where: "I teach chemistry and physics at a school"
_ADJECTIVE: Final = re.compile(r"(?:ic|iv|ari|ori|os|an|at|ut|it|in|es|ur|er|ol|al|ent|ant|il|ern|ond|on)o$")
"""Endings of Italian adjectives in "-o", which verbs of the first person seldom have: "Museo civico"."""
_GROUPS: Final = word_list("group_nouns")
_COMPANIES: Final = word_list("companies")
_SCHOOLS: Final = word_list("school_nouns")


class Organisations(ObjectPhrases):
    """Reads organisations in one message."""

    def named(self, begin: int, end: int) -> Spans:
        """Read an employer, a school, a group: by name, or by a noun that makes one ("a bakery")."""
        at = after = self._before_article(begin, self.lead(begin, end))
        while after < end and after - at < LONGEST_THING and self._inside(after, at, end):
            after += 1
        after = self.trim(at, after)
        if after == at or self.foreign(at, after):
            return []
        after += self._owned(after, end)
        if after == at + 1 and self._names_none(begin, at):
            return []
        made = any(word in self._grammar.organisations for word in self._low[at:after])
        called = self._called(at, after, end) if made else None
        if called is not None:
            return [called]
        located = self._low[begin - 1] in _WHERE and self._low[at] not in _COMPANIES
        located = located or is_articled(self._low, at)
        named = any(name_at(self._tokens, self._grammar, i, after) > i for i in range(at, after))
        if made or (named and not located):
            return [(at, after)]
        small = self._tokens.lowercase and not named and not located and at == begin and after == at + 1
        known = self._low[at] in _COMPANIES or not is_known(self._low[at], self._grammar.code)
        return [(at, after)] if small and known else []

    def _owned(self, after: int, end: int) -> bool:
        """Whether a name goes on with "'s" that nothing follows: "Sotheby's", "McDonald's in Leeds"."""
        if after >= end or self._low[after] != "'s" or not self._tokens.raw[after - 1][0].isupper():
            return False
        word = self._low[after + 1] if after + 1 < end else "."
        return not word[0].isalnum() or word in self._grammar.prepositions or word in self._grammar.stops

    def _names_none(self, begin: int, at: int) -> bool:
        """Whether one word is somebody, or no school in particular: "con Paolo", "I study at school"."""
        word = self._low[at]
        if at == begin and word in _AT_LARGE and self._low[begin - 1] in _WITHOUT_ARTICLE:
            return True
        return is_known_given(word) and self._tokens.raw[at][0].isupper() and word not in _COMPANIES

    def _before_article(self, begin: int, at: int) -> int:
        """Keep the article that is part of a name: "Le Monde"."""
        raw = self._tokens.raw
        titled = at > begin and at < len(raw) and raw[at - 1][0].isupper() and raw[at][0].isupper()
        return at - 1 if titled else at

    def _called(self, at: int, after: int, end: int) -> Span | None:
        """Read the name of what was told by its kind: "a startup called Wrenly", "un coro, i Mirtilli,"."""
        naming = longest(self._grammar.naming, self._low, after, end, self._grammar.adverbs)
        first = naming[1] if naming is not None else after + 1
        if naming is None:
            apposed = after < end and self._low[after] == ","
            if not apposed or any(word[0].isupper() for word in self._tokens.raw[at:after]):
                return None
        the = first < end and self._low[first] in self._grammar.determiners
        last = name_at(self._tokens, self._grammar, first + the, end, titled=naming is not None)
        closed = naming is not None or last >= end or not self._low[last][0].isalnum()
        if last == first + the or not closed:
            return None
        # "The Gulls", "Le Cicale", but "i Mirtilli"
        return (first if self._tokens.raw[first][0].isupper() else first + the), last

    def _inside(self, at: int, begin: int, end: int) -> bool:
        word, following = self._low[at], at + 1
        if word == "'s":
            capitalised = following < end and self._tokens.raw[following][0].isupper()
            return capitalised or (following < end and self._low[following] in self._grammar.organisations)
        if at > begin and (word in _STUDYING or self._lasts(at, end)):
            return False
        if self.stops(at, end) or self._acts(at, begin) or self.adjunct(at, end):
            return False
        return word not in self._grammar.prepositions or (at > begin and word in OF)

    def _lasts(self, at: int, end: int) -> bool:
        """Whether a time starts behind a name: "Tesco | two weeks ago", "Siemens | dieci anni"."""
        counted = self._low[at] in self._grammar.numbers or self._low[at].isdigit()
        return counted and at + 1 < end and self._low[at + 1] in _SPANS

    def _acts(self, at: int, begin: int) -> bool:
        """Whether the user does something after a name: "da quando lavoro alla Fiat | dormo poco"."""
        named = at > begin and self._tokens.raw[at - 1][0].isupper() and self._tokens.raw[at].islower()
        verb = self._grammar.drops_subjects and self._low[at].endswith("o") and len(self._low[at]) > 3
        if self._low[at] in OF:
            return False
        return named and verb and _ADJECTIVE.search(self._low[at]) is None

    def group(self, begin: int, end: int) -> Spans:
        """Read a band, a choir, a team: after "I'm in" any other organisation is a place."""
        at = self.lead(begin, end)
        spans = self.named(begin, end)
        return spans if spans and not _GROUPS.isdisjoint(self._low[at : spans[0][1]]) else []

    def behind(self, begin: int, end: int) -> Spans:
        """Read the school behind what is taught: "chemistry | at a secondary school"."""
        for at in range(begin, min(end - 1, begin + _TAUGHT_WITHIN)):
            if self._low[at] in self._grammar.prepositions and self._low[at] not in OF:
                return self.named(at + 1, end)
        return []

    def employer(self, begin: int, end: int) -> Spans:
        """Read whom somebody left: a name that is neither a place's nor a person's."""
        after = name_at(self._tokens, self._grammar, begin, end)
        word = self._low[begin] if begin < end else ""
        other = after == begin or is_place(word) or is_known_given(word)
        return [] if other else [(begin, after)]

    def is_group(self, begin: int, end: int) -> bool:
        """Whether nobody is employed there: a club, a choir."""
        return not _LEISURE.isdisjoint(self._low[begin:end])

    def is_studied_at(self, begin: int, end: int) -> bool:
        """Whether it is a school, or goes by a name."""
        named = any(word[0].isupper() for word in self._tokens.raw[begin:end])
        return named or self._tokens.lowercase or self.is_school(begin, end)

    def is_school(self, begin: int, end: int) -> bool:
        """Whether people study there, where they are enrolled."""
        return not _SCHOOLS.isdisjoint(self._low[begin:end])
