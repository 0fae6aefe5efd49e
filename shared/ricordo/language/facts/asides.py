"""Reads ages between commas behind a name: "Nora, 34,"."""

from collections.abc import Sequence
from typing import Final

from ricordo.language.facts.name_spans import Person, Span
from ricordo.language.facts.scene import Scene, Who

_OPENING: Final = frozenset({",", "("})
_CLOSING: Final = frozenset({",", ")", ".", "-", "–", "—"})
_UNITS: Final = frozenset({"years", "year", "yrs", "anni", "y"})
_OLD: Final = frozenset({"old", "o", "/"})


def aged(scene: Scene, subject: Who, at: int, end: int) -> int:
    """Read an age behind a name."""
    low = scene.tokens.low
    first = at
    if first < end and low[first] in _OPENING:
        first += 1
    elif not first or low[first - 1] not in _OPENING:
        return at
    number = scene.objects.figures.number(first) if first < end else None
    if number is None:
        return at
    after = first + 1
    unit = after < end and low[after] in _UNITS
    while after < end and (low[after] in _UNITS or low[after] in _OLD):
        after += 1
    closed = after >= end or low[after] in _CLOSING or low[after] in scene.grammar.conjunctions
    if not (unit or (closed and low[first].isdigit() and int(number) > 1)) or not closed:
        return at
    if subject is None or len(subject.names) <= 1:  # of several, `each_aged` says who
        scene.draft(subject, "age", number)
    return after


def each_aged(scene: Scene, person: Person, spans: Sequence[Span]) -> None:
    """Read the ages in brackets behind several names: "Ada (9), Bea (6) and Ciro (2)"."""
    for begin, end in spans if len(spans) > 1 else ():
        if end < scene.limit and scene.tokens.low[end] == "(":
            one = Person(person.kin, "", [scene.tokens.text(begin, end)], person.of_other)
            aged(scene, one, end, scene.limit)
