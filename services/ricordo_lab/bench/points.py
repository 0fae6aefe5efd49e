"""Points made up without a model: words as frequent as words are, directions crowded like those of texts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_OID, uuid5

import numpy as np
from numpy.typing import NDArray

from ricordo.index.port import Facets, Point, Vector
from ricordo.memory.ranking.bm25 import SparseVector, query_terms, terms, window_terms

_WORDS: Final = 20_000
_RARER: Final = 2.7  # Zipf and Mandelbrot: the n-th word is as frequent as 1/(n + 2.7)
_WORDS_OF_A_TURN: Final = 11  # content words, on average
_WORDS_OF_A_QUESTION: Final = (3, 8)
_SUBJECTS: Final = 400  # around which directions crowd
_PEOPLE: Final = 20
_TOPICS: Final = 300
_TURNS: Final = 25  # of a conversation
_FIRST_SAID: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)


class Invention:
    """Makes up memories and questions; of one seed always the same.

    Args:
        dimensions: of the vectors.
        seed: of chance.
    """

    def __init__(self, dimensions: int, seed: int = 0) -> None:
        self._chance = np.random.default_rng(seed)
        self._dimensions = dimensions
        self._vocabulary = [self._word() for _ in range(_WORDS)]
        shares = 1 / (np.arange(_WORDS) + _RARER)
        self._upto = np.cumsum(shares / shares.sum())
        self._all, self._subjects = self._directions(1), self._directions(_SUBJECTS)

    def points(self, user_id: str, first: int, count: int) -> Iterator[Point]:
        """Yield what a user says, from the `first` turn on, in conversations of 25 turns."""
        before, vector_before = "", np.zeros(self._dimensions, np.float32)
        for turn in range(first, first + count):
            if turn % _TURNS == 0:
                before, vector_before = "", 0 * vector_before
            said, vector = self._said(max(1, int(self._chance.poisson(_WORDS_OF_A_TURN)))), self._meant()
            here, there = (said, "en"), (before, "en")
            yield Point(
                facets=self._facets(user_id, turn),
                text_vector=vector,
                window_vector=_unit(vector + 0.5 * vector_before),
                text_terms=terms(*here),
                window_terms=window_terms([there, here]),
            )
            before, vector_before = said, vector

    def question(self) -> tuple[Vector, SparseVector]:
        """Return what is asked: a direction, and some words of which most are frequent."""
        words = self._said(int(self._chance.integers(*_WORDS_OF_A_QUESTION)))
        return self._meant(), query_terms(words, ["en", "it"])

    def _facets(self, user_id: str, turn: int) -> Facets:
        chance = self._chance
        topics = chance.integers(_TOPICS, size=2)
        return Facets(
            id=uuid5(NAMESPACE_OID, f"{user_id}/{turn}"),
            user_id=user_id,
            conversation_id=f"c-{turn // _TURNS}",
            type="episodic",
            kind="message",
            created_at=_FIRST_SAID + timedelta(minutes=turn),
            participants=tuple(f"person {one}" for one in chance.integers(_PEOPLE, size=2)),
            topics=tuple(self._vocabulary[one] for one in topics),
            valence=float(chance.uniform(-1, 1)),
            importance=float(chance.uniform()),
        )

    def _said(self, words: int) -> str:
        chosen = np.searchsorted(self._upto, self._chance.random(words))
        return " ".join(self._vocabulary[min(int(one), _WORDS - 1)] for one in chosen)

    def _meant(self) -> Vector:
        """Return a direction near a subject: cosines as between sentences, 0.1 to 0.2 mostly, some 0.6."""
        subject = self._subjects[self._chance.integers(_SUBJECTS)]
        return _unit(0.35 * self._all[0] + 0.75 * subject + 0.9 * self._directions(1)[0])

    def _directions(self, count: int) -> NDArray[np.float32]:
        return _unit(self._chance.normal(size=(count, self._dimensions)))

    def _word(self) -> str:
        syllables = int(self._chance.integers(2, 5))
        pairs = zip(
            self._chance.choice(list("bcdfglmnprstvz"), syllables),
            self._chance.choice(list("aeiou"), syllables),
            strict=True,
        )
        return "".join(consonant + vowel for consonant, vowel in pairs) + "n"


def _unit(values: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale each row to length 1."""
    return np.asarray(values / np.linalg.norm(values, axis=-1, keepdims=True), np.float32)
