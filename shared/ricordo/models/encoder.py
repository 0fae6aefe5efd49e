"""The port of embedding models, and the errors of models."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ricordo.unavailable import DependencyUnavailable

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Computes vectors of texts with one model."""

    @property
    def model(self) -> str:
        """Name of the model; vectors of different models are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts.

        Args:
            texts: n texts of any length; each is truncated at the model's window.

        Returns:
            float32 [n, dimensions], unit norm, in the order of `texts`.

        Raises:
            ModelUnavailable: the model cannot answer now; the call may be repeated later.
            ModelSlow: it did not answer in time.
        """


class TokenCounter(Protocol):
    """Counts tokens the way the model's tokenizer does."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens."""


class ModelUnavailable(DependencyUnavailable):
    """The model did not answer, or answered nonsense: a transient failure."""

    server = "the model"


class InvalidReply(ModelUnavailable):
    """The model answered something else than it was asked for."""


class ModelSlow(ModelUnavailable):
    """The model did not answer in time; each further attempt may cost as much."""


class NoVector(ModelUnavailable):
    """The model encodes other texts but not this one; another attempt may not help.

    Attributes:
        model: its name.
        slow: it did not answer in time.
    """

    def __init__(self, reason: str, model: str, *, slow: bool = False) -> None:
        super().__init__(reason)
        self.model = model
        self.slow = slow


def encodable(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8 form, by question marks; the length stays."""
    return text.encode("utf-8", "replace").decode("utf-8")


def one_line(error: BaseException | str) -> str:
    """Return the text of an error as one line of at most 300 characters; without a text, the error's name."""
    name = "" if isinstance(error, str) else type(error).__name__
    return " ".join(str(error).split())[:300] or name
