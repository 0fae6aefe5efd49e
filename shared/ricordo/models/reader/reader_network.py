"""The reader's learned weights, and the network that they make."""

import io
import zlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.e5_checkpoint import MAX_TOKENS, E5Checkpoint
from ricordo.models.onnx.network import Precision, Session
from ricordo.models.reader.heads import FELT, OF_TEXTS, OF_TOKENS, POINTER, Head

Floats = NDArray[np.float32]
Probabilities = Mapping[str, Floats]
"""By head: of tokens [t, classes], of the text [classes]; of the pointer [t, t]; `FELT` [t]."""

_GRAPH_VERSION: Final = 2  # increased with each change of the graph
_LARGEST: Final = 127


def shipped_weights(file: str) -> tuple[str, Mapping[str, Floats]]:
    """Return the version and the weights of a file that the package has.

    Matrices are in 8 bits with a scale for each row, all else in 16; they are returned as float32, by name.
    """
    content = (resources.files(__package__) / file).read_bytes()
    with np.load(io.BytesIO(content)) as stored:
        scales = {name: stored[name] for name in stored.files if name.endswith("/scale")}
        tensors = {
            name: stored[name].astype(np.float32) * scales.get(f"{name}/scale", np.ones(1)).astype(np.float32)
            for name in stored.files
            if name not in scales
        }
    return f"reader-{zlib.crc32(content):08x}", tensors


def packed(tensors: Mapping[str, Floats]) -> bytes:
    """Return the file of weights; `shipped_weights` reads it."""
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


class ReaderNetwork:
    """Answers all questions of `heads` about texts, by the weights that the package has.

    Attributes:
        regressions: `typed` and `noted`, each its weights and, last, its bias.

    Raises:
        OSError: the cache folder cannot be written, where the built file is kept.
    """

    def __init__(self, checkpoint: E5Checkpoint, precision: Precision) -> None:
        self.version, tensors = shipped_weights("reader.npz")
        self._missing = tensors["no_previous"]
        self._previous, self._bias = tensors["previous.weight"], tensors["previous.bias"]
        distance = tensors["distance"]
        self._by_distance = distances(MAX_TOKENS) @ distance
        """What is added to the pointer, [MAX_TOKENS, MAX_TOKENS]."""
        self.regressions: Mapping[str, Floats] = {grade: tensors[grade] for grade in ("typed", "noted")}
        self.least = Thresholds(*tensors["least"].tolist())

        def build() -> bytes:
            from ricordo.models.reader.reader_graphs import ReaderGraph  # noqa: PLC0415 - a cold start only

            numbers = {int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer.")}
            layers = range(min(numbers), max(numbers) + 1)  # above those that it shares
            return ReaderGraph({**checkpoint.weights(), **tensors}, layers, precision, {}).build()

        file = cached_file(f"{self.version}-{precision}-v{_GRAPH_VERSION}", build)
        self._session = Session(self.version, file)

    def run(self, tokens: Floats, previous: Floats | None) -> Probabilities:
        """Answer of a text alone, so that its reading follows from it to the bit.

        Args:
            tokens: the states of its tokens after the layers that are shared, float32 [t, 384].
            previous: the vector of the turn before, [384]; None for none.

        Raises:
            ModelUnavailable: the run failed, mostly for lack of memory.
        """
        before = self._missing
        if previous is not None:
            before = before + self._previous @ previous + self._bias
        inputs = {
            "states": tokens[None],
            "mask": np.ones((1, len(tokens)), dtype=np.int32),
            "before": before[None, None].astype(np.float32),
        }
        each, whole, pointer, felt = self._session.run(("tokens", "texts", POINTER, FELT), inputs)
        pointer = pointer[0] + self._by_distance[: len(tokens), : len(tokens)]
        answers = {**_split(each[0], OF_TOKENS), **_split(whole[0], OF_TEXTS), POINTER: pointer}
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
