"""Fitting a head over texts on labelled ones: a table with a label, a language and a text in each line."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.language.text_head import BUCKETS, LANGUAGES, SHAPE, TextHead, buckets, shape
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.descent import Matrix, descend

NONE: Final = "-"
"""The label of what has none."""
_RIDGE: Final = 1e-5
_STEPS: Final = 200
_FEWEST: Final = 2  # labels; one tells nothing apart
_PARTS: Final = 5
_INT8: Final = 127


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, its language, and the label that it was given."""

    label: str
    language: str
    text: str


def read(path: Path) -> list[Labelled]:
    """Return the texts of a file: lines of label, language and text, separated by tabs.

    Raises:
        UnreadableData: a line is of another shape, or a language has fewer than two labels.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if len(cells) != len(Labelled.__dataclass_fields__) or cells[1] not in LANGUAGES:
            raise UnreadableData(f"{path}, line {number}: a label, it or en, and a text are expected")
        found.append(Labelled(*cells))
    for language in {one.language for one in found}:
        if len({one.label for one in found if one.language == language}) < _FEWEST:
            raise UnreadableData(f"{path}: at least two labels are expected of {language}")
    return found


def digest(path: Path) -> str:
    """Return what `TextHead.fitted_on` holds of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fit(texts: Sequence[Labelled], vectors: Matrix, model: str, fitted_on: str = "") -> TextHead:
    """Fit a head; the same texts give the same head.

    Args:
        texts: of one language, with at least two labels.
        vectors: of the texts, [n, d], unit norm.
        model: whose vectors these are.
        fitted_on: which texts these are.
    """
    labels = tuple(sorted({one.label for one in texts}))
    features, wanted = _features(texts, vectors), _wanted(texts, labels)
    used = np.flatnonzero(features.any(axis=0))
    weights = np.zeros((features.shape[1], len(labels)), dtype=np.float32)
    weights[used] = descend(np.ascontiguousarray(features[:, used]), wanted, _RIDGE, _STEPS)
    step = (np.maximum(np.abs(weights[:BUCKETS]).max(axis=0), 1e-9) / _INT8).astype(np.float32)
    hashed = np.rint(weights[:BUCKETS] / step).astype(np.int8)
    return TextHead(labels, hashed, step, weights[BUCKETS:], model, fitted_on)


def fit_each(
    texts: Sequence[Labelled], vectors: Matrix, model: str, path: Path, say: Callable[[str], None]
) -> Iterator[tuple[str, TextHead, dict[str, float]]]:
    """Yield for each language its head, and the figures of one that was fitted on four fifths of its texts.

    Args:
        texts: in all languages.
        vectors: of the texts, [n, d], unit norm.
        model: whose vectors these are.
        path: where the texts stand.
        say: is told how far it is.
    """
    for language in sorted({one.language for one in texts}):
        of = [at for at, one in enumerate(texts) if one.language == language]
        own, encoded = [texts[at] for at in of], vectors[of]
        kept, held = split(own)
        say(f"{language}: fitting on four fifths, to measure on the fifth")
        tried = fit([own[at] for at in kept], encoded[kept], model)
        measured = figures(tried, [own[at] for at in held], encoded[held])
        say(f"{language}: fitting on all")
        yield language, fit(own, encoded, model, digest(path)), measured


def split(texts: Sequence[Labelled]) -> tuple[list[int], list[int]]:
    """Return the places of four fifths of the texts, and of a fifth, alike by label and language."""
    order = sorted(range(len(texts)), key=lambda at: (texts[at].label, texts[at].language, at))
    held = {at for place, at in enumerate(order) if place % _PARTS == 0}
    return [at for at in range(len(texts)) if at not in held], sorted(held)


def figures(head: TextHead, texts: Sequence[Labelled], vectors: Matrix) -> dict[str, float]:
    """Return how many of some texts get their label, and how many of those that have none get one.

    Args:
        head: fitted on others.
        texts: with labels; "-" stands for none.
        vectors: of the texts, [n, d].
    """
    odds = [head.probabilities(one.text, vector) for one, vector in zip(texts, vectors, strict=True)]
    chosen = [max(each, key=each.__getitem__) for each in odds]
    pairs = list(zip((one.label for one in texts), chosen, strict=True))
    return {
        "found": round(float(np.mean([wanted == got for wanted, got in pairs if wanted != NONE])), 3),
        "mistaken": round(float(np.mean([got != NONE for wanted, got in pairs if wanted == NONE])), 3),
    }


def _features(texts: Sequence[Labelled], vectors: Matrix) -> Matrix:
    """Return float32 [n, BUCKETS + SHAPE + d]."""
    features = np.zeros((len(texts), BUCKETS + SHAPE + vectors.shape[1]), dtype=np.float32)
    for row, one in zip(features, texts, strict=True):
        places = buckets(one.text)
        row[places] = 1 / np.sqrt(max(1, len(places)))
        row[BUCKETS : BUCKETS + SHAPE] = shape(one.text)
    features[:, BUCKETS + SHAPE :] = vectors
    return features


def _wanted(texts: Sequence[Labelled], labels: Sequence[str]) -> Matrix:
    wanted = np.zeros((len(texts), len(labels)), dtype=np.float32)
    wanted[np.arange(len(texts)), [labels.index(one.label) for one in texts]] = 1
    return wanted
