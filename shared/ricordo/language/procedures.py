"""Whether a text tells how something is done, as a head has learned that people pass it on."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.document import Document
from ricordo.language.text_head import LANGUAGES, load_head

_HOW: Final = "how"
_LEAST: Final = 0.25
"""The probability from which on a text is taken to tell how something is done."""


def tells_how(document: Document, vector: NDArray[np.float32] | None = None) -> bool:
    """Say whether a text tells how something is done: a recipe, a remedy, the steps of a work.

    Args:
        document: in other languages than Italian and English nothing is known.
        vector: of the text by MiniLM, [d], unit norm; without it nothing is known.
    """
    if vector is None or document.language not in LANGUAGES:
        return False
    head = load_head(__package__ or "", "procedures", document.language)
    return head.probabilities(document.text, vector)[_HOW] >= _LEAST
