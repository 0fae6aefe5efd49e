"""The learned heads: linear in a text's vector, its words and pieces, its style and its words of feeling.

They are ridge regressions, fitted on texts that people rated (`ricordo eval fit-emotion`): valence, arousal
and dominance on EmoBank (Buechel & Hahn 2017) and EmoITA, and for English the 28 labels of GoEmotions
(Demszky et al. 2020).
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import accumulate, chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.emotion.features import buckets, pieces, style, tokens
from ricordo.domain.lexicon import LANGUAGES
from ricordo.domain.memory import Emotion

LABELS: Final = (
    "admiration",
    "amusement",
    "anger",
    "annoyance",
    "approval",
    "caring",
    "confusion",
    "curiosity",
    "desire",
    "disappointment",
    "disapproval",
    "disgust",
    "embarrassment",
    "excitement",
    "fear",
    "gratitude",
    "grief",
    "joy",
    "love",
    "nervousness",
    "optimism",
    "pride",
    "realization",
    "relief",
    "remorse",
    "sadness",
    "surprise",
    "neutral",
)
"""Those of GoEmotions, in the order of its files."""
MODEL: Final = "all-MiniLM-L6-v2"
"""Whose vectors the shipped heads read."""
_STEPS: Final = 31
AXES: Final = ("valence", "arousal", "dominance")
SPOKEN: Final = len(AXES) + len(LABELS)
"""How many numbers `told` gives."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Heads:
    """Linear heads over one text.

    Attributes:
        model: the embedding model whose vectors they read.
        targets: what each head gives.
        rarity: how much each bucket counts, the more the rarer it is, [BUCKETS].
        hashed: weights of the buckets, [BUCKETS, targets], in steps of `step`.
        step: [targets].
        share: how often each label was given, [targets], in [0, 1]; 1 for an axis.
        neutral: what an axis gives where no word of feeling is, [targets]; 0 for a label.
        dense: weights of the vector, the style, the words of feeling, and the bias, [d + STYLE + SPOKEN + 1,
            targets].
        fitted_on: in a few words.
    """

    model: str
    targets: tuple[str, ...]
    rarity: Floats
    hashed: NDArray[np.int8]
    step: Floats
    share: Floats
    neutral: Floats
    dense: Floats
    fitted_on: str = ""

    def read(self, text: str, words: Emotion, vector: Floats) -> Floats:
        """Return what each head gives, on the scale that it was fitted to, [targets].

        Args:
            text: in normal form C.
            words: what its words of feeling say.
            vector: of `model`, [d], unit norm.
        """
        read = tokens(text)
        places, shares = weighed(buckets(read), self.rarity)
        found = (shares @ self.hashed[places].astype(np.float32)) * self.step
        beside = np.concatenate((style(text, read), told(words)))
        size = len(vector)
        found += vector @ self.dense[:size] + beside @ self.dense[size:-1] + self.dense[-1]
        return found

    def pulls(self, words: Sequence[str]) -> list[float]:
        """Return how far each of some words, in lower case, moves valence; comparable within a text."""
        cut = [pieces(word) for word in words]
        if not cut:
            return []
        places = np.fromiter(chain.from_iterable(cut), dtype=np.intp)
        starts = [0, *accumulate(map(len, cut[:-1]))]
        moved = self.hashed[places, 0] * self.rarity[places]
        return [float(one) for one in np.add.reduceat(moved, starts)]

    def saved(self) -> bytes:
        """Return the file that `load_heads` reads."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            model=np.array(self.model),
            targets=np.array(self.targets),
            rarity=self.rarity.astype(np.float16),
            hashed=self.hashed,
            step=self.step,
            share=self.share,
            neutral=self.neutral,
            dense=self.dense.astype(np.float16),
            fitted_on=np.array(self.fitted_on),
        )
        return file.getvalue()


def weighed(places: NDArray[np.intp], rarity: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the buckets that count, and how much each does: by its rarity, with unit norm."""
    shares = rarity[places]
    norm = float(np.sqrt(np.square(shares).sum()))
    return places, shares / norm if norm > 0 else shares


def told(words: Emotion) -> Floats:
    """Return what the words of feeling say, [SPOKEN]: the axes from neutral, and a number for each label."""
    found = np.zeros(SPOKEN, dtype=np.float32)
    found[: len(AXES)] = words.valence, words.arousal, words.dominance - 0.5
    if words.primary != "neutral":
        found[len(AXES) + LABELS.index(words.primary)] = 1.0
    return found


def quantised(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return weights [n, targets] in 31 steps up and down, which pack well, and the step of each target."""
    step = np.maximum(np.abs(weights).max(axis=0), 1e-12) / _STEPS
    return np.rint(weights / step).astype(np.int8), step.astype(np.float32)


@lru_cache(maxsize=len(LANGUAGES))
def load_heads(language: str) -> Heads:
    """Return the heads of "it" or "en" that are shipped, read once."""
    return read_heads(resources.files(__package__).joinpath(f"heads_{language}.npz").read_bytes())


def read_heads(content: bytes) -> Heads:
    """Return the heads of a file that `Heads.saved` has made."""
    with np.load(io.BytesIO(content), allow_pickle=False) as saved:
        return Heads(
            model=str(saved["model"]),
            targets=_names(saved["targets"].tolist()),
            rarity=saved["rarity"].astype(np.float32),
            hashed=saved["hashed"],
            step=saved["step"],
            share=saved["share"],
            neutral=saved["neutral"],
            dense=saved["dense"].astype(np.float32),
            fitted_on=str(saved["fitted_on"]),
        )


def _names(saved: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, saved))
