"""Extractive summarisation: the most informative sentences, by maximal marginal relevance.

Carbonell & Goldstein 1998, over sentences. Relevance is the cosine with the mean of all vectors; similarity
is the larger of shared words and the cosine of the messages.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.document import Document
from ricordo.language.small_talk import has_content
from ricordo.language.text import collapse, excerpt
from ricordo.language.tokenization import is_question

MOST_SENTENCES: Final = 3
LONGEST: Final = 240
"""Characters of a chosen sentence."""
_READ: Final = 200  # texts of most weight whose sentences are looked at
_MOST_READ: Final = 2_000  # characters of a text
_FULL: Final = 8  # informative words, beyond which more add nothing
_REPETITION: Final = 0.7  # what likeness to a chosen sentence takes away
_ALIKE: Final = 0.8  # two that share so much say the same
_PRECISE: Final = re.compile(r"\d|(?<=[\w,;:] )[A-ZÀ-Þ]\w")  # a number, a name within


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A source text.

    Attributes:
        weight: importance, >= 0.
        vector: float32 [d], unit norm; None where there is none.
    """

    content: str
    language: str
    weight: float
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class _OfferedSentence:
    place: int
    document: Document
    stems: frozenset[str]
    score: float


def salient(texts: Sequence[Text], most: int = MOST_SENTENCES) -> list[tuple[int, str]]:
    """Choose the most salient sentences, each with the place of its text, in the order of the texts.

    Small talk and questions are chosen only if there is nothing else.
    """
    if not texts or most < 1:
        return []
    near = _nearness(texts)
    heaviest = sorted(range(len(texts)), key=lambda at: (-texts[at].weight * near[at], at))[:_READ]
    offered = [one for at in sorted(heaviest) for one in _sentences_of(at, texts[at], near[at])]
    telling = [one for one in offered if not is_question(one.document.text) and has_content(one.document)]
    chosen = _different(telling or offered, texts, most)
    return [(one.place, excerpt(one.document.text, LONGEST)) for one in chosen]


def _nearness(texts: Sequence[Text]) -> list[float]:
    """Return the cosine of each text with the mean, in [0.1, 1]; 0.5 without a vector."""
    vectors = [one.vector for one in texts if one.vector is not None]
    if not vectors:
        return [0.5] * len(texts)
    middle = np.mean(vectors, axis=0)
    norm = float(np.linalg.norm(middle))
    if norm == 0:
        return [0.5] * len(texts)
    middle = middle / norm
    return [0.5 if one.vector is None else max(0.1, float(one.vector @ middle)) for one in texts]


def _sentences_of(place: int, text: Text, near: float) -> list[_OfferedSentence]:
    found: list[_OfferedSentence] = []
    document = Document(text.content[:_MOST_READ], text.language)
    for sentence in document.sentences:
        said = document.with_text(collapse(sentence))
        stems = frozenset(said.stems)
        fullness = min(len(stems), _FULL) / _FULL
        precise = 0.25 if _PRECISE.search(said.text) else 0.0
        score = (0.05 + text.weight) * (0.4 + near) * (fullness + precise)
        found.append(_OfferedSentence(place, said, stems, score))
    return found


def _different(
    offered: Sequence[_OfferedSentence], texts: Sequence[Text], most: int
) -> list[_OfferedSentence]:
    chosen: list[_OfferedSentence] = []
    left = list(offered)
    likeness = [0.0] * len(left)
    while left and len(chosen) < most:
        worth = [one.score * (1 - _REPETITION * alike) for one, alike in zip(left, likeness, strict=True)]
        best = max(range(len(left)), key=lambda at: (worth[at], -left[at].place))
        chosen.append(left[best])
        pairs = [
            (one, max(alike, _likeness(one, chosen[-1], texts)))
            for at, (one, alike) in enumerate(zip(left, likeness, strict=True))
            if at != best
        ]
        left = [one for one, alike in pairs if alike < _ALIKE]
        likeness = [alike for _, alike in pairs if alike < _ALIKE]
    order = {id(one): at for at, one in enumerate(offered)}
    return sorted(chosen, key=lambda one: order[id(one)])


def _likeness(one: _OfferedSentence, other: _OfferedSentence, texts: Sequence[Text]) -> float:
    both = len(one.stems | other.stems)
    shared = len(one.stems & other.stems) / both if both else 1.0
    first, second = texts[one.place].vector, texts[other.place].vector
    if first is None or second is None or one.place == other.place:
        return shared
    return max(shared, min(_ALIKE - 0.01, float(first @ second)))
