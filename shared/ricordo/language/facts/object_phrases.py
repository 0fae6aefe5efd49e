"""Finds the beginning and the end of noun phrases and verb phrases."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.name_spans import Span
from ricordo.language.facts.word_forms import is_laughter, is_verb, word_list
from ricordo.language.topics.word_classes import WordClass, word_class

LONGEST_THING: Final = 6
LONGEST_ACTIVITY: Final = 9
_SEVERAL: Final = 3
_SHORT: Final = 2
OF: Final = frozenset({"of", "di", "d'", "del", "della", "dell'", "dei", "degli", "delle", "dello"})
"""What joins nouns into one: "hiking in", but "man of"."""

_QUANTITIES: Final = frozenset({"lot", "lots", "bit", "sacco", "po'", "kind", "couple", "tons"})
_IT_DONE: Final = tuple(f"{verb}l{vowel}" for verb in ("ar", "ir", "cer", "der", "ter") for vowel in "oaie")
"""Endings of an Italian infinitive that points at what is not said: "dirlo", "vederla"."""
_NEW_CLAUSE: Final = word_list("new_clause")
_QUALITIES: Final = word_list("qualities")
_USERS_VERB: Final = re.compile(r"\w+(?:o|iamo)")
_ORDINALS: Final = word_list("ordinals")
_THE: Final = frozenset("the il lo la l' i gli le".split())
_DOING: Final = frozenset({"living", "based", "working", "studying", "born"})
_WHERE: Final = frozenset({"in", "at", "as", "for", "near"})
_TOWARDS: Final = frozenset({"to", "for", "per", "con", "as", "come", "in"})
Spans = list[Span]


class ObjectPhrases:
    """Bounds phrases in one message; every method takes token indices, the end exclusive."""

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._tokens = tokens
        self._raw = tokens.raw
        self._low = tokens.low
        self._grammar = grammar

    def lead(self, begin: int, end: int) -> int:
        """Step over what stands before an object and is not part of it: articles, adverbs, "a lot of"."""
        at = begin
        while at < end:
            word = self._low[at]
            if word in _QUANTITIES and at + 1 < end and self._low[at + 1] in OF:
                at += 2
            elif word in self._grammar.determiners or word in self._grammar.adverbs or word in _QUANTITIES:
                at += 1
            else:
                break
        return at

    def noun_phrase(self, begin: int, end: int) -> int:
        """Return the end of the noun phrase at `begin`, before any preposition but "of"."""
        after = begin
        while after < end and after - begin < LONGEST_THING and not self.stops(after, end):
            if self._prepositional(self._low[after]):
                break
            after += 1
        return self.trim(begin, after)

    def thing(self, begin: int, end: int) -> int:
        """Return the end of the noun phrase at `begin` with its complements, before adjuncts of time."""
        after = begin
        while after < end and after - begin < LONGEST_THING and not self.stops(after, end):
            if self.adjunct(after, end):
                break
            after += 1
        return self.trim(begin, after)

    def undertaking_end(self, begin: int, end: int) -> int:
        """Return the end of what is done or planned at `begin`, goals included: "trip to Patagonia"."""
        after = begin
        while after < end and after - begin < LONGEST_ACTIVITY:
            towards = after > begin and self._low[after] in _TOWARDS
            if (self.stops(after, end) and not towards) or self.adjunct(after, end):
                break
            after += 1
        return self.trim(begin, after)

    def coordinated(self, begin: int, end: int) -> Spans:
        """Read "jazz and old films": noun phrases without their articles.

        What only a comma joins is an object when a conjunction closes the list ("jazz, soul and funk") or
        when there are several short ones; else a clause has begun ("I like jazz, suggest a record").
        """
        spans: Spans = []
        at, closed = begin, False
        while at < end:
            first, at = at, self.lead(at, end)
            after = self.thing(at, end)
            if after < end and self._low[after] == "'s":
                after += self._is_shop(after, end)
                if self._low[after - 1] != "'s":
                    break  # "Tom's jokes" are not Tom
            if after == at or self.foreign(at, after) or self._low[at] in self._grammar.prepositions:
                break
            if spans and (
                self._is_aside(at, after, end)
                or self._begins_clause(first, at, after, end, articled=spans[0][0] > begin)
            ):
                break
            spans.append((at, after))
            following, bare = self._after_conjunction(after, end)
            if following == after or (closed and bare):
                break
            closed = closed or not bare
            at = following
        return spans if closed or _many(spans) else spans[:1]

    def _is_shop(self, at: int, end: int) -> bool:
        """Whether a possessive ends a name: "McDonald's"."""
        return begins_name(self._raw, at - 1) and (at + 1 >= end or not self._low[at + 1][0].isalnum())

    def _is_aside(self, at: int, after: int, end: int) -> bool:
        """Whether what follows an object says how it is liked ("…, warm"), or what to do with it."""
        if after == at + 1 and self._low[at] in _QUALITIES:
            return True
        bare = self._low[at - 1] == ","
        listed = after < end and self._low[after] in self._grammar.conjunctions
        return bare and not listed and self._grammar.orders.fullmatch(self._low[at]) is not None

    def _begins_clause(self, first: int, at: int, after: int, end: int, *, articled: bool) -> bool:
        """Whether what is coordinated, from `first` (from `at` without its article), is no object."""
        if after < end and self._low[after] in _NEW_CLAUSE:
            return True
        if at > first:
            return any(word in self._grammar.verbal for word in self._low[at + 1 : after])
        if is_verb(self._low[at], self._grammar.code):
            return True
        # "Il campanello e scappo": a noun would have its article, like the first one.
        alone = self._grammar.drops_subjects and self._low[at - 1] in self._grammar.conjunctions
        return articled and alone and _USERS_VERB.fullmatch(self._low[at]) is not None

    def pieces(self, begin: int, end: int) -> Iterator[Span]:
        """Yield the items of a coordination, articles included: "a dog named Max", "a red bike"."""
        low, grammar, start = self._low, self._grammar, begin
        for at in range(begin + 1, end - 1):
            joined = (low[at] in grammar.conjunctions or low[at] == ",") and at > start
            if joined and (low[at + 1] in grammar.determiners or low[at + 1] in grammar.numbers):
                yield start, at
                start = at + 1
        if start < end:
            yield start, end

    def until_preposition(self, span: Span) -> Span:
        """Shorten a phrase to what stands before its first preposition other than "of"."""
        begin, end = span
        after = next((i for i in range(begin, end) if self._prepositional(self._low[i])), end)
        return begin, self.trim(begin, after)

    def stops(self, at: int, end: int) -> bool:
        """Whether an object ends before the token at `at`."""
        word = self._low[at]
        if word == "'s" and self._of_a_maker(at, end):
            return False
        if word == "&" and begins_name(self._raw, at - 1) and begins_name(self._raw, at + 1):
            return False
        if word in self._grammar.conjunctions or not (word[0].isalnum() or word in ("'s", "&")):
            return True
        doing = word in _DOING and at + 1 < end and self._low[at + 1] in _WHERE
        if doing or is_laughter(word):
            return True
        if word in self._grammar.stops:
            named = at and self._raw[at][0].isupper() and self._raw[at - 1][0].isupper()
            return not named or word in self._grammar.user_pronouns
        return at + 1 < end and f"{word} {self._low[at + 1]}" in self._grammar.tails

    def _of_a_maker(self, at: int, end: int) -> bool:
        """Whether a possessive is part of a thing's name: "goat's cheese"."""
        alone = (
            at + 2 >= end or not self._low[at + 2][0].isalnum() or self._low[at + 2] in self._grammar.joints
        )
        return at + 1 < end and alone and word_class(self._low[at + 1], "en") is WordClass.NOUN

    def trim(self, begin: int, end: int) -> int:
        """Drop articles, prepositions and adverbs at the end of a phrase."""
        while end > begin and (self._low[end - 1] in self._grammar.idle or self._tells_how(begin, end - 1)):
            end -= 1
        return end

    def _tells_how(self, begin: int, at: int) -> bool:
        word = self._low[at]
        adverb = at > begin and self._raw[at].islower() and word not in self._grammar.not_manner
        return adverb and self._grammar.manner.fullmatch(word) is not None

    def foreign(self, begin: int, end: int) -> bool:
        """Whether a phrase is no object of its own: a pronoun, something possessed, nothing at all."""
        words = self._low[begin:end]
        if words[0] in self._grammar.vague or words[0] in self._grammar.refused:
            return True
        if self.unspoken(begin) or (words[0] in _ORDINALS and self._low[begin - 1] in _THE):
            return True
        return any(word in self._grammar.deictic for word in words)

    def unspoken(self, at: int) -> bool:
        """Whether an Italian infinitive points at what is not said: "dirlo"."""
        return self._raw[at].islower() and self._low[at].endswith(_IT_DONE)

    def _prepositional(self, word: str) -> bool:
        return word in self._grammar.prepositions and word not in OF

    def adjunct(self, at: int, end: int) -> bool:
        """Whether a prepositional phrase of time starts here: "in the morning", "di sera"."""
        if self._low[at] not in self._grammar.prepositions:
            return False
        after = at + 1
        while after < end and self._low[after] in self._grammar.determiners:
            after += 1
        return (
            after >= end
            or self._low[after] in self._grammar.time_nouns
            or (self._low[after].isdigit() and self._low[at] not in OF)
        )

    def _after_conjunction(self, at: int, end: int) -> tuple[int, bool]:
        """Step over ", and": in Italian the preposition is said again ("alle noci e al latte").

        Returns:
            The index after it (`at` when there is none), and whether there was nothing but a comma.
        """
        after = at
        while after < end and (self._low[after] == "," or self._low[after] in self._grammar.conjunctions):
            after += 1
        bare = after == at + 1 and self._low[at] == ","
        repeated = (
            self._grammar.repeats_prepositions
            and after < end
            and self._low[after] in self._grammar.prepositions
        )
        return (after + 1 if after > at and repeated else after), bare


def begins_name(raw: Sequence[str], at: int) -> bool:
    """Whether a capitalised word stands at `at`."""
    return 0 <= at < len(raw) and raw[at][0].isupper()


def _many(spans: Spans) -> bool:
    return len(spans) >= _SEVERAL and all(after - at <= _SHORT for at, after in spans)
