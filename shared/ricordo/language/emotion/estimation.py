"""Combines the estimate of the lexicon with that of the learned heads."""

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import NEUTRAL, Emotion
from ricordo.language.document import Document
from ricordo.language.emotion.emotion_lexicon import load_positions
from ricordo.language.emotion.emotion_words import spoken
from ricordo.language.emotion.figures_of_speech import without_figures
from ricordo.language.emotion.heads import AXES, LABELS, MOST_READ, HeadInput, Heads, has_heads, load_heads
from ricordo.language.text import stop_words

_TILT: Final = 0.25  # how far rare labels are preferred: by their share to this power
_CLEAR: Final = 0.25  # the valence from which on a word or label says whether it is pleasant
_BELIEVED: Final = 0.5  # how far words of feeling draw that say the same more clearly
_SOME: Final = 12  # words of a text in which they do so
_DENIED: Final = 0.8  # how far words draw that deny what the heads read
_DOUBTED: Final = 0.3  # how far others draw
_FEW: Final = 5  # words of a text in which these do so
_OF_THE_REST: Final = 0.03  # how far they draw arousal and dominance, which they tell less well
_EXAGGERATED: Final = 0.5  # of what was learned is left where words were not meant
_SHORT: Final = 2  # letters of words that carry nothing
_CARRIERS: Final = 3
_SHARE: Final = 0.5  # of what the strongest word moves
_GRIEVING: Final = ("grief", "sadness", "remorse")  # labels of no text whose words were not meant


class _Scale(NamedTuple):
    """How a rating of 1 to 5 becomes an axis.

    Raters keep to the middle, and a regression keeps closer still: what is told strongly would come out
    faint. `gain` undoes that.
    """

    gain: float
    rest: float  # where a neutral text lies


# Valence is tanh(gain · (rating - neutral) / 2), the others rest + gain · (rating - neutral) / 4.
# These were fitted with the heads of a language; of others those of English are taken.
_SCALES: Final = {
    "en": (_Scale(3.0, 0.0), _Scale(2.0, 0.3), _Scale(1.5, 0.5)),
    "it": (_Scale(2.4, 0.0), _Scale(1.1, 0.3), _Scale(0.8, 0.5)),
}


def estimate(
    document: Document, vector: NDArray[np.float32] | None = None, names: Iterable[str] = ()
) -> Emotion:
    """Estimate the feeling that a text expresses.

    Args:
        document: of which the prose is read. In a language without data the emoji only are read.
        vector: float32 [d], the text's embedding by the model of the heads (`heads.model`); without it, and
            in a language without heads, the words alone are read.
        names: of people in it, which are no feelings.
    """
    said = without_figures(document.prose)
    words = spoken(said, names)
    if vector is None or not has_heads(document.language) or not any(map(str.isalpha, said.text)):
        return words
    figurative = said is not document.prose
    return _blended(said, words, load_heads(document.language), vector, figurative=figurative)


def _blended(
    document: Document, words: Emotion, heads: Heads, vector: NDArray[np.float32], *, figurative: bool = False
) -> Emotion:
    found = heads.read(HeadInput.of(document.text, words), vector)
    away = (found[: len(AXES)] - heads.neutral[: len(AXES)]).tolist()
    of_valence, of_arousal, of_dominance = _SCALES.get(document.language, _SCALES["en"])
    valence = math.tanh(of_valence.gain * away[0] / 2)
    arousal = of_arousal.rest + of_arousal.gain * away[1] / 4
    dominance = of_dominance.rest + of_dominance.gain * away[2] / 4
    if figurative and valence < 0:
        valence *= _EXAGGERATED  # the vector was made of all words
    if words != NEUTRAL:
        size = max(1, len(document.words))
        valence += _pull(words, valence, size) * (words.valence - valence)
        some = _OF_THE_REST * min(1.0, _FEW / size)
        arousal += some * (words.arousal - arousal)
        dominance += some * (words.dominance - dominance)
    labels = found[len(AXES) :]
    return Emotion(
        valence=_clip(valence, -1.0),
        arousal=_clip(arousal, 0.0),
        dominance=_clip(dominance, 0.0),
        primary=_label(labels, words, figurative=figurative) if len(labels) else words.primary,
        keywords=words.keywords or (_carriers(document, heads, valence) if abs(valence) > _CLEAR else ()),
    )


def _denies(words: Emotion) -> bool:
    """Whether all that the words of feeling say is that something is not felt: "I am not sad"."""
    return words.primary == NEUTRAL.primary and words != NEUTRAL


def _pull(words: Emotion, learned: float, size: int) -> float:
    """Return how far words of feeling draw a valence to theirs, in [0, 1].

    In a short message a word of feeling is all that there is; a long one tells more than its words. Where the
    words say the same more clearly, they are believed: books and newspapers were rated, which feel less
    than people who tell of themselves. What is denied the heads take for what is felt.
    """
    said = words.valence
    if said * learned < 0 and _denies(words):
        return _DENIED * min(1.0, _SOME / size)
    if said * learned > 0 and abs(said) > abs(learned):
        return _BELIEVED * min(1.0, _SOME / size)
    return _DOUBTED * min(1.0, _FEW / size)


def _carriers(document: Document, heads: Heads, valence: float) -> tuple[str, ...]:
    """Return the words that move valence most to where it is, as written, in order."""
    ignored, read = stop_words(document.language), document.with_text(document.text[:MOST_READ])
    said = {word.folded: word.written for word in read.words if word.folded not in ignored}
    telling = [word for word in said if len(word) > _SHORT]
    sign = math.copysign(1.0, valence)
    pulls = {word: sign * pull for word, pull in zip(telling, heads.pulls(telling), strict=True)}
    best = sorted(pulls, key=pulls.__getitem__, reverse=True)[:_CARRIERS]
    enough = max(0.0, _SHARE * pulls[best[0]]) if best else 0.0
    return tuple(said[word] for word in telling if word in best and pulls[word] > enough)


def _label(found: NDArray[np.float32], words: Emotion, *, figurative: bool = False) -> str:
    """Return the likeliest label, the rare ones somewhat preferred.

    Words of feeling are read with what denies them, which the heads are not: no label says the contrary.
    """
    odds = found * _preference()
    if abs(words.valence) > _CLEAR or _denies(words):
        odds += _contrary()[words.valence > 0]
    if figurative:
        odds[[LABELS.index(label) for label in _GRIEVING]] = -np.inf
    return LABELS[odds.argmax()]


@lru_cache(maxsize=1)
def _preference() -> NDArray[np.float32]:
    preference: NDArray[np.float32] = load_heads("en").share[len(AXES) :] ** -_TILT
    return preference


@lru_cache(maxsize=1)
def _contrary() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what rules out the labels that contradict something unpleasant, and something pleasant."""
    positions = load_positions()
    valences = np.array([positions[label][0] if label in positions else 0.0 for label in LABELS])
    never = np.float32(-np.inf)
    pleasant, unpleasant = valences >= _CLEAR, valences <= -_CLEAR
    return np.where(pleasant, never, np.float32(0)), np.where(unpleasant, never, np.float32(0))


def _clip(value: float, low: float) -> float:
    return round(min(1.0, max(low, value)), 4)
