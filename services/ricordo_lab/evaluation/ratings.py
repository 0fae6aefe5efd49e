"""Reads texts with ratings of their feeling, from files in the formats of EmoBank, EmoITA and GoEmotions."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.language.reading import EMOTIONS
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
        rated: valence, arousal and dominance, 1 to 5, [n, 3]; or labels of GoEmotions, 0 or 1, [n, 28].
    """

    name: str
    texts: Sequence[str]
    rated: Matrix

    @property
    def on_axes(self) -> bool:
        """Whether axes were rated, not labels."""
        return bool(self.rated.shape[1] == len(_AXES))

    def require(self, *, on_axes: bool, texts: int) -> None:
        """Check that axes, or else labels, are rated, of at least that many texts.

        Raises:
            UnsuitableData: they are not.
        """
        kinds = ("texts with labels", "texts rated V, A and D")
        if self.on_axes != on_axes:
            raise UnsuitableData(f"{self.name} holds {kinds[self.on_axes]}; {kinds[on_axes]} are needed")
        if len(self.texts) < texts:
            raise UnsuitableData(f"{self.name} holds {len(self.texts)} texts; at least {texts} are needed")


def read(path: Path) -> Ratings:
    """Read a file: CSV with the columns text, V, A and D, or lines of text, numbers of labels and id.

    Raises:
        OSError: the file cannot be read.
        UnsuitableData: it has another shape; the sentence says in which line.
    """
    texts, rows = [], []
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            table = {"text", *_AXES} <= set(next(csv.reader([file.readline()]), []))
            file.seek(0)
            for text, row in _axes(file) if table else _labels(file):
                texts.append(text)
                rows.append(row)
        except (ValueError, TypeError, IndexError, csv.Error) as error:  # UnicodeDecodeError is a ValueError
            raise UnsuitableData(
                f"{path}, after {len(rows)} texts: neither the columns text, V, A and D nor a text, numbers "
                f"of labels and an id between tabs: {error}"
            ) from error
    if not rows:
        raise UnsuitableData(f"{path} holds no texts")
    return Ratings(path.name, tuple(texts), np.array(rows, dtype=np.float32))


def _axes(lines: Iterable[str]) -> Iterator[tuple[str, list[float]]]:
    for row in csv.DictReader(lines):
        rated = [float(row[axis]) for axis in _AXES]
        if not all(_LOWEST <= one <= _HIGHEST + _BEYOND for one in rated):
            raise ValueError(f"ratings go from {_LOWEST} to {_HIGHEST}, not {rated}")
        yield row["text"], rated


def _labels(lines: Iterable[str]) -> Iterator[tuple[str, list[float]]]:
    for line in lines:
        text, numbers, _ = line.rstrip("\r\n").rsplit("\t", 2)
        labels = [int(one) for one in numbers.split(",")]
        if not all(0 <= one < len(EMOTIONS) for one in labels):
            raise ValueError(f"labels go from 0 to {len(EMOTIONS) - 1}, not {numbers}")
        yield text, [float(at in labels) for at in range(len(EMOTIONS))]
