"""Reads texts with ratings of their feeling, from files in the formats of EmoBank, EmoITA and GoEmotions."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.language.emotion.heads import LABELS
from ricordo_lab.console import UnsuitableData
from ricordo_lab.evaluation.results import Matrix

_AXES: Final = ("V", "A", "D")
_FIELDS: Final = 3  # of a line of GoEmotions: text, numbers of labels, id

_LOWEST, _HIGHEST = 1, 5
_Rated = tuple[str, list[float]]


class _Malformed(Exception):
    """What is wrong, and in which line."""


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
        UnsuitableData: it has another shape; the sentence says where.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            columns = next(csv.reader([file.readline()]), [])
            file.seek(0)
            found = list((_axes if _is_table(columns) else _labels)(file, columns))
        except (UnicodeDecodeError, csv.Error) as error:
            raise UnsuitableData(f"{path} is no text in UTF-8: {error}") from error
        except _Malformed as wrong:
            raise UnsuitableData(f"{path}, {wrong}") from None
    if not found:
        raise UnsuitableData(f"{path} holds no texts")
    texts, rated = zip(*found, strict=True)
    return Ratings(path.name, texts, np.array(rated, dtype=np.float32))


def _is_table(columns: Sequence[str]) -> bool:
    """Whether the first line names columns; else it is a text with labels."""
    return not {*_AXES, "text"}.isdisjoint(columns)


def _axes(lines: Iterable[str], columns: Sequence[str]) -> Iterator[_Rated]:
    if missing := [one for one in ("text", *_AXES) if one not in columns]:
        raise _Malformed(f"line 1: there is no column {' nor '.join(missing)}; text, V, A and D are needed")
    rows = csv.DictReader(lines)
    for row in rows:
        yield row["text"] or "", [_rating(row[axis], axis, rows.line_num) for axis in _AXES]


def _rating(written: str | None, axis: str, line: int) -> float:
    try:
        rating = float(written or "")
    except ValueError:
        raise _Malformed(f"line {line}: {axis} is {written!r}, which is no number") from None
    if not _LOWEST <= rating <= _HIGHEST:
        raise _Malformed(f"line {line}: {axis} is {written}; ratings go from {_LOWEST} to {_HIGHEST}")
    return rating


def _labels(lines: Iterable[str], _: Sequence[str]) -> Iterator[_Rated]:
    for number, line in enumerate(lines, 1):
        fields = line.rstrip("\r\n").rsplit("\t", _FIELDS - 1)
        if len(fields) != _FIELDS:
            raise _Malformed(
                f"line {number}: neither names the columns text, V, A and D nor holds a text, numbers of "
                "labels and an id between tabs"
            )
        text, numbers, _id = fields
        given = [0.0] * len(LABELS)
        for one in numbers.split(","):
            if not one.strip().isdecimal() or int(one) >= len(LABELS):
                raise _Malformed(f"line {number}: {one!r} is no number of a label, 0 to {len(LABELS) - 1}")
            given[int(one)] = 1.0
        yield text, given
