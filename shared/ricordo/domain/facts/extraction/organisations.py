"""Employers, schools and groups as objects: by name, or by a noun that makes one ("a bakery")."""

import re
from typing import Final

from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.names import name_at
from ricordo.domain.facts.extraction.phrases import longest
from ricordo.domain.facts.extraction.phrasing import LONGEST_THING, OF, Phrasing, Spans
from ricordo.domain.facts.extraction.tokens import Tokens
from ricordo.domain.lemmas import is_known

_WHERE: Final = frozenset({"in", "a", "ad"})
_TAUGHT_WITHIN: Final = 5
"""Words between "I teach" and where: "I teach chemistry and physics at a school"."""
_ADJECTIVE: Final = re.compile(r"(?:ic|iv|ari|ori|os|an|at|ut|it|in|es|ur|er|ol|al|ent|ant|il|ern|ond|on)o$")
"""Endings of Italian adjectives in "-o", which verbs of the first person seldom have: "Museo civico"."""
_GROUPS: Final = frozenset(
    """
    gruppo band coro squadra compagnia orchestra associazione banda complesso sindacato partito circolo
    group choir team club orchestra troupe party union ensemble society league troop scouts army navy
    quartet trio squad guild chorus
    """.split()
)
"""What says little until it is named: "in un gruppo che si chiama I Gabbiani"."""
_SCHOOLS: Final = frozenset(
    """
    university college school academy institute conservatory polytechnic course uni faculty department
    università liceo scuola facoltà istituto accademia conservatorio politecnico corso ateneo dipartimento
    master sapienza bocconi normale luiss cattolica statale
    """.split()
)


class Organisations:
    """Reads organisations in one message."""

    def __init__(self, tokens: Tokens, grammar: Grammar, phrasing: Phrasing) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._phrasing = phrasing
        self._low = tokens.low

    def named(self, begin: int, end: int) -> Spans:
        """Read an employer, a school, a group: by name, or by a noun that makes one ("a bakery")."""
        at = after = self._phrasing.lead(begin, end)
        while after < end and after - at < LONGEST_THING and self._inside(after, at, end):
            after += 1
        after = self._phrasing.trim(at, after)
        if after == at or self._phrasing.foreign(at, after):
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
        if made or (named and not located):
            return [(at, after)]
        small = self._tokens.lowercase and not named and not located and at == begin and after == at + 1
        return [(at, after)] if small and not is_known(self._low[at], self._grammar.code) else []

    def _inside(self, at: int, begin: int, end: int) -> bool:
        word, following = self._low[at], at + 1
        if word == "'s":
            capitalised = following < end and self._tokens.raw[following][0].isupper()
            return capitalised or (following < end and self._low[following] in self._grammar.organisations)
        if self._phrasing.stops(at, end) or self._acts(at, begin) or self._phrasing.adjunct(at, end):
            return False
        return word not in self._grammar.prepositions or (at > begin and word in OF)

    def _acts(self, at: int, begin: int) -> bool:
        """Whether the user does something after a name: "da quando lavoro alla Fiat | dormo poco"."""
        named = at > begin and self._tokens.raw[at - 1][0].isupper() and self._tokens.raw[at].islower()
        verb = self._grammar.code == "it" and self._low[at].endswith("o") and len(self._low[at]) > 3
        if self._low[at] in OF:
            return False
        return named and verb and _ADJECTIVE.search(self._low[at]) is None

    def group(self, begin: int, end: int) -> Spans:
        """Read a band, a choir, a team: after "I'm in" any other organisation is a place."""
        at = self._phrasing.lead(begin, end)
        spans = self.named(begin, end)
        return spans if spans and not _GROUPS.isdisjoint(self._low[at : spans[0][1]]) else []

    def behind(self, begin: int, end: int) -> Spans:
        """Read the school behind what is taught: "chemistry | at a secondary school"."""
        for at in range(begin, min(end - 1, begin + _TAUGHT_WITHIN)):
            if self._low[at] in self._grammar.prepositions and self._low[at] not in OF:
                return self.named(at + 1, end)
        return []

    def is_school(self, begin: int, end: int) -> bool:
        """Whether people study there, where they are enrolled."""
        return not _SCHOOLS.isdisjoint(self._low[begin:end])
