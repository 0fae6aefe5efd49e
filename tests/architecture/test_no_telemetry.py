"""What a library reports to its makers, it does not report from here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEAKS = "import onnxruntime"
IS_SILENT = "import ricordo.models.onnx.network"


@pytest.mark.parametrize(("code", "writes"), [(SPEAKS, True), (IS_SILENT, False)], ids=["alone", "here"])
def test_onnx_runtime_keeps_no_identifier_of_this_machine(tmp_path: Path, code: str, *, writes: bool) -> None:
    """It keeps one for its reports, and none where these are off."""
    ours = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    place = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=ours | place, check=True)
    assert bool(list(tmp_path.rglob("deviceid"))) is writes
