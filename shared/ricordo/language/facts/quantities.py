"""Reads ages and dates in a clause."""

from typing import Final

from ricordo.language.facts.object_phrases import ObjectPhrases, Spans
from ricordo.language.facts.word_forms import word_list

OLDEST: Final = 120
_FEW: Final = 3  # A number word up to this, without "years", is no age: "I was one of them"
_NO_AGE: Final = frozenset({"di", "fa", "of", "ago", "younger", "older", "meno", "più"})
_REACHING: Final = frozenset("turn turns turning compio compie compiamo compiono".split())
_NOT_YET: Final = word_list("not_yet")
_NEAR: Final = 6  # words before an age that may say when it is reached
_WITHIN_DATES: Final = frozenset({"of", ",", "di"})


class Figures(ObjectPhrases):
    """Reads numbers in one message."""

    def age(self, begin: int, end: int) -> Spans:
        """Read an age in years (1-120): a number, before its unit or at the end of the clause."""
        if begin and self._low[begin - 1] in _REACHING and self._to_come(begin, end):
            return []
        low, grammar = self._low, self._grammar
        at = self.lead(begin, end)
        number = self.number(at) if at < end else None
        if number is None:
            return []
        after = at + 1
        dated = after < end and low[after] not in _NO_AGE and self.adjunct(after, end)
        if after >= end or dated or (self.stops(after, end) and low[after] != "%"):
            return [(at, after)] if low[at].isdigit() or int(number) > _FEW else []
        if low[after] not in grammar.years or (after + 1 < end and low[after + 1] in _NO_AGE):
            return []
        return [(at, after)]

    def _to_come(self, begin: int, end: int) -> bool:
        """Whether an age that somebody reaches is not reached yet: "I turn 30 in May"."""
        near = self._low[max(0, begin - _NEAR) : end]
        return any(word in _NOT_YET or word in self._grammar.months for word in near)

    def number(self, at: int) -> str | None:
        """Return the number at `at` in figures if it may be an age."""
        word = self._grammar.numbers.get(self._low[at], self._low[at])
        return word if word.isascii() and word.isdigit() and 1 <= int(word) <= OLDEST else None

    def date(self, begin: int, end: int) -> Spans:
        """Read a day and a month, with or without the year."""
        low, grammar, at = self._low, self._grammar, begin
        while at < end and (low[at] in grammar.determiners or low[at] in grammar.prepositions):
            at += 1
        after = at
        while after < end and (
            low[after] in grammar.months or low[after] in _WITHIN_DATES or low[after][0].isdigit()
        ):
            after += 1
        while after > at and low[after - 1] in _WITHIN_DATES:
            after -= 1
        words = low[at:after]
        dated = any(word[0].isdigit() for word in words)
        named = any(word in grammar.months or "/" in word for word in words)
        return [(at, after)] if dated and named else []
