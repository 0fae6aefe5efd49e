import json
from pathlib import Path

import numpy as np
import pytest

from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.ratings import read

RATED = """id,split,V,A,D,text
1,dev,4.5,4,3.5,"I am so happy, thanks!"
2,dev,1.5,4,2,I am sad and afraid
3,dev,3,3,3,The bus is late
"""
LABELLED = "I am so happy!\t17\ta\nThis is disgusting\t11\tb\nIt rains\t27\tc\nHappy and sad\t17,25\td\n"


def _file(folder: Path, content: str) -> Path:
    path = folder / "rated"
    path.write_text(content, encoding="utf-8")
    return path


def test_axes_and_labels_are_read(tmp_path: Path) -> None:
    on_axes = read(_file(tmp_path, RATED))
    assert on_axes.on_axes
    assert on_axes.texts[0] == "I am so happy, thanks!"
    assert on_axes.rated[1].tolist() == [1.5, 4.0, 2.0]
    labelled = read(_file(tmp_path, LABELLED))
    assert not labelled.on_axes
    assert np.flatnonzero(labelled.rated[3]).tolist() == [17, 25]


def test_the_command_measures_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, RATED)
    assert main(("emotion", "--data", str(path), "--json")) == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[0])["valence"] > 0.9
    assert main(("emotion", "--data", str(path))) == 0
    assert "\ncalibration\n" in capfd.readouterr().out
    assert main(("emotion", "--data", str(tmp_path / "none"))) == 1
    assert "cannot be read" in capfd.readouterr().err
