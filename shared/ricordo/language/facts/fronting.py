"""Times that come first in a clause: "until last year I worked at …", "tre anni fa mi sono trasferita …"."""

from datetime import UTC, datetime
from typing import Final, cast
from zoneinfo import ZoneInfo

from ricordo.language.assertion_scope import plain
from ricordo.language.facts.clause_times import signs_of
from ricordo.language.facts.grammar import Grammar
from ricordo.language.facts.tokens import Tokens
from ricordo.language.temporal import Language, find

_LONGEST: Final = 9
"""Words of a time that comes first, at most."""

_MOST_BEFORE: Final = 3
"""Words before the time that belong to it ("ormai da", "sono")."""

_SOME_MOMENT: Final = datetime(2026, 1, 1, tzinfo=UTC)  # which words are a time does not hang on it
_UTC: Final = ZoneInfo("UTC")


def after_time(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> int:
    """Return where a clause goes on behind the time that it begins with; `begin` where it begins with none.

    A time to come is left where it is: what is told of it does not hold.
    """
    starts, last = grammar.time_openings, min(end, begin + _LONGEST)
    if begin >= end or not _starts(tokens, grammar, begin):
        return begin
    first, language = tokens.starts[begin], cast("Language", grammar.code)
    text = tokens.source[first : tokens.ends[last - 1]]
    low, signs = plain(text), signs_of(language)
    if signs.cue.search(low) is None:
        return begin
    lasting = signs.first_lasting.match(low)
    spans = [lasting.span()] if lasting else [one.span for one in find(text, _SOME_MOMENT, _UTC, language)]
    if not spans or signs.to_come.search(low, *spans[0]):
        return begin
    at = begin
    while at < last and tokens.starts[at] - first < spans[0][0]:
        if tokens.low[at] not in starts or at - begin >= _MOST_BEFORE:
            return begin
        at += 1
    while at < last and tokens.starts[at] - first < spans[0][1]:
        at += 1
    if at >= end:
        return begin  # "sono vegano da cinque anni": nothing goes on behind it
    return at + (tokens.low[at] == ",")


def _starts(tokens: Tokens, grammar: Grammar, at: int) -> bool:
    word = tokens.low[at]
    return word in grammar.time_openings or word[0].isdigit() or word in grammar.numbers
