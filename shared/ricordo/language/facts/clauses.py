"""Splits an assertion into clauses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ricordo.language.facts.asserted_spans import LONGEST_LEAD, PAUSES
from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.mentions import Mention
from ricordo.language.facts.name_spans import name_at
from ricordo.language.facts.phrase_trees import longest
from ricordo.language.facts.verbs import elided_at
from ricordo.language.facts.word_forms import word_list

_LONGEST_DATE: Final = 4
_BEFOREHAND: Final = word_list("clause_openers")
_LONGEST_AGE: Final = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens `[begin, end)`; `relative` when it describes whoever was named just before."""

    begin: int
    end: int
    relative: bool = False


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
        bare = at == start or _only_subject(tokens, grammar, start, at, found)
        cut = None if bare else _cut(tokens, grammar, at, end, found)
        if cut is None:
            at += 1
            continue
        yield Clause(start, at, relative)
        start, relative = cut
        at = max(start, at + 1)
    if start < end:
        yield Clause(start, end, relative)


def _runs_on(tokens: Tokens, grammar: Grammar, at: int, end: int) -> bool:
    """Whether a clause starts at `at` without a pause: "sono Ginevra | ho 17 anni", "im Tom | im 15"."""
    if grammar.drops_subjects:
        starts = tokens.low[at] in grammar.running_on
    else:
        starts = (
            tokens.low[at] in grammar.user_pronouns and at + 1 < end and tokens.low[at + 1] in grammar.verbal
        )
    if not starts or at + 1 >= end:
        return False
    before = tokens.low[at - 1]
    aged = (before.isdecimal() and len(before) <= _LONGEST_AGE) or before in grammar.years
    named = (
        tokens.raw[at - 1][0].isupper() and before not in grammar.time_nouns and before not in grammar.months
    )
    if not aged and not named:
        return False
    return not (before in grammar.common or before in grammar.verbal or before in grammar.openers)


def _only_subject(tokens: Tokens, grammar: Grammar, start: int, at: int, found: dict[int, Mention]) -> bool:
    """Whether nothing but a subject stands before `at`: "Anna | now works at Fiat" is one clause."""
    if tokens.low[at] in PAUSES:
        return at == start + 1 and tokens.low[start] in grammar.user_pronouns
    if at == start + 1 and tokens.low[start] in grammar.user_pronouns:
        return True
    if at == start + 1 and tokens.low[start] in grammar.joined_pronouns:
        return tokens.low[at] in grammar.conjunctions
    with_user = tokens.low[at] in grammar.conjunctions and tokens.low[at + 1 : at + 2]
    if tokens.low[at] not in grammar.adverbs and not (with_user and with_user[0] in grammar.user_pronouns):
        return False
    mention = found.get(start)
    if mention is not None and mention.end == at:
        return True
    return name_at(tokens, grammar, start, at, person=True) == at


def _cut(
    tokens: Tokens, grammar: Grammar, at: int, end: int, found: dict[int, Mention]
) -> tuple[int, bool] | None:
    """Return the first token of the clause that starts at or after `at`, and whether it is relative."""
    word = tokens.low[at]
    if word in ("(", ")", ";"):
        aged = tokens.low[at + 1 : at + 2] if word == "(" else tokens.low[at - 1 : at]
        return None if aged and aged[0].isdigit() else (at + 1, False)
    if _runs_on(tokens, grammar, at, end):
        return at, False
    first = at + 1 if word == "," else at
    if first < end and tokens.low[first] in grammar.relatives and _describes(tokens, grammar, first, at, end):
        return first + 1, True
    if word not in PAUSES and word not in grammar.joints:
        return None
    after, furthest = at + 1, min(end, at + 1 + LONGEST_LEAD)
    while after < furthest and _leads(tokens.low[after], grammar):
        after += 1
    return (at + 1, False) if after < end and _starts_clause(tokens, grammar, after, end, found) else None


def _leads(word: str, grammar: Grammar) -> bool:
    return (
        word in grammar.conjunctions
        or word in grammar.breakers
        or word in grammar.adverbs
        or word in PAUSES
        or word in _BEFOREHAND
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
    if _dated_clause(tokens, grammar, at, end):
        return True
    if word in grammar.determiners or word in grammar.prepositions:
        if at + 3 < end and tokens.low[at + 1] in grammar.possessives and tokens.low[at + 3] in grammar.to_be:
            return True
        return at in found or any(
            longest(tree, tokens.low, at, end, grammar.adverbs) is not None
            for tree in (grammar.phrases, grammar.attributes)
        )
    after = name_at(tokens, grammar, at, end)
    possessive_name = after > at and word in grammar.possessives
    if (word in grammar.clause_starts and not possessive_name) or _verb_like(word, grammar):
        return True
    if at in found or (word in grammar.elided and elided_at(tokens.low, grammar, at, end) is not None):
        return True
    return _named_subject(tokens, grammar, after if after > at else end, end)


def _named_subject(tokens: Tokens, grammar: Grammar, after: int, end: int) -> bool:
    """Whether the name that ends at `after` is a subject: a verb follows, or where they are known from."""
    return (
        after < end
        and tokens.low[after] not in grammar.prepositions
        and _verb_like(tokens.low[after], grammar)
    )


def _dated_clause(tokens: Tokens, grammar: Grammar, at: int, end: int) -> bool:
    """Whether a date comes first and a verb follows: "da oggi abitiamo a Modena"."""
    bare = tokens.low[at] not in grammar.prepositions
    if bare and tokens.low[at] not in grammar.time_nouns:
        return False
    after, furthest = at + 1, min(end, at + 1 + _LONGEST_DATE)
    while after < furthest and (
        tokens.low[after] in grammar.openers or tokens.low[after] in grammar.time_nouns
    ):
        after += 1
    if (after == at + 1 and not bare) or after >= end:
        return False
    return tokens.low[after] in grammar.user_pronouns or tokens.low[after] in grammar.phrases.words


def _verb_like(word: str, grammar: Grammar) -> bool:
    return word in grammar.verbal
