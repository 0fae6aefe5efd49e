"""The learned heads: linear in a text's vector, its words and pieces, its style and its words of feeling.

They are ridge regressions, fitted on texts that people rated (`ricordo eval fit-emotion`): valence, arousal
and dominance on EmoBank (Buechel & Hahn 2017) and EmoITA, and for English the 28 labels of GoEmotions
(Demszky et al. 2020).
"""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import MINILM, Emotion
from ricordo.language.data_files import LANGUAGES
from ricordo.language.emotion.features import Hashes, pairs, pieces, style, tokens

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
MODEL: Final = MINILM
"""Whose vectors the shipped heads read."""
_STEPS: Final = 31
_MOST_WORDS: Final = 16_384  # whose shares are kept
AXES: Final = ("valence", "arousal", "dominance")
SPOKEN: Final = len(AXES) + len(LABELS)
"""How many numbers `told` gives."""

_PLACE_OF: Final = {label: len(AXES) + at for at, label in enumerate(LABELS)}

Floats = NDArray[np.float32]


class Seen(NamedTuple):
    """What the heads see of a text besides its vector.

    Attributes:
        words: its different words and signs, in lower case.
        pairs: the hashes of its pairs of words, [k].
        numbers: its style, what its words of feeling say, and 1 for the bias: `STYLE` + `SPOKEN` + 1 of them.
    """

    words: tuple[str, ...]
    pairs: Hashes
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str, spoken: Emotion) -> "Seen":
        """Look at a text.

        Args:
            text: as `Document.prose` leaves it.
            spoken: what its words of feeling say.
        """
        read = tokens(text)
        return cls(tuple(dict.fromkeys(read)), pairs(read), (*style(text, read), *told(spoken), 1.0))


@dataclass(frozen=True, slots=True)
class Heads:
    """Linear heads over one text.

    Attributes:
        model: the embedding model whose vectors they read.
        targets: what each head gives.
        longest: characters of the pieces of words that they read.
        rarity: how much each bucket counts, the more the rarer it is, [buckets].
        hashed: weights of the buckets, [buckets, targets], in steps of `step`.
        step: [targets].
        share: how often each label was given, [targets], in [0, 1]; 1 for an axis.
        neutral: what an axis gives where no word of feeling is, [targets]; 0 for a label.
        dense: weights of the vector, the style, the words of feeling, and the bias, [d + STYLE + SPOKEN + 1,
            targets].
        fitted_on: in a few words.
    """

    model: str
    targets: tuple[str, ...]
    longest: int
    rarity: Floats
    hashed: NDArray[np.int8]
    step: Floats
    share: Floats
    neutral: Floats
    dense: Floats
    fitted_on: str = ""
    _moved_by: Callable[[str], Floats] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Most words come again.
        move = lru_cache(maxsize=_MOST_WORDS)(lambda word: self._moved(pieces(word, self.longest)))
        object.__setattr__(self, "_moved_by", move)

    def read(self, seen: Seen, vector: Floats) -> Floats:
        """Return what each head gives, on the scale that it was fitted to, [targets].

        Args:
            seen: of the text.
            vector: of `model`, [d], unit norm.
        """
        found: Floats = np.concatenate((vector, np.array(seen.numbers, dtype=np.float32))) @ self.dense
        if seen.words:
            moved = np.add.reduce([self._moved_by(word) for word in seen.words])
            moved += self._moved(seen.pairs)
            found += moved[:-1] / math.sqrt(moved[-1])
        return found

    def pulls(self, words: Sequence[str]) -> list[float]:
        """Return how far each of some words, in lower case, moves valence; comparable within a text."""
        return [float(self._moved_by(word)[0]) for word in words]

    def _moved(self, hashes: Hashes) -> Floats:
        """Return how far hashes move each target, and their weight in the norm of a text, [targets + 1]."""
        places = hashes % len(self.rarity)
        shares = self.rarity[places]
        moved = np.empty(len(self.step) + 1, dtype=np.float32)
        np.multiply(shares @ self.hashed[places].astype(np.float32), self.step, out=moved[:-1])
        moved[-1] = shares @ shares
        return moved

    def saved(self) -> bytes:
        """Return the file that `load_heads` reads."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            model=np.array(self.model),
            targets=np.array(self.targets),
            longest=np.array(self.longest),
            rarity=self.rarity.astype(np.float16),
            hashed=self.hashed,
            step=self.step,
            share=self.share,
            neutral=self.neutral,
            dense=self.dense.astype(np.float16),
            fitted_on=np.array(self.fitted_on),
        )
        return file.getvalue()


def weighed(hashes: Sequence[Hashes], rarity: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the buckets of a text, and how much each counts there.

    A bucket counts by its rarity, once for each word that it is a piece of, with unit norm.

    Args:
        hashes: those of the pieces of each of its words, and those of its pairs of words.
        rarity: of each bucket.
    """
    every = np.concatenate((np.zeros(0, dtype=np.intp), *hashes)) % len(rarity)
    shares = rarity[every]
    norm = float(np.sqrt(np.square(shares).sum()))
    return every, shares / norm if norm > 0 else shares


def told(words: Emotion) -> list[float]:
    """Return what the words of feeling say: the axes from neutral, and a number for each label, `SPOKEN`."""
    found = [0.0] * SPOKEN
    found[: len(AXES)] = words.valence, words.arousal, words.dominance - 0.5
    if words.primary != "neutral":
        found[_PLACE_OF[words.primary]] = 1.0
    return found


def quantised(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return weights [n, targets] in 31 steps up and down, which pack well, and the step of each target."""
    step = np.maximum(np.abs(weights).max(axis=0), 1e-12) / _STEPS
    return np.rint(weights / step).astype(np.int8), step.astype(np.float32)


def _file(language: str) -> Traversable:
    return resources.files(__package__).joinpath(f"heads_{language}.npz")


@lru_cache(maxsize=64)
def has_heads(language: str) -> bool:
    """Whether heads are shipped for a language; without them, the words of feeling alone are read."""
    return language in LANGUAGES and _file(language).is_file()


@lru_cache(maxsize=len(LANGUAGES))
def load_heads(language: str) -> Heads:
    """Return the shipped heads of a language that `has_heads`, read once."""
    return read_heads(_file(language).read_bytes())


def read_heads(content: bytes) -> Heads:
    """Return the heads of a file that `Heads.saved` has made."""
    with np.load(io.BytesIO(content), allow_pickle=False) as saved:
        return Heads(
            model=str(saved["model"]),
            targets=_names(saved["targets"].tolist()),
            longest=int(saved["longest"]),
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
