"""BM25 as sparse vectors, for any vector index (Robertson & Zaragoza 2009).

A document's vector carries everything but the inverse document frequency, a query's carries ones. The index
multiplies each term by that frequency over the N memories of one user, ln(1 + (N - df + 0.5)/(df + 0.5)); the
dot product is the BM25 score.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.text import APOSTROPHE_SIGNS, stop_words
from ricordo.language.tokenization import content_words, stems, terms_of, words

K1 = 1.2
B = 0.75
# Content words of a chat turn: 11.1 on average over 2,760 turns of long English conversations.
AVERAGE_LENGTH = 11.0
_APOSTROPHES: Final = frozenset(APOSTROPHE_SIGNS)


class SparseVector(NamedTuple):
    """A sparse vector: indices in ascending order, none twice.

    Attributes:
        indices: uint32 [n].
        weights: float32 [n], > 0.
    """

    indices: NDArray[np.uint32]
    weights: NDArray[np.float32]


def one_term(term: int) -> SparseVector:
    """Return the query vector of a single term."""
    return SparseVector(np.array([term], np.uint32), np.ones(1, np.float32))


@lru_cache(maxsize=65_536)
def term_id(term: str) -> int:
    """Return the 32-bit hash of a stem, stable across processes and versions."""
    return int.from_bytes(
        hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little"
    )


# A text is looked at for itself, in its window and in the window of the text that follows it.
@lru_cache(maxsize=512)
def _term_ids(text: str, language: str) -> tuple[int, ...]:
    return tuple(map(term_id, stems(text, language)))


def terms(text: str, language: str) -> SparseVector:
    """Return the document vector of `text`; the language decides stemmer and stop words."""
    return window_terms([(text, language)])


def window_terms(texts: Iterable[tuple[str, str]]) -> SparseVector:
    """Return the document vector of neighbouring texts, pairs of text and language, taken as one.

    The weight of a term is tf·(k1 + 1)/(tf + k1·(1 - b + b·length/average)), with k1 = 1.2, b = 0.75 and the
    length counted in content words. The average is `AVERAGE_LENGTH` for each text that has any, fixed so that
    no vector grows stale.
    """
    counts: Counter[int] = Counter()
    size = 0
    for text, language in texts:
        found = _term_ids(text, language)
        counts.update(found)
        size += bool(found)
    ascending = sorted(counts)
    frequency = np.array([counts[one] for one in ascending], dtype=np.float32)
    saturation = K1 * (1 - B + B * float(counts.total()) / (AVERAGE_LENGTH * max(1, size)))
    weights = (frequency * (K1 + 1) / (frequency + saturation)).astype(np.float32)
    return SparseVector(np.array(ascending, dtype=np.uint32), weights)


def query_terms(text: str, languages: Sequence[str]) -> SparseVector:
    """Return the query vector of `text`: weight 1 for every distinct term.

    Args:
        languages: of the documents, the query's own first, whose stop words count. Words are stemmed in each,
            so that names match across languages.
    """
    first = languages[0] if languages else ""
    said = [*content_words(text, first), *_apostrophised(text, first)]
    found = {term_id(term) for language in {*languages, ""} for term in terms_of(said, language)}
    indices = np.array(sorted(found), dtype=np.uint32)
    return SparseVector(indices, np.ones(len(indices), dtype=np.float32))


def _apostrophised(text: str, language: str) -> list[str]:
    """Return words with apostrophes whole and cut: texts in Italian hold `d`, `angelo`, others `d'angelo`."""
    if _APOSTROPHES.isdisjoint(text):
        return []
    ignored = stop_words(language)
    whole = [word for word in words(text, "") if "'" in word and word not in ignored]
    parts = [part for word in whole for part in word.split("'") if len(part) > 2]
    return [*whole, *(part for part in parts if part not in ignored)]


def drop_common_terms(terms: SparseVector, rarities: Mapping[int, float], minimum: float) -> SparseVector:
    """Drop terms with an IDF below `minimum`, unless that leaves none.

    Args:
        rarities: IDF by term id; an absent term is in no document.
    """
    kept = np.array([rarities.get(int(term), -1.0) >= minimum for term in terms.indices], dtype=np.bool_)
    return SparseVector(terms.indices[kept], terms.weights[kept]) if kept.any() else terms
