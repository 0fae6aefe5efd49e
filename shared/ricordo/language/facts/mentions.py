"""Reads noun phrases like "my older sister Nora" and "il mio cane, Max,": the tie and the name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ricordo.language.facts.fact_grammar import Grammar, Kin
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.name_spans import Person, Span, name_at, names_from
from ricordo.language.facts.phrase_trees import longest

_COMPOUND = re.compile(r"[\w-]+-(?:old|\w+ed)")  # adjectives like "two-year-old" and "three-legged"
_FORMER = re.compile("ex|former")
_GONE = frozenset("late deceased departed defunto defunta compianto compianta".split())
_ENDING = frozenset({"partner", "friend", "has_pet"})
"""Ties that end: who was one's husband is no more; a mother stays one."""
_OF_MINE = frozenset({("of", "mine"), ("of", "ours")})
_ANY = frozenset({"un", "uno", "una", "un'"})
"""Before "mio amico": one of several, and nobody in particular as long as no name follows."""
_CLOSING = frozenset({",", ")", "–", "—", "-", "]"})
_TITLES = frozenset("signor signora signorina dottor dottoressa professor professoressa don ingegner".split())
_OPENING = frozenset({",", "(", "–", "—", "-", "["})


@dataclass(frozen=True, slots=True)
class Mention:
    """A person tied to the user, at tokens `[begin, end)`; their names stand at `spans`."""

    begin: int
    end: int
    person: Person
    spans: tuple[Span, ...] = ()


def mentions(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> list[Mention]:
    """Find every possessed kinship term between `begin` and `end`."""
    found = []
    for at in range(begin, end):
        if tokens.low[at] in grammar.possessives:
            mention = _mention(tokens, grammar, at, begin, end)
            if mention is not None:
                found.append(mention)
        elif at == begin and at + 1 < end and tokens.low[at + 1] == ":":
            found += _listed(tokens, grammar, at, end)
        elif at + 3 <= end and (tokens.low[at + 1], tokens.low[at + 2]) in _OF_MINE:
            found += _one_of_mine(tokens, grammar, at, begin, end)
    return found


def _listed(tokens: Tokens, grammar: Grammar, at: int, end: int) -> Iterator[Mention]:
    """Read "Kids: Ada and Bea": one's own, of several."""
    kin = grammar.kin.get(tokens.low[at])
    spans, last = named_after(tokens, grammar, kin, at + 1, end) if kin and kin.plural else ([], at)
    if len(spans) > 1:
        yield Mention(at, last, Person(kin, "", [tokens.text(*span) for span in spans]), tuple(spans))


def _one_of_mine(tokens: Tokens, grammar: Grammar, at: int, lower: int, end: int) -> Iterator[Mention]:
    """Read "a good friend | of mine, Ravi,", who has a name."""
    kin = grammar.kin.get(tokens.low[at])
    spans, last = ([], at) if kin is None else named_after(tokens, grammar, kin, at + 3, end)
    first = at
    while first > lower and _describes(tokens, grammar, first - 1):
        first -= 1
    if spans and first > lower and tokens.low[first - 1] in grammar.determiners:
        names = [tokens.text(*span) for span in spans]
        yield Mention(first - 1, last, Person(kin, "", names), tuple(spans))


def others_mentions(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> list[Mention]:
    """Find the named kin of somebody else: "his husband Pete", "sua moglie Ada"."""
    found = []
    for at in range(begin, end):
        if tokens.low[at] in grammar.others_possessives:
            mention = _mention(tokens, grammar, at, begin, end)
            kin = mention.person.kin if mention is not None else None
            if mention is None or kin is None:
                continue
            if mention.person.names or kin.predicate == "has_pet":
                mention.person.of_other = True
                found.append(mention)
    return found


def kin_at(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> tuple[Kin, int] | None:
    """Read a kinship term with the adjectives around it: "older twin sister", "fratello più piccolo"."""
    at = begin
    while at < end and (_describes(tokens, grammar, at) or _COMPOUND.fullmatch(tokens.low[at])):
        at += 1
    former = at < end and (_FORMER.fullmatch(tokens.low[at]) is not None)
    if former and at + 1 < end and tokens.low[at + 1] in grammar.kin:
        at += 1
    elif former and at + 2 < end and tokens.low[at + 1] == "-" and tokens.low[at + 2] in grammar.kin:
        at += 2
    former = former or not _GONE.isdisjoint(tokens.low[begin:at])
    kin = _kin(grammar, tokens.low[at], former=former) if at < end else None
    if kin is None:
        last = grammar.kin.get(tokens.low[at - 1]) if at > begin else None
        return (last, at) if last else None
    at += 1
    while at < end and tokens.low[at] in grammar.kin and not tokens.raw[at][0].isupper():
        kin = _kin(grammar, tokens.low[at], former=former) or kin
        at += 1
    while at < end and _describes(tokens, grammar, at):
        at += 1
    return _of_something(tokens, grammar, kin, at, end)


def _kin(grammar: Grammar, word: str, *, former: bool) -> Kin | None:
    """Look a term up: "husband", and "ex-husband", who was one."""
    kin = grammar.kin.get(word)
    if kin is None and word.startswith("ex-"):
        former, kin = True, grammar.kin.get(word[3:])
    if kin is None or not former or kin.predicate not in _ENDING:
        return kin
    return replace(kin, over=True)


def named_after(
    tokens: Tokens, grammar: Grammar, kin: Kin, begin: int, end: int, *, apposed: bool = True
) -> tuple[list[Span], int]:
    """Read the names that follow a kinship term: "called Max", "Max", ", Anna and Clara,".

    Returns:
        The names (none: the person stays unnamed) and the index after them.
    """
    naming = longest(grammar.naming, tokens.low, begin, end, grammar.adverbs)
    if naming is not None:
        return _names(tokens, grammar, kin, naming[1], end, loose=True)
    found = _names(tokens, grammar, kin, begin, end, loose=False)
    if found[0] or not apposed or begin >= end or tokens.low[begin] not in (_OPENING | {":"}):
        return found
    naming = longest(grammar.naming, tokens.low, begin + 1, end, grammar.adverbs)
    if naming is not None:
        return _names(tokens, grammar, kin, naming[1], end, loose=True)
    first = begin + 1
    while first < end and (tokens.low[first] in grammar.determiners or tokens.low[first] in _TITLES):
        first += 1
    spans, after = _names(tokens, grammar, kin, first, end, loose=False)
    if not spans or not (after >= end or tokens.low[after] in _CLOSING or tokens.low[after] == "("):
        return [], begin
    return spans, min(after + 1, end)


def _names(
    tokens: Tokens, grammar: Grammar, kin: Kin, begin: int, end: int, *, loose: bool
) -> tuple[list[Span], int]:
    if kin.plural:
        spans = list(names_from(tokens, grammar, begin, end, loose=loose, person=True))
        return spans, spans[-1][1] if spans else begin
    after = name_at(tokens, grammar, begin, end, loose=loose, person=True)
    return ([(begin, after)], after) if after > begin else ([], begin)


def _describes(tokens: Tokens, grammar: Grammar, at: int) -> bool:
    return tokens.low[at] in grammar.kin_adjectives and not tokens.raw[at][0].isupper()


def _of_something(tokens: Tokens, grammar: Grammar, kin: Kin, at: int, end: int) -> tuple[Kin, int] | None:
    """Read what narrows the term down: "compagna di classe" is no partner, "vicino di casa" is one word."""
    if at + 1 < end and tokens.low[at] in ("di", "from") and tokens.low[at + 1] in grammar.companions:
        return Kin(
            "knows" if kin.predicate == "partner" else kin.predicate, kin.noun, kin.gender, kin.plural
        ), at + 2
    return kin, at


def _mention(tokens: Tokens, grammar: Grammar, possessive: int, lower: int, end: int) -> Mention | None:
    term = kin_at(tokens, grammar, possessive + 1, end)
    if term is None:
        return None
    kin, after = term
    begin = possessive
    if possessive > lower and tokens.low[possessive - 1] in grammar.determiners:
        begin -= 1
    of_other = begin > lower and tokens.low[begin - 1] in ("di", "of")
    if of_other:  # "il capo di mia moglie si chiama Dino" names the boss
        spans, last = _names(tokens, grammar, kin, after, end, loose=False)
    else:
        spans, last = named_after(tokens, grammar, kin, after, end)
    if not spans:
        spans, begin, last = _named_before(tokens, grammar, (begin, last), (lower, end))
    if not spans and tokens.low[begin] in _ANY:
        return None
    names = [tokens.text(*span) for span in spans]
    return Mention(begin, last, Person(kin, "" if kin.over else kin.noun, names), tuple(spans))


def _named_before(tokens: Tokens, grammar: Grammar, term: Span, bounds: Span) -> tuple[list[Span], int, int]:
    """Read "Nora, my sister, …": the name stands before the term."""
    (begin, last), (lower, end) = term, bounds
    if (
        begin - 1 <= lower
        or tokens.low[begin - 1] != ","
        or not (last >= end or tokens.low[last] in _CLOSING)
    ):
        return [], begin, last
    first = begin - 2
    while first > lower and name_at(tokens, grammar, first - 1, begin - 1) == begin - 1:
        first -= 1
    if name_at(tokens, grammar, first, begin - 1) != begin - 1 or (
        first > lower and tokens.low[first - 1] in ("in", "a")
    ):
        return [], begin, last
    return [(first, begin - 1)], first, min(last + 1, end)
