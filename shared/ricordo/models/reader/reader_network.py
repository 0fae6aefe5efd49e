"""The reader's learned weights, and the network that they make."""

import io
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.checkpoint import Checkpoint
from ricordo.models.onnx.network import Precision, Session
from ricordo.models.reader.heads import FELT, OF_TEXTS, OF_TOKENS, POINTER, Head

Floats = NDArray[np.float32]
Probabilities = Mapping[str, Floats]
"""By head: of tokens [t, classes], of the text [classes]; of the pointer [t, t]; `FELT` [t]."""

_GRAPH_VERSION: Final = 2  # increased with each change of the graph
_FILE: Final = "reader.npz"
_LARGEST: Final = 127


class ReaderWeights:
    """The weights in a file: matrices in 8 bits with a scale for each row, all else in 16.

    Attributes:
        version: follows from the content.
        layers: of the reader's own, above those that it shares.
    """

    def __init__(self, content: bytes) -> None:
        self.version = f"reader-{zlib.crc32(content):08x}"
        self._content = content
        with np.load(io.BytesIO(content)) as stored:
            numbers = {int(name.split(".")[2]) for name in stored.files if name.startswith("encoder.layer.")}
        self.layers = range(min(numbers), max(numbers) + 1)

    @classmethod
    def shipped(cls) -> "ReaderWeights":
        """Return the weights that the package has."""
        return cls((resources.files(__package__) / _FILE).read_bytes())

    @cached_property
    def tensors(self) -> Mapping[str, Floats]:
        """All weights, float32."""
        with np.load(io.BytesIO(self._content)) as stored:
            scales = {name: stored[name] for name in stored.files if name.endswith("/scale")}
            return {
                name: stored[name].astype(np.float32)
                * scales.get(f"{name}/scale", np.ones(1)).astype(np.float32)
                for name in stored.files
                if name not in scales
            }


def packed(tensors: Mapping[str, Floats]) -> bytes:
    """Return the file of weights; `ReaderWeights` reads it."""
    stored: dict[str, NDArray[np.generic]] = {}
    for name, tensor in tensors.items():
        if tensor.ndim > 1:
            scale = np.maximum(np.abs(tensor).max(axis=1, keepdims=True), 1e-12) / _LARGEST
            stored[name] = np.rint(tensor / scale).astype(np.int8)
            stored[f"{name}/scale"] = scale.astype(np.float32)
        else:
            stored[name] = tensor.astype(np.float16)
    file = io.BytesIO()
    np.savez(file, **stored)  # type: ignore[arg-type]  # numpy's stub takes the names for its own options
    return file.getvalue()


class Thresholds(NamedTuple):
    """From which certainty on a statement counts, typed or as its clause alone, and a text informs."""

    typed: float
    noted: float
    informative: float


class States(NamedTuple):
    """What the encoder knows of a text.

    Attributes:
        tokens: after the layers that are shared, float32 [t, 384].
        previous: the vector of the turn before, [384]; None for none.
    """

    tokens: Floats
    previous: Floats | None


class ReaderNetwork:
    """Answers all questions of `heads` about texts."""

    def __init__(self, session: Session, weights: ReaderWeights, precision: Precision) -> None:
        self.version = weights.version
        self.load = session.load
        self._session = session
        self._precision = precision
        tensors = weights.tensors
        self._missing = tensors["no_previous"]
        self._previous, self._bias = tensors["previous.weight"], tensors["previous.bias"]
        self._distance = tensors["distance"]
        self.regressions: Mapping[str, Floats] = {grade: tensors[grade] for grade in ("typed", "noted")}
        self.least = Thresholds(*tensors["least"].tolist())

    @classmethod
    def opened(
        cls, checkpoint: Checkpoint, weights: ReaderWeights, cache_folder: Path, precision: Precision
    ) -> "ReaderNetwork":
        """Return the network of the cache, building its file if there is no intact one.

        Raises:
            OSError: the cache folder cannot be written.
        """

        def build() -> bytes:
            from ricordo.models.reader.reader_graph import build_reader  # noqa: PLC0415 - a cold start only

            below = f"encoder.layer.{weights.layers.start - 1}.output.LayerNorm"
            norm = {name: each for name, each in checkpoint.weights().items() if name.startswith(below)}
            return build_reader({**norm, **weights.tensors}, weights.layers, precision)

        name = f"{weights.version}-{precision}-v{_GRAPH_VERSION}"
        return cls(Session(weights.version, cached_file(cache_folder, name, build)), weights, precision)

    def run(self, text: States) -> Probabilities:
        """Answer of a text alone, so that its reading follows from it to the bit.

        Raises:
            ModelUnavailable: the run failed, mostly for lack of memory.
        """
        before = self._missing
        if text.previous is not None:
            before = before + self._previous @ text.previous + self._bias
        inputs = {
            "states": text.tokens[None],
            "mask": np.ones((1, len(text.tokens)), dtype=np.int32),
            "before": before[None, None].astype(np.float32),
        }
        tokens, whole, pointer, felt = self._session.run(("tokens", "texts", POINTER, FELT), inputs)
        pointer = pointer[0] + distances(len(text.tokens)) @ self._distance
        answers = {**_split(tokens[0], OF_TOKENS), **_split(whole[0], OF_TEXTS), POINTER: pointer}
        return {**probabilities(answers), FELT: felt[0, :, 0]}


def distances(count: int) -> Floats:
    """Return how far each token lies from each other, [t, t, 3].

    The logarithm of the distance of one before, of one behind, and 1 for one behind. The first token stands
    for a subject that is not in the text, and lies nowhere.
    """
    away = np.arange(count) - np.arange(count)[:, None]
    behind = (away > 0).astype(np.float32)
    found = np.stack([np.log1p(np.maximum(-away, 0)), np.log1p(np.maximum(away, 0)), behind], -1)
    found[:, 0] = 0.0
    return found.astype(np.float32)


def _split(logits: Floats, heads: Sequence[Head]) -> Mapping[str, Floats]:
    ends = np.cumsum([head.classes for head in heads])[:-1]
    parts = np.split(logits, ends, axis=-1)
    return {head.name: part for head, part in zip(heads, parts, strict=True)}


_KINDS: Final = {head.name: head.kind for head in (*OF_TOKENS, *OF_TEXTS)}


def probabilities(logits: Mapping[str, Floats]) -> Probabilities:
    """Return what logits say, by head."""
    found: dict[str, Floats] = {}
    for name, each in logits.items():
        kind = _KINDS.get(name, "choice")
        if kind == "values":
            found[name] = each
        elif kind == "steps":
            found[name] = np.float32(1.0) / (np.float32(1.0) + np.exp(-each))
        else:
            powers = np.exp(each - each.max(-1, keepdims=True))
            found[name] = powers / powers.sum(-1, keepdims=True)
    return found
