"""Compares the estimated feelings of texts with those that people rated."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ricordo.language.annotations import Emotion
from ricordo.memory.enrichment import felt
from ricordo_lab.console import progress
from ricordo_lab.evaluation.ratings import Ratings
from ricordo_lab.evaluation.ratings import read as read_ratings
from ricordo_lab.evaluation.results import Matrix, NamedFigures, Row
from ricordo_services.cli.offline_results import reading

_AXES: Final = ("valence", "arousal", "dominance")
_BINS: Final = 10
_REPORTED: Final = 1_000
_FEWEST: Final = 3  # texts that r needs


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Row]:
    """Yield how near the estimates are to the ratings, and the calibration of valence."""
    ratings = read_ratings(asked.data)
    ratings.require(_FEWEST)
    found = []
    with reading() as read:
        for text in ratings.texts:
            found.append(felt(text, read(text, "")))
            if len(found) % _REPORTED == 0:
                progress(f"  read {len(found)} of {len(ratings.texts)}")
    compared = figures(ratings, found)
    yield NamedFigures({name: None if value is None else round(value, 4) for name, value in compared.items()})
    if unknown := [name for name, value in compared.items() if value is None]:
        names = " and ".join(unknown)
        progress(f"  r of {names} is not defined: all ratings or all estimates are alike")
    for estimated, rated in calibration(ratings, found):
        yield Row(table="calibration", estimated=round(estimated, 3), rated=round(rated, 3))


def figures(ratings: Ratings, found: Sequence[Emotion]) -> dict[str, float | None]:
    """Return Pearson's r of each axis; None where all ratings or estimates are alike: it is not defined."""
    told = _columns(found)
    return {axis: _pearson(told[:, at], ratings.rated[:, at]) for at, axis in enumerate(_AXES)}


def calibration(ratings: Ratings, found: Sequence[Emotion]) -> list[tuple[float, float]]:
    """Return mean estimated and mean rated valence of ten bins of as many texts each, by rising estimate.

    A rating of 1 to 5 is (rating - 3) / 2.
    """
    valences = _columns(found)[:, 0]
    rated = (ratings.rated[:, 0] - 3) / 2
    bins = np.array_split(np.argsort(valences, kind="stable"), min(_BINS, len(found)))
    return [(float(valences[one].mean()), float(rated[one].mean())) for one in bins]


def _columns(found: Sequence[Emotion]) -> Matrix:
    return np.array([(one.valence, one.arousal, one.dominance) for one in found], dtype=np.float32)


def _pearson(estimated: Matrix, rated: Matrix) -> float | None:
    if np.ptp(estimated) == 0 or np.ptp(rated) == 0:
        return None
    return float(np.corrcoef(estimated, rated)[0, 1])
