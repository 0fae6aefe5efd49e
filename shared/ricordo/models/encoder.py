"""The embedding model as a port."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ricordo.unavailable import Unavailable

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors of one named model."""

    @property
    def model(self) -> str:
        """Name of the model; vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        ...

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode `texts`.

        Args:
            texts: n texts of any length; what exceeds the model's window is truncated.

        Returns:
            float32 [n, dimensions], unit norm, in the order of `texts`.

        Raises:
            ModelUnavailable: the model cannot answer now; the call may be repeated later.
            ModelSlow: it did not answer in time.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens the way the model's tokenizer does."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens."""
        ...


class ModelUnavailable(Unavailable):
    """The model did not answer, or answered nonsense: a transient failure."""

    server = "the model"


class InvalidReply(ModelUnavailable):
    """The model answered, but not what it was asked for."""


class ModelSlow(ModelUnavailable):
    """The model did not answer in time: each further try may cost as much."""


class NoVector(ModelUnavailable):
    """The model answers others, but has no vector for this one text; another try may not help.

    Attributes:
        slow: it did not answer in time.
    """

    def __init__(self, reason: str, *, slow: bool = False) -> None:
        super().__init__(reason)
        self.slow = slow
