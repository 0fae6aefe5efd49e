"""What the graphs of both readers share: means over tokens, and heads."""

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from ricordo.models.onnx.bert_graph import BertGraph


class HeadedGraph(BertGraph):
    """Builds heads upon the layers of the encoder."""

    def _integers(self, **values: int) -> None:
        for name, value in values.items():
            self._integer(name, value)

    def _count(self) -> None:
        """Count the tokens that there are."""
        self._node("Cast", ["mask"], ["mask.float"], "", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask.float", "one"], ["mask.row"], "")
        self._node("ReduceSum", ["mask.row", "two"], ["count"], "")

    def _mean(self, source: str, output: str) -> None:
        """Average the tokens that there are."""
        self._node("MatMul", ["mask.row", source], [f"{output}.sum"], "")
        self._node("Div", [f"{output}.sum", "count"], [output], "")

    def _opening(self, source: str) -> str:
        """Return the state of the first token, which stands for the whole text."""
        self._node("Slice", [source, "zero", "one", "one"], ["opening"], "")
        return "opening"

    def _matrix(self, source: str, output: str, heads: Sequence[str]) -> None:
        """Multiply by the weights of several heads at once."""
        kernel = np.concatenate([self._weights[f"{name}.weight"] for name in heads]).T
        bias = np.concatenate([self._weights[f"{name}.bias"] for name in heads])
        product = [source, self._constant(f"{output}.kernel", kernel)]
        self._node("MatMul", product, [f"{output}.unbiased"], "")
        self._node("Add", [f"{output}.unbiased", self._constant(f"{output}.added", bias)], [output], "")
