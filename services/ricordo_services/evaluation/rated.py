"""Texts with the feelings that people found in them, as EmoBank, EmoITA and GoEmotions keep them in files."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.emotion.heads import LABELS

_AXES: Final = ("V", "A", "D")
_FIELDS: Final = 3  # of a line of GoEmotions: text, numbers of labels, id

Matrix = NDArray[np.float32]


class UnreadableRatings(Exception):
    """The file holds no rated texts in a shape that is known."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Rated texts.

    Attributes:
        rated: valence, arousal and dominance, 1 to 5, [n, 3]; or labels of GoEmotions, 0 or 1, [n, 28].
    """

    name: str
    texts: Sequence[str]
    rated: Matrix

    @property
    def on_axes(self) -> bool:
        """Whether axes were rated, not labels."""
        return bool(self.rated.shape[1] == len(_AXES))


def read(path: Path) -> Ratings:
    """Read a file: CSV with the columns text, V, A and D, or lines of text, numbers of labels and id.

    Raises:
        OSError: the file cannot be read.
        UnreadableRatings: it has another shape.
    """
    with path.open(encoding="utf-8", newline="") as file:
        try:
            head = file.readline()
            file.seek(0)
            columns = next(csv.reader([head]), [])
            found = _axes(file) if {*_AXES, "text"} <= set(columns) else _labels(file)
        except (ValueError, IndexError, KeyError, TypeError, csv.Error) as error:
            raise UnreadableRatings(
                f"{path} holds neither the columns text, V, A and D nor lines of text, labels and id: {error}"
            ) from error
    if not found:
        raise UnreadableRatings(f"{path} holds no texts")
    texts, rated = zip(*found, strict=True)
    if not np.isfinite(rated).all():
        raise UnreadableRatings(f"{path} holds ratings that are no numbers")
    return Ratings(path.name, texts, np.array(rated, dtype=np.float32))


def _axes(lines: Iterable[str]) -> list[tuple[str, list[float]]]:
    rows = csv.DictReader(lines)
    return [(row["text"], [float(row[axis]) for axis in _AXES]) for row in rows]


def _labels(lines: Iterable[str]) -> list[tuple[str, list[float]]]:
    found: list[tuple[str, list[float]]] = []
    for line in lines:
        text, numbers, _ = line.rstrip("\r\n").rsplit("\t", _FIELDS - 1)
        given = [0.0] * len(LABELS)
        for number in numbers.split(","):
            given[int(number)] = 1.0
        found.append((text, given))
    return found
