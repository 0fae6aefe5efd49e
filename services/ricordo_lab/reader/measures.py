"""Compares what was read with what people noted, on writers whom the fit has not seen."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.reading import DIRECTIONS, ReadStatement, is_like
from ricordo.models.reader.decoding import (
    Candidate,
    certainty_of,
    noted_candidates,
    statement_of,
    typed_candidates,
)
from ricordo.models.reader.reader_network import Floats, Probabilities
from ricordo.models.reader.text_words import Spans, Words
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.reader.annotations import SPEAKER, AnnotatedTurn, Statement
from ricordo_lab.reader.targets import tokens_of

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


class Judged(NamedTuple):
    """What may be a statement, and which of the statements that a person noted it matches, by their place."""

    turn: int
    candidate: Candidate
    matches: tuple[int, ...]


Matches = Callable[[str, ReadStatement, Statement], bool]


def figures(read: Sequence[ReadTurn], regressions: Mapping[str, Floats]) -> Iterator[NamedFigures | Row]:
    """Yield figures by language: of typed and noted statements at several precisions, and of fields."""
    for language in sorted({one.turn.language for one in read}):
        some = [one for one in read if one.turn.language == language]
        for grade in GRADES:
            for precision, recall, threshold in curve(some, judged(some, grade), regressions[grade]):
                row = {"precision": precision, "recall": recall, "from": threshold}
                yield Row(table=f"{grade} statements, {language}", **row)
        yield NamedFigures(language=language, turns=len(some), **_fields(some))


def judged(read: Sequence[ReadTurn], grade: str) -> list[Judged]:
    """Return all that may be statements of a grade."""
    candidates, matches = GRADES[grade]
    found: list[Judged] = []
    for place, (turn, spans, said) in enumerate(read):
        for one in candidates(Words(turn.text, spans), said):
            statement = statement_of(one, said, spans, one.span, 0.0)
            right = (n for n, fact in enumerate(turn.statements) if matches(turn.text, statement, fact))
            found.append(Judged(place, one, tuple(right)))
    return found


def curve(
    read: Sequence[ReadTurn],
    candidates: Sequence[Judged],
    regression: Floats,
    precisions: Sequence[float] = PRECISIONS,
) -> Iterator[tuple[float, float, float]]:
    """Yield the highest recall at each of `precisions` that is reached, and the certainty where it is."""
    sure = [certainty_of(one.candidate, regression) for one in candidates]
    best = {
        (place, n): -1.0
        for place, one in enumerate(read)
        for n, fact in enumerate(one.turn.statements)
        if not fact.denied
    }
    for one, certainty in zip(candidates, sure, strict=True):
        for n in one.matches:
            if (one.turn, n) in best:
                best[one.turn, n] = max(best[one.turn, n], certainty)
    order = sorted(
        ((each, bool(one.matches)) for each, one in zip(sure, candidates, strict=True)), reverse=True
    )
    right = np.cumsum([is_right for _, is_right in order])
    shares = right / np.arange(1, len(order) + 1)
    for precision in precisions:
        reached = np.flatnonzero(shares >= precision)
        if len(reached):
            threshold = order[reached[-1]][0]
            recall = float(np.mean([certainty >= threshold for certainty in best.values()]))
            yield round(float(shares[reached[-1]]), 3), round(recall, 3), round(threshold, 3)


def _is_typed(text: str, reading: ReadStatement, fact: Statement) -> bool:
    """Return whether a reading says what a person noted: of whom, of which family, with a word in common."""
    if (reading.of == "speaker") != (fact.subject == SPEAKER):
        return False
    if not is_like(reading.predicate, fact.predicate):
        return False
    noted_words = content_words(fact.object) | content_words(fact.clause)
    return not noted_words.isdisjoint(content_words(text[slice(*reading.object)]))


def _is_noted(text: str, reading: ReadStatement, fact: Statement) -> bool:
    """Return whether a clause holds what a person noted, of the same kind of subject."""
    if (reading.of == "speaker") != (fact.subject == SPEAKER):
        return False
    return not content_words(fact.object).isdisjoint(content_words(text[slice(*reading.object)]))


GRADES: Final[Mapping[str, tuple[Callable[..., Iterator[Candidate]], Matches]]] = {
    "typed": (typed_candidates, _is_typed),
    "noted": (noted_candidates, _is_noted),
}


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, each by its first letters."""
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
