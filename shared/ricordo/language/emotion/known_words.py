"""What each word adds to the heads of emotion, worked out when it is first read: most words come again."""

import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MOST: Final = 16_384  # words that are kept, more than any text has; behind them it begins anew


class _Known(NamedTuple):
    """The place of each word that is known, and the rows at those places, [_MOST, width]."""

    places: dict[str, int]
    rows: Floats


class KnownWords:
    """Rows of numbers, one of each word. Any thread may read."""

    def __init__(self, work_out: Callable[[str], Floats], width: int) -> None:
        """Begin with none."""
        self._work_out = work_out
        self._width = width
        self._lock = threading.Lock()
        self._known = self._none()

    def rows(self, words: Sequence[str]) -> Floats:
        """Return the row of each word, [n, width]."""
        known = self._known
        found = list(map(known.places.get, words))
        if None in found:
            known = self._learned(words)
            found = list(map(known.places.get, words))
        return known.rows[np.array(found, dtype=np.intp)]

    def _learned(self, words: Sequence[str]) -> _Known:
        with self._lock:
            known = self._known
            if len(known.places) + len(words) > _MOST:
                known = self._none()  # whoever reads the old ones still has them
            for word in words:
                if word not in known.places:
                    known.rows[len(known.places)] = self._work_out(word)
                    known.places[word] = len(known.places)
            self._known = known
            return known

    def _none(self) -> _Known:
        return _Known({}, np.zeros((_MOST, self._width), dtype=np.float32))
