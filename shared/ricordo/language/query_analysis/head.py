"""A fitted head: how questions of each intent are put together, learned from labelled ones.

It sees what stays when the words that only this question has are taken away: function words in their order,
the endings of the others (inflection tells a deed from a thing), where a time or a name stands, what feels
good or bad. So it knows word orders that no pattern was written for. Its weights are fitted by a command.
"""

import io
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice, pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.query_analysis.feelings import sign_of
from ricordo.language.query_analysis.intents import Reading
from ricordo.language.query_analysis.model import Intent
from ricordo.language.text import stem, stop_words
from ricordo.language.tokenization import words_of

INTENTS: Final[tuple[Intent, ...]] = ("emotional", "entity", "general", "procedural", "temporal", "topic")
BUCKETS: Final = 8192
"""Features are hashed into so many."""

_MOST_WORDS: Final = 40
_TIME, _NAME = "=time", "=name"


@dataclass(frozen=True, slots=True)
class Head:
    """Multinomial logistic regression over hashed features.

    Attributes:
        weights: float32 [BUCKETS, intents], in the order of `INTENTS`.
        fitted_on: SHA-256 of the questions that it was fitted on.
    """

    weights: NDArray[np.float32]
    fitted_on: str

    def probabilities(self, reading: Reading) -> dict[Intent, float]:
        """Return the probability of each intent, together 1."""
        places = buckets(reading)
        scores = self.weights[places].sum(axis=0) / np.sqrt(len(places))
        odds = np.exp(scores - scores.max())
        return dict(zip(INTENTS, (odds / odds.sum()).tolist(), strict=True))

    def saved(self) -> bytes:
        """Return the head as the content of a file: a byte for each weight."""
        scale = np.maximum(np.abs(self.weights).max(axis=0), 1e-9) / 127
        file = io.BytesIO()
        np.savez_compressed(
            file,
            weights=np.round(self.weights / scale).astype(np.int8),
            scale=scale.astype(np.float32),
            fitted_on=np.array(self.fitted_on),
        )
        return file.getvalue()


@lru_cache(maxsize=1)
def load_head() -> Head:
    """Return the head that is shipped, read once."""
    content = resources.files(__package__).joinpath("head.npz").read_bytes()
    with np.load(io.BytesIO(content), allow_pickle=False) as saved:
        weights = saved["weights"].astype(np.float32) * saved["scale"]
        return Head(weights, str(saved["fitted_on"]))


def buckets(reading: Reading) -> NDArray[np.intp]:
    """Return the places of the features of a question: at least one, ascending, each once."""
    return np.unique([crc32(feature.encode("utf-8", "replace")) % BUCKETS for feature in _features(reading)])


def _features(reading: Reading) -> list[str]:
    shapes, stems = _shapes_and_stems(reading)
    found = [
        f"{length}{' '.join(shapes[at : at + length])}"
        for length in (1, 2, 3, 4)
        for at in range(len(shapes) - length + 1)
    ]
    found += [f"gap {one} {other}" for one, other in zip(shapes, shapes[2:], strict=False)]
    found += [f"stem {one}" for one in stems]
    found += [f"stems {one} {other}" for one, other in pairwise(stems)]
    found += [f"begins {one[:4]}" for one in stems]
    return [reading.language + feature for feature in found]


def _shapes_and_stems(reading: Reading) -> tuple[list[str], list[str]]:
    """Return the words of the sentence twice: by their shapes, and by their stems."""
    sentence, language = reading.sentence, reading.language
    spans = _spans(reading)
    shapes, stems = ["^"], ["^"]
    for word in islice(words_of(sentence.flat, language), _MOST_WORDS):
        stands_for = next((name for start, end, name in spans if start <= word.start < end), None)
        if stands_for is None:
            shapes.append(_shape(word.folded, reading))
            stems.append(stem(word.folded, language))
        elif shapes[-1] != stands_for:
            shapes.append(stands_for)
            stems.append(stands_for)
    end = "?" if "?" in sentence.text else "."
    return [*shapes, end], [*stems, end]


def _spans(reading: Reading) -> list[tuple[int, int, str]]:
    """Return where times and names stand in the sentence."""
    sentence = reading.sentence
    spans = [] if sentence.time is None else [(*sentence.time.span, _TIME)]
    for name in reading.entities:
        at = sentence.flat.find(name.lower())
        if at >= 0:
            spans.append((at, at + len(name), _NAME))
    return spans


def _shape(word: str, reading: Reading) -> str:
    """Return a function word as it is, and of another its feeling and its ending."""
    if word in stop_words(reading.language):
        return word
    sign = sign_of(word, reading.patterns.feelings, reading.language) or ""
    return f"~{sign}{word[-3:]}"
