"""Places as objects: towns and countries by name, also within a phrase ("a small flat in Milan")."""

from collections.abc import Sequence
from typing import Final

from ricordo.language.facts.name_spans import name_at, names_from
from ricordo.language.facts.object_phrases import LONGEST_THING, ObjectPhrases, Spans
from ricordo.language.lemmas import is_known
from ricordo.language.person_names import is_place

_WHERE: Final = frozenset({"in", "a", "ad"})
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

    def _modified(self, after: int, end: int) -> bool:
        """Whether a noun goes with the name: "a Harry Potter conference" is no place."""
        if self._grammar.code != "en":
            return False
        word = self._low[after] if after < end else ","
        return word[0].isalpha() and word not in self._grammar.common and word not in self._grammar.openers
