"""Keeps what the encoder has computed of texts, for the reader."""

from collections import OrderedDict
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

_MOST_KEPT: Final = 16_384
"""Tokens whose states are kept, 25 MB: of texts that have a vector, and are read at once."""


class KeptStates:
    """What the encoder has computed of texts, until the reader takes it; the oldest goes first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._tokens = 0

    def keep(self, text: str, states: NDArray[np.float32]) -> None:
        """Keep the states of a text, [t, d]."""
        with self._lock:
            self._forget(text)
            self._kept[text] = states
            self._tokens += len(states)
            while self._tokens > _MOST_KEPT:
                self._forget(next(iter(self._kept)))

    def take(self, text: str) -> NDArray[np.float32] | None:
        """Return the states of a text, which are not kept any longer; None where there are none."""
        with self._lock:
            return self._forget(text)

    def _forget(self, text: str) -> NDArray[np.float32] | None:
        states = self._kept.pop(text, None)
        if states is not None:
            self._tokens -= len(states)
        return states
