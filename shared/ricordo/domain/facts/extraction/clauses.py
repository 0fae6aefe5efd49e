"""Which stretches of a message may state a fact: what is neither asked nor imagined, cut into clauses."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ricordo.domain.facts.extraction.grammar import Grammar
from ricordo.domain.facts.extraction.mentions import Mention
from ricordo.domain.facts.extraction.names import name_at
from ricordo.domain.facts.extraction.phrases import longest
from ricordo.domain.facts.extraction.tokens import Tokens

_ENDS: Final = frozenset({".", "!", "?", "…", ";", '"'})
_PAUSES: Final = frozenset({",", ":", "(", ")", "–", "—", "-", "/"})
_LONGEST_DATE: Final = 4
_LONGEST_LEAD: Final = 8
"""Pauses and joining words before a clause, at most: a text that is nothing else is read in linear time."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens `[begin, end)`; `relative` when it describes whoever was named just before."""

    begin: int
    end: int
    relative: bool = False


def in_jest(tokens: Tokens, grammar: Grammar) -> bool:
    """Whether the writer takes it all back ("just kidding")."""
    return any(f"{first} {second}" in grammar.jesting for first, second in pairwise(tokens.low))


def assertions(tokens: Tokens, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """Yield the sentences, or beginnings of sentences, that assert something."""
    begin, count = 0, len(tokens.low)
    while begin < count:
        end = begin
        while end < count and not _is_end(tokens.low[end]):
            end += 1
        after = end
        asked = False
        while after < count and _is_end(tokens.low[after]):
            asked = asked or tokens.low[after] == "?"
            after += 1
        last = _before_question(tokens, grammar, begin, end) if asked else end
        begin = after_reminder(tokens, grammar, begin, last)
        last = _before_unreal(tokens, grammar, begin, last)
        if last > begin:
            yield begin, last
        begin = after


def after_reminder(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> int:
    """Return where a statement begins that is handed over with "remember that"; else `begin`."""
    found = longest(grammar.reminders, tokens.low, begin, end, ())
    return begin if found is None else found[1]


def clauses(
    tokens: Tokens, grammar: Grammar, begin: int, end: int, found: dict[int, Mention]
) -> Iterator[Clause]:
    """Cut `[begin, end)` where another clause starts; never inside a mention."""
    start, at, relative = begin, begin, False
    while at < end:
        mention = found.get(at)
        if mention is not None and mention.end > at + 1:
            at = mention.end
            continue
        bare = at == start + 1 and tokens.low[start] in grammar.user_pronouns
        cut = _cut(tokens, grammar, at, end, found) if at > start and not bare else None
        if cut is None:
            at += 1
            continue
        yield Clause(start, at, relative)
        start, relative = cut
        at = max(start, at + 1)
    if start < end:
        yield Clause(start, end, relative)


def _is_end(word: str) -> bool:
    return word in _ENDS or word[0] == "\n"


def _before_question(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> int:
    """Return where the question starts in "I live in Rome, and you?"; `begin` when all of it is asked."""
    if begin >= end or tokens.low[begin] in grammar.questions:
        return begin
    for at in range(end - 1, begin, -1):
        if tokens.low[at] in _PAUSES or tokens.low[at] in grammar.joints:
            first, furthest = at + 1, min(end, at + 1 + _LONGEST_LEAD)
            while first < furthest and tokens.low[first] in grammar.joints:
                first += 1
            if first < end and tokens.low[first] in grammar.questions:
                return _before_pause(tokens, grammar, begin, at)
    return begin


def _before_pause(tokens: Tokens, grammar: Grammar, begin: int, at: int) -> int:
    while at > begin and (tokens.low[at - 1] in _PAUSES or tokens.low[at - 1] in grammar.conjunctions):
        at -= 1
    return at


def _before_unreal(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> int:
    """Return where what is imagined, wished or reported starts: at the pause before its first word."""
    low = tokens.low
    for at in range(begin, end):
        if not _unreal_at(low, grammar, at, end):
            continue
        cut = at
        while cut > begin and not (low[cut] in _PAUSES or low[cut] in grammar.joints):
            cut -= 1
        return cut
    return end


def _unreal_at(low: list[str], grammar: Grammar, at: int, end: int) -> bool:
    word = low[at]
    if word in grammar.unreal or word in grammar.conditionals or word in grammar.saying:
        return True
    return at + 1 < end and f"{word} {low[at + 1]}" in grammar.unreal_pairs


def _cut(
    tokens: Tokens, grammar: Grammar, at: int, end: int, found: dict[int, Mention]
) -> tuple[int, bool] | None:
    """Return the first token of the clause that starts at or after `at`, and whether it is relative."""
    word = tokens.low[at]
    if word in ("(", ")", ";"):
        return at + 1, False
    first = at + 1 if word == "," else at
    if first < end and tokens.low[first] in grammar.relatives and _describes(tokens, grammar, first, at, end):
        return first + 1, True
    if word not in _PAUSES and word not in grammar.conjunctions and word not in grammar.breakers:
        return None
    after, furthest = at + 1, min(end, at + 1 + _LONGEST_LEAD)
    while after < furthest and _leads(tokens.low[after], grammar):
        after += 1
    return (at + 1, False) if after < end and _starts_clause(tokens, grammar, after, end, found) else None


def _leads(word: str, grammar: Grammar) -> bool:
    return (
        word in grammar.conjunctions or word in grammar.breakers or word in grammar.adverbs or word in _PAUSES
    )


def _describes(tokens: Tokens, grammar: Grammar, relative: int, at: int, end: int) -> bool:
    """Whether a relative pronoun follows somebody: a name or a kinship term, and a verb follows it."""
    before = at - 1
    somebody = (
        tokens.low[before] in grammar.kin
        or tokens.raw[before][0].isupper()
        or tokens.low[before] in grammar.kin_adjectives
    )
    return somebody and relative + 1 < end and _verb_like(tokens.low[relative + 1], grammar)


def _starts_clause(tokens: Tokens, grammar: Grammar, at: int, end: int, found: dict[int, Mention]) -> bool:
    word = tokens.low[at]
    if word in grammar.prepositions and _dated_clause(tokens, grammar, at, end):
        return True
    if word in grammar.determiners or word in grammar.prepositions:
        return at in found or any(
            longest(tree, tokens.low, at, end, grammar.adverbs) is not None
            for tree in (grammar.phrases, grammar.attributes)
        )
    after = name_at(tokens, grammar, at, end)
    possessive_name = after > at and word in grammar.possessives
    if (word in grammar.clause_starts and not possessive_name) or _verb_like(word, grammar):
        return True
    if at in found:
        return True
    return after > at and after < end and _verb_like(tokens.low[after], grammar)


def _dated_clause(tokens: Tokens, grammar: Grammar, at: int, end: int) -> bool:
    """Whether a date comes first and a verb follows: "da oggi abitiamo a Modena"."""
    after, furthest = at + 1, min(end, at + 1 + _LONGEST_DATE)
    while after < furthest and (
        tokens.low[after] in grammar.openers or tokens.low[after] in grammar.time_nouns
    ):
        after += 1
    if after == at + 1 or after >= end:
        return False
    return tokens.low[after] in grammar.user_pronouns or tokens.low[after] in grammar.phrases.words


def _verb_like(word: str, grammar: Grammar) -> bool:
    return word in grammar.verbal
