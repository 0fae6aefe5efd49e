"""all-MiniLM-L6-v2 as the ONNX file that ChromaDB and fastembed fetch from a hub, made of its weights."""

import json
from pathlib import Path
from typing import Final

import numpy as np
import onnx
from onnx import TensorProto, helper

from ricordo.models.onnx.bert_graph import PER_TOKEN, BertGraph
from ricordo.models.onnx.e5_file import Weights

_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")


class MiniLmGraph(BertGraph):
    """The network from numbers of words to the states of all tokens."""

    longest = 512

    def build(self) -> bytes:
        """Return the model file: int64 inputs [n, t], output `last_hidden_state` float32 [n, t, 384]."""
        self._node("Cast", ["attention_mask"], ["mask"], to=TensorProto.INT32)
        self._node("Gather", [self._tensor("embeddings.word_embeddings.weight"), "input_ids"], ["words"])
        hidden = self._embed()
        for layer in self._layers:
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._node("Identity", [hidden], ["last_hidden_state"])
        model = onnx.load_from_string(self._model({}, {"last_hidden_state": PER_TOKEN}))
        del model.graph.input[:]
        shape = PER_TOKEN[:2]
        model.graph.input.extend(helper.make_tensor_value_info(x, TensorProto.INT64, shape) for x in _INPUTS)
        content: bytes = model.SerializeToString()
        return content


def write_model(folder: Path) -> None:
    """Write `model.onnx` beside the `model.safetensors` of a folder."""
    part = folder / "model.onnx.part"
    part.write_bytes(MiniLmGraph(_weights(folder / "model.safetensors"), range(6), "fp32", {}).build())
    part.rename(folder / "model.onnx")


def _weights(file: Path) -> Weights:
    """Return tensors of 32 bits; their names and places are in JSON, after eight bytes with its length."""
    content = np.memmap(file, dtype=np.uint8, mode="r")
    start = 8 + int(content[:8].view("<u8")[0])
    tensors = {
        name: (tensor["shape"], slice(*(start + at for at in tensor["data_offsets"])))
        for name, tensor in json.loads(content[8:start].tobytes()).items()
        if tensor.get("dtype") == "F32"
    }
    return {name: content[place].view("<f4").reshape(shape) for name, (shape, place) in tensors.items()}
