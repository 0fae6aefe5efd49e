"""Reads ages between commas behind a name: "Nora, 34,"."""

from typing import Final

from ricordo.language.facts.name_spans import Person, Span
from ricordo.language.facts.scene import Scene, Who

_LONGEST_ASIDE: Final = 4
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
    if after + 1 < end and low[after] in scene.grammar.conjunctions and low[after + 1].isdigit():
        return at  # "5 e 3 anni": one for each of several
    unit = after < end and low[after] in _UNITS
    while after < end and (low[after] in _UNITS or low[after] in _OLD):
        after += 1
    closed = after >= end or low[after] in _CLOSING or low[after] in scene.grammar.conjunctions
    if not (unit or (closed and low[first].isdigit() and int(number) > 1)) or not closed:
        return at
    scene.draft(subject, "age", number)
    return after


def aged_each(scene: Scene, person: Person, spans: list[Span]) -> None:
    """Read the ages behind the names of a list: "Maisie (12) and Effie (8)"."""
    ages = _ages_behind(scene, spans[-1][1], len(spans)) if len(spans) > 1 else []
    for name, number in zip(person.names, ages, strict=False):
        scene.draft(Person(None, names=[name]), "age", number)
    for begin, after in () if ages else spans:
        single = person if len(spans) == 1 else Person(None, names=[scene.tokens.text(begin, after)])
        aged(scene, single, after, min(len(scene.tokens.low), after + _LONGEST_ASIDE))


def _ages_behind(scene: Scene, at: int, count: int) -> list[str]:
    """Read "5 e 3 anni" behind two names; nothing when there are not as many."""
    low, numbers = scene.tokens.low, []
    for word in low[at : at + 3 * count]:
        if word.isdigit():
            numbers.append(word)
        elif word in _UNITS:
            return numbers if len(numbers) == count else []
        elif word not in _OPENING and word not in scene.grammar.conjunctions:
            break
    return []
