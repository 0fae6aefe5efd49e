"""Reads plans: "walk the Camino"; in the present or with "going to" where there is a date."""

from typing import Final

from ricordo.language.facts.object_phrases import ObjectPhrases, Spans
from ricordo.language.facts.word_forms import word_list
from ricordo.language.lemmas import lemma

_NOT_DONE: Final = word_list("no_plans")
_DECISIVE: Final = word_list("decisive_verbs")
_NEAR: Final = 8  # words before a plan among which its date may stand
_AHEAD: Final = frozenset("next prossimo prossima prossimi prossime quest' venturo ventura".split())
_SPANS: Final = word_list("planned_periods")
_WITHIN: Final = frozenset("in this from by a ad da dal d' per tra fra entro the per".split())
_OWN: Final = frozenset("my our mio mia miei mie nostro nostra nostri nostre".split())


class Plans(ObjectPhrases):
    """Reads plans in one message."""

    def activity(self, begin: int, end: int) -> Spans:
        """Read what somebody means to do, or likes doing: a verb phrase."""
        if begin >= end or self._low[begin] in _NOT_DONE or self._low[begin] in self._grammar.determiners:
            return []
        return [] if self._raw[begin][0].isupper() else self.undertaking(begin, end)

    def undertaking(self, begin: int, end: int) -> Spans:
        """Read what is planned: "trip to Patagonia", "apply for citizenship"."""
        at = self.lead(begin, end)
        after = self.undertaking_end(at, end)
        if after == at or self._low[at] in _OWN:
            return []
        foreign = any(word in self._grammar.deictic - _OWN for word in self._low[at:after])
        return [] if foreign or self.unspoken(at) else [(at, after)]

    def intention(self, begin: int, end: int) -> Spans:
        """Read what somebody is going to do, when it has a date or is no everyday thing."""
        if begin < end and (self._low[begin] in _DECISIVE or self.dated(begin, end)):
            return self.activity(begin, end)
        return []

    def future(self, begin: int, end: int) -> Spans:
        """Read what somebody does at a date to come, from its verb: "l'anno prossimo | apro un bar"."""
        if not self.dated(begin, end):
            return []
        first = begin
        while first < end and (self._low[first] in self._grammar.determiners or self._low[first] in _OWN):
            first += 1
        start = first if first > begin else begin - 1  # the verb itself, before "to Oslo"
        after = self.undertaking_end(start, end)
        return [(begin - 1, max(after, begin))]

    def infinitive(self, begin: int, after: int) -> str:
        """Return what is done, in the infinitive: "aprire un bar", "trasferirmi a Lisbona"."""
        done = lemma(self._low[begin], self._grammar.code)
        ending = self._grammar.infinitive
        if not done.endswith(ending):
            done = f"{self._low[begin].removesuffix('o')}are"  # "inizio", "cambio": nouns too
        if begin and self._low[begin - 1] in self._grammar.reflexives and done.endswith(ending):
            done = done[:-1] + self._low[begin - 1]
        return f"{done} {self._tokens.text(begin + 1, after)}".strip()

    def dated(self, begin: int, end: int) -> bool:
        """Whether a month, a season or a year to come stands near."""
        first = max(0, begin - _NEAR)
        for at in range(first + 1, end):
            word, before = self._low[at], self._low[at - 1]
            if word in _AHEAD and before in _SPANS:
                return True
            if word in _SPANS and (before in _AHEAD or before in _WITHIN):
                return True
        return False
