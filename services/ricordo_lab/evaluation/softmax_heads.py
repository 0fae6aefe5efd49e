"""Fits the softmax heads: over texts (`fit-heads`), and over questions (`fit-questions`).

Both are multinomial logistic regressions with a ridge, fitted by Adam (Kingma and Ba, 2015).
"""

import argparse
import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ricordo.language.annotations import E5
from ricordo.language.data_files import LANGUAGES
from ricordo.language.query_analysis.intents import masked
from ricordo.language.query_analysis.query_parser import parse_query
from ricordo.language.query_analysis.search_terms import LEANING
from ricordo.language.text_head import BUCKETS, SHAPE, TextHead, buckets, shape
from ricordo.settings import EmbeddingSettings
from ricordo_lab.console import UnreadableData, progress
from ricordo_lab.data_files import by_conversation
from ricordo_lab.evaluation.question_evaluation import NOW, ZONE, LabelledQuestion, read_questions
from ricordo_lab.evaluation.results import Matrix, NamedFigures
from ricordo_services.app.embedding_models import open_models

NONE: Final = "-"
"""The label of texts without one."""
_RATE: Final = 0.1
_DECAY: Final = (0.9, 0.999)
_STEPS: Final = 200
_RIDGE: Final = 1e-5
"""The factor of the squared norm."""
_PARTS: Final = 5
_TOGETHER: Final = 1_024  # texts that are encoded between two reports of progress
_LARGEST: Final = 127  # of 8 bits


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text, its language and its label."""

    label: str
    language: str
    text: str


def run_texts(asked: argparse.Namespace) -> Iterator[NamedFigures]:
    """Yield for each language the figures of a head fitted on four fifths, and where the head of all is."""
    texts = read_texts(asked.data)
    vectors = asyncio.run(_vectors([one.text for one in texts], questions=asked.questions))
    asked.out.mkdir(parents=True, exist_ok=True)
    for language in sorted({one.language for one in texts}):
        places = [at for at, one in enumerate(texts) if one.language == language]
        own, encoded = [texts[at] for at in places], vectors[places]
        kept, held_out = split(own)
        progress(f"  {language}: fitting on four fifths")
        tried = fit_text_head([own[at] for at in kept], encoded[kept], E5)
        found = accuracy(tried, [own[at] for at in held_out], encoded[held_out])
        yield NamedFigures({f"{language}_{name}": value for name, value in found.items()})
        progress(f"  {language}: fitting on all")
        name = LEANING if asked.data.is_dir() else asked.data.stem
        out = asked.out / f"{name}_{language}.npz"
        out.write_bytes(fit_text_head(own, encoded, E5, digest(asked.data)).saved())
        yield NamedFigures(out=str(out))


async def _vectors(texts: Sequence[str], *, questions: bool) -> Matrix:
    """Return the vectors that the heads read, [n, d]; texts of similar length are encoded together."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    async with open_models(EmbeddingSettings(model=E5)) as models:
        encoder = models.query if questions else models.batch
        vectors = np.zeros((len(texts), encoder.dimensions), dtype=np.float32)
        for at in range(0, len(order), _TOGETHER):
            some = order[at : at + _TOGETHER]
            vectors[some] = await encoder.encode([texts[one] for one in some])
            progress(f"  encoded {at + len(some)} of {len(texts)}")
    return vectors


def run_questions(asked: argparse.Namespace) -> Iterator[NamedFigures]:
    """Fit the head of intents for each language of a file of labelled questions, and yield where it is."""
    asked.out.mkdir(parents=True, exist_ok=True)
    questions = read_questions(asked.data)
    for language in sorted({one.language for one in questions}):
        out = asked.out / f"intents_{language}.npz"
        out.write_bytes(fit_intents(questions, language, digest(asked.data)).saved())
        yield NamedFigures(out=str(out))


def read_texts(path: Path) -> list[LabelledText]:
    """Read a file with lines of label, language and text, separated by tabs; or a folder of questions.

    Questions about chats are labelled by whether they lean on the one before; its tables are read, too.

    Raises:
        UnreadableData: a line has another shape, or a language has fewer than two labels.
    """
    tables = sorted(path.glob("*.tsv")) if path.is_dir() else [path]
    found = [*_read_questions(path), *(text for table in tables for text in _read_table(table))]
    for language in {one.language for one in found}:
        if len({one.label for one in found if one.language == language}) < 2:
            raise UnreadableData(f"{path}: at least two labels are expected of {language}")
    return found


def _read_table(path: Path) -> list[LabelledText]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if len(cells) != len(LabelledText.__dataclass_fields__) or cells[1] not in LANGUAGES:
            raise UnreadableData(f"{path}, line {number}: a label, it or en, and a text are expected")
        found.append(LabelledText(*cells))
    return found


def _read_questions(folder: Path) -> list[LabelledText]:
    texts: dict[tuple[str, str], LabelledText] = {}
    for file in sorted(folder.rglob("*.questions.jsonl")):
        for row in (row for rows in by_conversation(file).values() for row in rows):
            asked = [(NONE, row["before"][0])] if "before" in row else []
            for label, text in (*asked, (LEANING if row.get("leans") else NONE, row["q"])):
                texts.setdefault((row["l"], text), LabelledText(label, row["l"], text))
    return [*texts.values()]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of all questions of a folder, which a head stores as `fitted_on`."""
    files = sorted(path.rglob("*.questions.jsonl")) if path.is_dir() else [path]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def fit_text_head(
    texts: Sequence[LabelledText], vectors: Matrix, model: str, fitted_on: str = ""
) -> TextHead:
    """Fit a head over texts; the same texts give the same head.

    Args:
        texts: of one language, with at least two labels.
        vectors: of the texts, [n, d], unit norm.
        model: that made the vectors.
        fitted_on: digest of the file of the texts.
    """
    labels = tuple(sorted({one.label for one in texts}))
    features = np.zeros((len(texts), BUCKETS + SHAPE + vectors.shape[1]), dtype=np.float32)
    for row, one in zip(features, texts, strict=True):
        places = buckets(one.text)
        row[places] = 1 / np.sqrt(max(1, len(places)))
        row[BUCKETS : BUCKETS + SHAPE] = shape(one.text)
    features[:, BUCKETS + SHAPE :] = vectors
    wanted = np.zeros((len(texts), len(labels)), dtype=np.float32)
    wanted[np.arange(len(texts)), [labels.index(one.label) for one in texts]] = 1
    weights = _softmax_regression(features, wanted)
    step = (np.maximum(np.abs(weights[:BUCKETS]).max(axis=0), 1e-12) / _LARGEST).astype(np.float32)
    hashed = np.rint(weights[:BUCKETS] / step).astype(np.int8)
    return TextHead(labels, hashed, step, weights[BUCKETS:], model, fitted_on)


def fit_intents(questions: Sequence[LabelledQuestion], language: str, fitted_on: str = "") -> TextHead:
    """Fit the head of intents of a language; the same questions give the same head."""
    own = [one for one in questions if one.language == language]
    parsed = (parse_query(one.query, NOW, ZONE, language, frozenset(one.known))[0] for one in own)
    texts = [
        LabelledText(one.intents[0], language, masked(each)) for one, each in zip(own, parsed, strict=True)
    ]
    return fit_text_head(texts, np.zeros((len(texts), 0), dtype=np.float32), "", fitted_on)


def split(texts: Sequence[LabelledText]) -> tuple[list[int], list[int]]:
    """Return the places of four fifths of the texts, and of a fifth, stratified by label and language."""
    order = sorted(range(len(texts)), key=lambda at: (texts[at].label, texts[at].language, at))
    held_out = {at for place, at in enumerate(order) if place % _PARTS == 0}
    return [at for at in range(len(texts)) if at not in held_out], sorted(held_out)


def accuracy(head: TextHead, texts: Sequence[LabelledText], vectors: Matrix) -> dict[str, float]:
    """Return the share of labelled texts that get their label, and of texts without one that get one."""
    odds = [head.probabilities(one.text, vector) for one, vector in zip(texts, vectors, strict=True)]
    chosen = [max(each, key=each.__getitem__) for each in odds]
    pairs = list(zip((one.label for one in texts), chosen, strict=True))
    return {
        "found": round(float(np.mean([wanted == got for wanted, got in pairs if wanted != NONE])), 3),
        "mistaken": round(float(np.mean([got != NONE for wanted, got in pairs if wanted == NONE])), 3),
    }


def _softmax_regression(features: Matrix, wanted: Matrix) -> Matrix:
    """Return the weights that minimise the mean cross-entropy plus a ridge, [d, labels].

    Args:
        features: [n, d].
        wanted: a distribution over the labels for each row, [n, labels].
    """
    used = np.flatnonzero(features.any(axis=0))
    rows = np.ascontiguousarray(features[:, used])
    fitted = np.zeros((len(used), wanted.shape[1]), dtype=np.float32)
    first, second = np.zeros_like(fitted), np.zeros_like(fitted)
    for step in range(1, _STEPS + 1):
        scores = rows @ fitted
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        errors = odds / odds.sum(axis=1, keepdims=True) - wanted
        gradient = rows.T @ errors / len(wanted) + _RIDGE * fitted
        first = _DECAY[0] * first + (1 - _DECAY[0]) * gradient
        second = _DECAY[1] * second + (1 - _DECAY[1]) * gradient**2
        mean, spread = first / (1 - _DECAY[0] ** step), second / (1 - _DECAY[1] ** step)
        fitted -= _RATE * mean / (np.sqrt(spread) + 1e-8)
    weights = np.zeros((features.shape[1], wanted.shape[1]), dtype=np.float32)
    weights[used] = fitted
    return weights
