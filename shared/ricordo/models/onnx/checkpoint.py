"""What the network needs of a published checkpoint, whatever file holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[np.float32]]
"""Tensors by the names that BERT's checkpoints give them; linear layers as [out, in]."""

MAX_TOKENS: Final = 256
"""Tokens of a text that are read, special ones included; some 1,000 characters."""


class CheckpointMissing(LookupError):
    """The package with the weights is not installed or incomplete."""


class Tokens(Protocol):
    """The tokenizer of a checkpoint."""

    def cut(self, text: str, prefix: str = "") -> tuple[list[int], bool]:
        """Return the token ids of a prefix and a text within the window, special ones included.

        Returns:
            1 to `MAX_TOKENS` ids, and whether the text is longer.
        """

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens and without a limit."""


class Vocabulary(Protocol):
    """The vectors of a vocabulary, read from a file that is mapped into memory and shared by processes."""

    def rows(self, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vectors of tokens [n, t]: float32 [n, t, d]."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a model is rounded to 8 bits.

    Attributes:
        outliers: by linear layer, the channel whose inputs are far larger than all others.
    """

    outliers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Side:
    """How questions, or what may answer them, are read.

    Attributes:
        prefix: what stands before the text.
        shift: what is added to the vector, float32 [d], so that unrelated texts are at a right angle on
            average.
    """

    prefix: str
    shift: NDArray[np.float32]

    def shifted(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors [n, d] of unit norm, shifted and scaled to unit norm again."""
        moved: NDArray[np.float32] = vectors + self.shift
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        return moved


class Checkpoint(Protocol):
    """A BERT encoder (Devlin et al. 2019) with 384 dimensions and 12 heads.

    Attributes:
        model: the name of its vectors.
        version: of its files and of what was fitted on them.
        layers: how many.
        question: how questions are read.
        text: how all other texts are.
    """

    model: str
    version: str
    layers: int
    question: Side
    text: Side
    rounding: Rounding

    def weights(self) -> Weights:
        """Return the tensors but those of the vocabulary."""

    def vocabulary(self) -> Vocabulary:
        """Return the vectors of the vocabulary."""

    def tokens(self, cache_folder: Path) -> Tokens:
        """Return the tokenizer, built the first time.

        Raises:
            OSError: the cache folder cannot be written.
        """


def package_file(package: str, distribution: str, name: str) -> Path:
    """Return a data file of a package that is never imported.

    Raises:
        CheckpointMissing: the package is not installed, or the file is missing.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise CheckpointMissing(f"{distribution} is not installed: run `make setup` in a checkout")
    file = Path(spec.submodule_search_locations[0]) / name
    if not file.is_file():
        raise CheckpointMissing(f"{file} is missing: reinstall {distribution}")
    return file
