"""The reader of answers as an ONNX graph: the whole encoder over a question and a passage, and two heads."""

from onnx import ModelProto

from ricordo.models.onnx.bert_graph import PER_TOKEN, QuantisedGraph
from ricordo.models.onnx.checkpoint import Rounding, Weights
from ricordo.models.onnx.network import Precision
from ricordo.models.reader.headed_graph import HeadedGraph

ANSWERS, BOUNDS = "answers", "bounds"


class _FloatAnswers(HeadedGraph):
    """With products in 32 bits."""

    def build_answers(self) -> ModelProto:
        """Return the model.

        Its inputs are `words` (float32 [n, t, 384]) and `mask` (int32 [n, t]), as the encoder's; its outputs
        are the logits that a passage answers (`ANSWERS`, [n, 1, 1]), and that its answer begins and ends with
        a token (`BOUNDS`, [n, t, 2]).
        """
        self._integers(zero=0, one=1, two=2)
        hidden = self._embed()
        for layer in range(self._layers):
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._count()
        self._mean(hidden, "mean")
        self._node("Concat", [self._opening(hidden), "mean"], ["whole"], "", axis=2)
        self._matrix("whole", ANSWERS, [ANSWERS])
        self._matrix(hidden, BOUNDS, [BOUNDS])
        return self._model({"words": PER_TOKEN}, {ANSWERS: ("texts", 1, 1), BOUNDS: ("texts", "tokens", 2)})


class _QuantisedAnswers(_FloatAnswers, QuantisedGraph):
    """With 8-bit products in the layers; the heads keep 32 bits."""


def build_answers(weights: Weights, layers: int, rounding: Rounding, precision: Precision) -> bytes:
    """Return the model file of a reader of answers.

    Args:
        weights: of the encoder, with the layers that were learned anew in place of its own, and of the heads.
        layers: how many.

    Raises:
        KeyError: a tensor is missing.
    """
    builder = {"fp32": _FloatAnswers, "int8": _QuantisedAnswers}[precision]
    content: bytes = builder(weights, layers, rounding).build_answers().SerializeToString(deterministic=True)
    return content
