"""Learned heads: linear in a text's vector, its words and pieces, its style and its words of feeling.

They are ridge regressions, fitted on texts that people rated (`ricordo eval fit-emotion`): valence, arousal
and dominance on EmoBank (Buechel & Hahn 2017) and EmoITA, and for English the 28 labels of GoEmotions
(Demszky et al. 2020).
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import ClassVar, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import E5, NEUTRAL, Emotion
from ricordo.language.data_files import LANGUAGES
from ricordo.language.emotion.emotion_lexicon import load_positions
from ricordo.language.text_head import SavedHead
from ricordo.language.tokenization import WORD_OR_SIGN

STYLE: Final = 10
"""How many numbers `style` gives."""

MOST_READ: Final = 4_000
"""Characters of a text that the heads read: whoever feels something has said it by then."""
_DIGIT = re.compile(r"\d")
_CAPITAL = re.compile("[A-ZÀ-ÖØ-Þ]")
_SHORTEST: Final = 3  # characters of a piece
_BETWEEN: Final = 31  # so that a pair is not its reverse
_LONGEST: Final = 40  # characters of a word that are cut into pieces
Hashes = NDArray[np.intp]


def tokens(text: str) -> list[str]:
    """Return the words and signs of `text`, in lower case, in order."""
    return WORD_OR_SIGN.findall(text[:MOST_READ].lower())


def pieces(token: str, longest: int) -> Hashes:
    """Return the hashes of a word or sign and of its pieces of up to `longest` characters, [k], each once."""
    padded = f" {token[:_LONGEST]} "
    sizes = range(_SHORTEST, longest + 1)
    cut = {padded[at : at + size] for size in sizes for at in range(len(padded) - size + 1)}
    return np.array([_hash(f"1{token}"), *(_hash(f"c{piece}") for piece in cut)], dtype=np.intp)


def pairs(read: Sequence[str]) -> Hashes:
    """Return the hashes of all pairs of neighbouring words and signs, [max(0, words - 1)]."""
    # Words and signs hold no blanks.
    encoded = " ".join(read).encode("utf-8", "surrogatepass").split(b" ") if read else []
    hashed = np.array([crc32(word) for word in encoded], dtype=np.intp)
    return _BETWEEN * hashed[:-1] + hashed[1:]


def style(text: str, read: Sequence[str]) -> list[float]:
    """Return how `text` is written: `STYLE` numbers, each about 0 to 1."""
    text = text[:MOST_READ]
    size = max(1, len(text))
    return [
        math.log1p(len(text)) / 6,
        math.log1p(len(read)) / 4,
        min(3, text.count("!")) / 3,
        min(3, text.count("?")) / 3,
        float("..." in text or "…" in text),
        min(4, text.count('"')) / 4,
        min(4, text.count(",")) / 4,
        min(1.0, 5 * len(_DIGIT.findall(text)) / size),
        min(1.0, 2 * len(_CAPITAL.findall(text)) / size),
        float(text[:1].islower()),
    ]


def _hash(feature: str) -> int:
    return crc32(feature.encode("utf-8", "surrogatepass"))


LABELS: Final = (*sorted(load_positions()), NEUTRAL.primary)
"""Those of GoEmotions, in the order of its files."""
MODEL: Final = E5
"""Whose vectors the shipped heads read."""
STEPS: Final = 31
"""Up and down in which weights are kept: few, which pack well."""
_MOST_WORDS: Final = 16_384  # whose shares are kept
AXES: Final = ("valence", "arousal", "dominance")
EMOTION_SIZE: Final = len(AXES) + len(LABELS)
"""How many numbers `emotion_numbers` gives."""

_PLACE_OF: Final = {label: len(AXES) + at for at, label in enumerate(LABELS)}
Floats = NDArray[np.float32]


class HeadInput(NamedTuple):
    """What the heads see of a text besides its vector.

    Attributes:
        words: its different words and signs, in lower case.
        pairs: the hashes of its pairs of words, [k].
        numbers: its style, what its words of feeling say, and 1 for the bias, [STYLE + EMOTION_SIZE + 1].
    """

    words: tuple[str, ...]
    pairs: Hashes
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str, spoken: Emotion) -> "HeadInput":
        """Look at a text."""
        read = tokens(text)
        return cls(
            tuple(dict.fromkeys(read)), pairs(read), (*style(text, read), *emotion_numbers(spoken), 1.0)
        )


@dataclass(frozen=True, slots=True)
class Heads(SavedHead):
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
        dense: weights of the vector and of `HeadInput.numbers`, [d + STYLE + EMOTION_SIZE + 1, targets].
        fitted_on: in a few words.
    """

    IN_HALF: ClassVar = frozenset({"rarity", "dense"})

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

    def read(self, seen: HeadInput, vector: Floats) -> Floats:
        """Return what each head gives, on the scale that it was fitted to, [targets]."""
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


def emotion_numbers(words: Emotion) -> list[float]:
    """Return what the words of feeling say, [EMOTION_SIZE]: the axes from neutral, and 1 for the label."""
    found = [0.0] * EMOTION_SIZE
    found[: len(AXES)] = words.valence, words.arousal, words.dominance - 0.5
    if words.primary != "neutral":
        found[_PLACE_OF[words.primary]] = 1.0
    return found


def _file(language: str) -> Traversable:
    return resources.files(__package__).joinpath(f"heads_{language}.npz")


@lru_cache(maxsize=64)
def has_heads(language: str) -> bool:
    """Whether heads are shipped for a language; without them, the words of feeling alone are read."""
    return language in LANGUAGES and _file(language).is_file()


@lru_cache(maxsize=len(LANGUAGES))
def load_heads(language: str) -> Heads:
    """Return the shipped heads of a language that `has_heads`, read once."""
    return Heads.restored(_file(language).read_bytes())
