"""Compares what was read with what people noted, on writers whom the fit has not seen."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.reader.annotations import DIRECTIONS, SPEAKER, AnnotatedTurn, Statement
from ricordo_lab.reader.readings import Probabilities, Reading, is_like, noted, typed
from ricordo_lab.reader.targets import OF_SPEAKER, Spans, tokens_of

_WITHIN_OBJECT: Final = 0.3
_WITHIN_CLAUSE: Final = 0.4
PRECISIONS: Final = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85)
_FUNCTION_WORDS: Final = frozenset(
    "the a an of to in on at for and or with my his her their from il lo la i gli le un una uno di a da in "
    "con su per e o che del della dei delle al alla mio mia der die das ein eine und zu von mit mein".split()
)
_STEM: Final = 6  # letters of a word that are compared


class ReadTurn(NamedTuple):
    """A turn, its tokens, and what the network says of it."""

    turn: AnnotatedTurn
    spans: Spans
    found: Probabilities


def figures(read: Sequence[ReadTurn]) -> Iterator[NamedFigures | Row]:
    """Yield figures by language: of typed and noted statements at several precisions, and of fields."""
    for language in sorted({one.turn.language for one in read}):
        some = [one for one in read if one.turn.language == language]
        for grade, least, reads, matches in (
            ("typed", _WITHIN_OBJECT, typed, _is_typed),
            ("noted", _WITHIN_CLAUSE, noted, _is_noted),
        ):
            for precision, recall, threshold in curve(some, least, reads, matches):
                row = {"precision": precision, "recall": recall, "from": threshold}
                yield Row(table=f"{grade} statements, {language}", **row)
        yield NamedFigures(language=language, turns=len(some), **_fields(some))


Reads = Callable[[str, Spans, Probabilities, float], Iterator[Reading]]
Matches = Callable[[str, Reading, Statement], bool]


def curve(
    read: Sequence[ReadTurn], least: float, reads: Reads, matches: Matches
) -> Iterator[tuple[float, float, float]]:
    """Yield the highest recall at each of `PRECISIONS` that is reached, and the certainty where it is."""
    scored: list[tuple[float, bool]] = []
    best: list[float] = []  # of each statement, the certainty of the surest reading that matches it
    for turn, spans, found in read:
        readings = list(reads(turn.text, spans, found, least))
        scored += [
            (one.certainty, any(matches(turn.text, one, fact) for fact in turn.statements))
            for one in readings
        ]
        best += [
            max((one.certainty for one in readings if matches(turn.text, one, fact)), default=-1.0)
            for fact in turn.statements
            if not fact.denied
        ]
    order = sorted(scored, reverse=True)
    right = np.cumsum([is_right for _, is_right in order])
    shares = right / np.arange(1, len(order) + 1)
    for precision in PRECISIONS:
        reached = np.flatnonzero(shares >= precision)
        if len(reached):
            threshold = order[reached[-1]][0]
            recall = float(np.mean([certainty >= threshold for certainty in best]))
            yield round(float(shares[reached[-1]]), 3), round(recall, 3), round(threshold, 3)


def _is_typed(text: str, reading: Reading, fact: Statement) -> bool:
    """Return whether a reading says what a person noted: of whom, of which family, with a word in common."""
    if (reading.subject == OF_SPEAKER) != (fact.subject == SPEAKER):
        return False
    if not is_like(reading.predicate, fact.predicate):
        return False
    noted_words = _content(fact.object) | _content(fact.clause)
    return not noted_words.isdisjoint(_content(text[reading.start : reading.end]))


def _is_noted(text: str, reading: Reading, fact: Statement) -> bool:
    """Return whether a clause holds what a person noted, of the same kind of subject."""
    if (reading.subject == OF_SPEAKER) != (fact.subject == SPEAKER):
        return False
    return not _content(fact.object).isdisjoint(_content(text[reading.start : reading.end]))


def _content(text: str) -> frozenset[str]:
    words = re.findall(r"\w+", text.casefold())
    return frozenset(word[:_STEM] for word in words if word not in _FUNCTION_WORDS)


def _fields(read: Sequence[ReadTurn]) -> dict[str, object]:
    turns = [one.turn for one in read]
    importance = np.array([turn.importance for turn in turns])
    strong = [one for one in read if abs(one.turn.valence) > 1]
    informative = np.array([turn.informative for turn in turns])
    said = np.array([float(one.found["informative"][0]) > 0.5 for one in read])
    both = (said & informative).sum()
    directions = [pair for one in read for pair in _directions(one)]
    tagged = [right for right, is_read in directions if is_read]
    return {
        "importance_rho": _rho(importance, np.array([float(one.found["importance"].sum()) for one in read])),
        "length_rho": _rho(importance, np.array([len(turn.text) for turn in turns])),
        "sign_of_strong_feelings": _mean(
            [(float(one.found["valence"].sum()) > 2) == (one.turn.valence > 0) for one in strong]
        ),
        "informative_f1": round(float(2 * both / max(1, said.sum() + informative.sum())), 3),
        "times_read": _mean([is_read for _, is_read in directions]),
        "direction_of_times": _mean(tagged),
    }


def _directions(one: ReadTurn) -> Iterator[tuple[bool, bool]]:
    """Yield of each time in a turn whether its direction is right, and whether it is read at all."""
    for text, direction in one.turn.times:
        tokens = tokens_of(text, one.turn.text, one.spans)
        tags = one.found["time"][tokens].mean(0)
        kinds = tags[1:].reshape(-1, 2).sum(1)
        yield DIRECTIONS[int(kinds.argmax())] == direction, bool(tags[0] < 0.5)


def _rho(ranked: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Return Spearman's rank correlation; ties have their mean rank."""
    return round(float(np.corrcoef(_ranks(ranked), _ranks(other))[0, 1]), 3)


def _ranks(values: NDArray[np.generic]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middles: NDArray[np.float64] = ends - (counts - 1) / 2
    return middles[inverse]


def _mean(values: Sequence[bool]) -> float | None:
    return round(float(np.mean(values)), 3) if values else None
