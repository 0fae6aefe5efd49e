"""Reads times before a clause, and decides whether words behind a statement restrict it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.assertion_scope import plain
from ricordo.language.facts.asserted_spans import PAUSES
from ricordo.language.facts.clause_times import clause_signs
from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.scene import Scene
from ricordo.language.temporal import find

_LONGEST: Final = 9  # words of a time that comes first, at most
_MOST_BEFORE: Final = 3  # words before the time that belong to it ("ormai da", "sono")
_SOME_MOMENT: Final = datetime(2026, 1, 1, tzinfo=UTC)  # which words are a time does not hang on it
_UTC: Final = ZoneInfo("UTC")


def after_time(tokens: Tokens, grammar: Grammar, begin: int, end: int) -> int:
    """Return where a clause goes on behind the time that it begins with; `begin` where it begins with none.

    A time to come is left where it is: what is told of it does not hold.
    """
    starts, last = grammar.time_openings, min(end, begin + _LONGEST)
    if begin >= end or not _starts(tokens, grammar, begin):
        return begin
    first, language = tokens.starts[begin], grammar.code
    text = tokens.source[first : tokens.ends[last - 1]]
    low, signs = plain(text), clause_signs(language)
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


def is_whole(scene: Scene, at: int, end: int) -> bool:
    """Return whether nothing between two tokens leaves a part of it: "at all" does not, "on Mondays" does.

    What is said to be so instead ("but in Milan") leaves none either.
    """
    grammar = scene.grammar
    rest = takewhile(lambda word: word not in grammar.instead, _words(scene, at, end))
    return all(word in grammar.wholly and word not in grammar.unwhole for word in rest)


def is_since(scene: Scene, at: int, end: int) -> bool:
    """Return whether it says since when it has been so: "I haven't lived in Rome | since 2019"."""
    since = at < end and scene.tokens.low[at] in scene.grammar.since
    return since and only_a_time_follows(scene, at + 1, end)


def only_a_time_follows(scene: Scene, at: int, end: int) -> bool:
    """Return whether nothing follows but when it was: "last year", "two weeks ago", "nel 2018"."""
    told = scene.grammar.time_fillers
    return all(word in told or word.isdigit() for word in _words(scene, at, end))


def _words(scene: Scene, at: int, end: int) -> Iterator[str]:
    """Yield the words up to a pause: what is behind it is another clause."""
    said = takewhile(lambda word: word not in PAUSES, scene.tokens.low[at:end])
    return (word for word in said if word[0].isalnum())
