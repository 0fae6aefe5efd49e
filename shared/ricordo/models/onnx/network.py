"""Runs a network on ONNX Runtime, on the calling thread."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal

import numpy as np
import onnxruntime
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # not in its stubs
from numpy.typing import NDArray

from ricordo.models.encoder import ModelUnavailable, Vectors
from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo.models.onnx.e5_file import E5Vocabulary

DIMENSIONS: Final = 384
Precision = Literal["fp32", "int8"]
# Increased with each change of a graph, so that older files are not used.
GRAPH_VERSIONS: Final[Mapping[Precision, int]] = {"fp32": 5, "int8": 6}
_BYTE_PRODUCTS: Final = ("AVX2", "ASIMDDP")
"""Instructions, by NumPy's names, with which ONNX Runtime multiplies bytes faster than floats: x86, ARM."""


def native_precision(features: Mapping[str, bool] | None = None) -> Precision:
    """Return the precision in which a processor computes the model fastest.

    Args:
        features: its instruction sets by NumPy's names; of this processor by default.
    """
    known = _multiarray_umath.__cpu_features__ if features is None else features
    return "int8" if any(known.get(name) for name in _BYTE_PRODUCTS) else "fp32"


class Session:
    """A graph in a file that is loaded on first use; several threads may run it and share its weights.

    Args:
        model: its name.
    """

    def __init__(self, model: str, file: Path) -> None:
        self.model = model
        self._file = file
        self._loading = Lock()
        self._session: onnxruntime.InferenceSession | None = None

    def load(self) -> onnxruntime.InferenceSession:
        """Open the file, once, in whichever thread comes first: the others wait for it.

        Raises:
            ModelUnavailable: the file is invalid, or memory is short.
        """
        with self._loading:
            if self._session is None:
                try:
                    self._session = self._open()
                except Exception as error:  # ONNX Runtime's exceptions have no base of their own
                    raise ModelUnavailable(
                        f"{self.model} cannot be loaded from {self._file}: {error}"
                    ) from error
            return self._session

    def _open(self) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        # A run stays on the thread that calls it: two runs on two threads are faster than one run split over
        # both, and each thread can have its own priority.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The graph is written with fused nodes; the higher levels find nothing and cost time at start.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        return onnxruntime.InferenceSession(
            str(self._file), sess_options=options, providers=["CPUExecutionProvider"]
        )

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """Return the outputs that are asked for.

        Raises:
            ModelUnavailable: the run failed, mostly for lack of memory.
        """
        session = self.load()
        try:
            found: list[NDArray[np.float32]] = session.run(outputs, inputs)
        except Exception as error:  # ONNX Runtime's exceptions have no base of their own
            texts = len(next(iter(inputs.values())))
            raise ModelUnavailable(f"{self.model} failed on {texts} texts: {error}") from error
        return found


_SESSIONS: Final[dict[Path, Session]] = {}
"""Encoders by their files: a process has the weights of each once."""


class Network:
    """An encoder's network, with its vocabulary.

    Args:
        precision: of the model in the session's file.
    """

    def __init__(self, session: Session, vocabulary: E5Vocabulary, precision: Precision) -> None:
        self.model = session.model
        self.precision = precision
        self.load = session.load
        self._session = session
        self._vocabulary = vocabulary

    def run(self, texts: Sequence[Sequence[int]]) -> tuple[Vectors, list[NDArray[np.float32]]]:
        """Compute the vectors of texts, and the states of their tokens that a reader reads on.

        In `int8` each text is computed alone, because inputs are rounded on one scale for all texts of a
        run: its vector is a function of the text, to the bit. Little is lost, as nothing is padded.

        Args:
            texts: token ids of n texts, 1 to 256 each.

        Returns:
            float32 [n, 384], unit norm; and of each text float32 [t, 384].

        Raises:
            ModelUnavailable: the run failed, mostly for lack of memory.
        """
        if self.precision == "int8" and len(texts) > 1:
            alone = [self.run([ids]) for ids in texts]
            return np.concatenate([vectors for vectors, _ in alone]), [states for _, [states] in alone]
        width = max(len(ids) for ids in texts)
        tokens = np.zeros((len(texts), width), dtype=np.int32)
        mask = np.zeros_like(tokens)
        for row, ids in enumerate(texts):
            tokens[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        inputs = {"words": self._vocabulary.rows(tokens), "mask": mask}
        vectors, states = self._session.run(("vectors", "states"), inputs)
        return vectors, [each[: len(ids)] for each, ids in zip(states, texts, strict=True)]


def load_network(checkpoint: E5Checkpoint, precision: Precision) -> Network:
    """Return the network of the cache, building its file if there is no intact one.

    Raises:
        OSError: the cache folder cannot be written.
    """

    def build() -> bytes:
        # Only a cold start pays for the libraries that the builder needs: most of a second.
        from ricordo.models.onnx.bert_graph import BertGraph  # noqa: PLC0415 - see above

        layers = range(checkpoint.layers)
        return BertGraph(checkpoint.weights(), layers, precision, checkpoint.outliers).build()

    name = f"{checkpoint.model}-{checkpoint.version}-{precision}-v{GRAPH_VERSIONS[precision]}"
    file = cached_file(name, build)
    session = _SESSIONS.setdefault(file, Session(checkpoint.model, file))
    return Network(session, checkpoint.vocabulary(), precision)
