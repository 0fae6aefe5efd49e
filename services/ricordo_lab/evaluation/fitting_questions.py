"""Fitting the head that helps to understand questions, on labelled ones."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.language.detection import detect
from ricordo.language.query_analysis.analysing import read_query
from ricordo.language.query_analysis.head import BUCKETS, INTENTS, Head, buckets
from ricordo.language.temporal import Language
from ricordo_lab.evaluation.descent import Matrix, descend
from ricordo_lab.evaluation.questions import NOW, ZONE, LabelledQuestion, read_questions

_RIDGE: Final = 1e-4
_STEPS: Final = 200


def fit_file(path: Path) -> Head:
    """Fit a head on the questions of a file.

    Raises:
        OSError: the file cannot be read.
        UnreadableData: it holds no labelled questions.
    """
    return fit(read_questions(path), hashlib.sha256(path.read_bytes()).hexdigest())


def fit(questions: Sequence[LabelledQuestion], fitted_on: str = "") -> Head:
    """Fit a head; the same questions give the same head.

    Args:
        questions: at least one; of several right intents each counts the same.
        fitted_on: which questions these are.
    """
    features, wanted = _features(questions), _wanted(questions)
    used = np.flatnonzero(features.any(axis=0))
    weights = np.zeros((BUCKETS, len(INTENTS)), dtype=np.float32)
    weights[used] = descend(np.ascontiguousarray(features[:, used]), wanted, _RIDGE, _STEPS)
    return Head(weights, fitted_on)


def _features(questions: Sequence[LabelledQuestion]) -> Matrix:
    """Return float32 [n, BUCKETS], each row of unit norm."""
    features = np.zeros((len(questions), BUCKETS), dtype=np.float32)
    for row, question in zip(features, questions, strict=True):
        language: Language = "it" if detect(question.query) == "it" else "en"
        reading, _ = read_query(question.query, NOW, ZONE, language, frozenset(question.known))
        places = buckets(reading)
        row[places] = 1 / np.sqrt(len(places))
    return features


def _wanted(questions: Sequence[LabelledQuestion]) -> Matrix:
    """Return float32 [n, intents], each row a distribution."""
    wanted = np.zeros((len(questions), len(INTENTS)), dtype=np.float32)
    for row, question in zip(wanted, questions, strict=True):
        row[[INTENTS.index(one) for one in INTENTS if one in question.intents]] = 1 / len(question.intents)
    return wanted
