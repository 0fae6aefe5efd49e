"""Reads texts with ratings of their feeling, from files in the format of EmoBank and EmoITA."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ricordo_lab.console import UnsuitableData
from ricordo_lab.evaluation.results import Matrix

_AXES: Final = ("V", "A", "D")
_LOWEST, _HIGHEST = 1, 5
_BEYOND = 0.5  # a mean of EmoITA lies a little above the scale


@dataclass(frozen=True, slots=True)
class Ratings:
    """Rated texts.

    Attributes:
        name: of the file.
        rated: valence, arousal and dominance, 1 to 5, [n, 3].
    """

    name: str
    texts: Sequence[str]
    rated: Matrix

    def require(self, texts: int) -> None:
        """Check that it holds at least so many texts.

        Raises:
            UnsuitableData: it does not.
        """
        if len(self.texts) < texts:
            raise UnsuitableData(f"{self.name} holds {len(self.texts)} texts; at least {texts} are needed")


def read(path: Path) -> Ratings:
    """Read a CSV file with the columns text, V, A and D.

    Raises:
        OSError: the file cannot be read.
        UnsuitableData: it has another shape; the sentence says in which line.
    """
    texts, rows = [], []
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            for text, row in _rated(file):
                texts.append(text)
                rows.append(row)
        except (ValueError, TypeError, LookupError, csv.Error) as error:  # UnicodeDecodeError is a ValueError
            raise UnsuitableData(
                f"{path}, after {len(rows)} texts: the columns text, V, A and D are expected: {error!r}"
            ) from error
    if not rows:
        raise UnsuitableData(f"{path} holds no texts")
    return Ratings(path.name, tuple(texts), np.array(rows, dtype=np.float32))


def _rated(lines: Iterable[str]) -> Iterator[tuple[str, list[float]]]:
    for row in csv.DictReader(lines):
        rated = [float(row[axis]) for axis in _AXES]
        if not all(_LOWEST <= one <= _HIGHEST + _BEYOND for one in rated):
            raise ValueError(f"ratings go from {_LOWEST} to {_HIGHEST}, not {rated}")
        yield row["text"], rated
