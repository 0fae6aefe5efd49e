"""What was learned on top of a published checkpoint (`ricordo eval fit-encoder`), kept as data.

Layers change by products of two small matrices (LoRA: Hu et al. 2022). Questions and texts have a shift each,
which puts unrelated ones at a right angle on average.
"""

import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricordo.models.onnx.checkpoint import Weights

_DOWN, _UP = ".down", ".up"


@dataclass(frozen=True, slots=True)
class Adapter:
    """The content of a file.

    Attributes:
        arrays: by the name of a layer, `<layer>.up` [out, r] and `<layer>.down` [r, in], whose product is
            added to its weights; `question_shift` and `text_shift` [d].
        version: a checksum of the file.
    """

    arrays: Mapping[str, NDArray[Any]]
    version: str

    @classmethod
    def shipped(cls, name: str) -> "Adapter":
        """Return an adapter that the package ships."""
        content = resources.files(__package__).joinpath(name).read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            return cls({key: saved[key] for key in saved}, f"{zlib.crc32(content):08x}")

    def changed(self, weights: Weights) -> Weights:
        """Return the weights of a checkpoint with the learned changes."""
        changes = {}
        for name in self.arrays:
            if name.endswith(_UP):
                layer = name.removesuffix(_UP)
                up, down = (self.arrays[f"{layer}{part}"].astype(np.float32) for part in (_UP, _DOWN))
                changes[f"{layer}.weight"] = weights[f"{layer}.weight"] + up @ down
        return {**weights, **changes}

    def shift(self, side: str) -> NDArray[np.float32]:
        """Return the shift of `question` or `text`, float32 [d]."""
        return self.arrays[f"{side}_shift"].astype(np.float32)
