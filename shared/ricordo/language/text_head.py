"""A learned head over a text: logistic regression on its words, pieces of words, shape and vector.

Words, pairs of words and runs of two to five characters are hashed (feature hashing: Weinberger et al. 2009),
in lower case and without diacritics and apostrophes, as people leave them out. A head is of one language
(`ricordo eval fit-heads`).
"""

import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, Final, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.data_files import LANGUAGES

BUCKETS: Final = 8_192
SHAPE: Final = 7
"""Numbers that tell the shape of a text, see `shape`."""

_MOST_READ: Final = 2_000  # characters
_MOST_WORDS: Final = 200
_LONGEST_WORD: Final = 40  # characters; what is longer is no word
_PIECES: Final = (2, 5)  # characters
_WORD: Final = re.compile(r"\w+")
_SHAPE_SCALE: Final = np.float32(0.3)  # beside a text's words, which have unit norm
_CLAUSE_END: Final = re.compile(r"[.;:,!?()\n]+")
_APOSTROPHE: Final = re.compile(r"['’]")
Floats = NDArray[np.float32]
NO_VECTOR: Final[Floats] = np.zeros(0, dtype=np.float32)


def _restored(array: NDArray[Any]) -> Any:  # noqa: ANN401 - of whichever type the field is
    if array.ndim == 0:
        return array.item()
    if array.dtype.kind == "U":
        return tuple(array.tolist())
    return array.astype(np.float32) if array.dtype == np.float16 else array


@dataclass(frozen=True, slots=True)
class TextHead:
    """Gives the probability of each label; kept in a file of NumPy, its dense weights in half precision.

    Attributes:
        dense: weights of the shape and of the vector, [SHAPE + d, labels].
        model: the embedding model whose vectors it reads; "" where it reads none.
        fitted_on: SHA-256 of the texts that it was fitted on.
    """

    labels: tuple[str, ...]
    hashed: NDArray[np.int8]
    step: Floats
    dense: Floats
    model: str
    fitted_on: str = ""

    def saved(self) -> bytes:
        """Return the file that `restored` reads."""
        file = io.BytesIO()
        arrays: dict[str, Any] = {one.name: np.asarray(getattr(self, one.name)) for one in fields(self)}
        np.savez_compressed(file, **arrays | {"dense": self.dense.astype(np.float16)})
        return file.getvalue()

    @classmethod
    def restored(cls, content: bytes) -> Self:
        """Return the head of a file that `saved` has made."""
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            return cls(**{name: _restored(saved[name]) for name in saved})

    def probabilities(self, text: str, vector: Floats = NO_VECTOR) -> Mapping[str, float]:
        """Return the probability of each label, together 1."""
        places = buckets(text)
        scores = self.hashed[places].sum(axis=0, dtype=np.int32) * self.step / np.sqrt(max(1, len(places)))
        scores = scores + np.concatenate((shape(text), vector)) @ self.dense
        odds = np.exp(scores - scores.max())
        return dict(zip(self.labels, (odds / odds.sum()).tolist(), strict=True))


@lru_cache(maxsize=16)
def load_head(package: str, name: str, language: str) -> TextHead | None:
    """Return the head `<name>_<language>.npz` of a package, read once; None where there is none."""
    file = resources.files(package).joinpath(f"{name}_{language}.npz")
    return TextHead.restored(file.read_bytes()) if language in LANGUAGES and file.is_file() else None


def buckets(text: str) -> NDArray[np.intp]:
    """Return the places of the words, pairs of words and pieces of a text, ascending, each once."""
    found = [_plain(word) for word in _WORD.findall(_APOSTROPHE.sub("", text[:_MOST_READ]))[:_MOST_WORDS]]
    pairs = (_bucket(f"b {one} {other}") for one, other in pairwise(("^", *found, "$")))
    places = set(pairs).union(*map(_places_of, found))
    return np.array(sorted(places), dtype=np.intp)


def shape(text: str) -> Floats:
    """Return how a text is put together, [SHAPE], each in [0, `_SHAPE_SCALE`].

    Its clauses, its words, the words of a clause, digits, whether it holds a colon, a question mark, commas.
    """
    read = text[:_MOST_READ]
    clauses, counted = len(_CLAUSE_END.split(read)), max(1, len(_WORD.findall(read)))
    numbers = (
        clauses / 10,
        counted / 60,
        counted / clauses / 10,
        sum(map(str.isdigit, read)) / 20,
        float(":" in read),
        float("?" in read),
        5 * read.count(",") / counted,
    )
    return np.minimum(1.0, np.array(numbers, dtype=np.float32)) * _SHAPE_SCALE


def _plain(word: str) -> str:
    if word.isdigit():
        return "0"
    decomposed = unicodedata.normalize("NFD", word.lower())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))[:_LONGEST_WORD]


@lru_cache(maxsize=8_192)
def _places_of(word: str) -> tuple[int, ...]:
    bounded = f"<{word}>"
    pieces = {
        bounded[at : at + length]
        for length in range(_PIECES[0], _PIECES[1] + 1)
        for at in range(len(bounded) - length + 1)
    }
    return tuple({_bucket(f"w {word}"), *(_bucket(f"c {one}") for one in pieces)})


def _bucket(feature: str) -> int:
    return crc32(feature.encode("utf-8", "replace")) % BUCKETS
