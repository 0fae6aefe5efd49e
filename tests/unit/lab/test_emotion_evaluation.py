import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from ricordo.language.annotations import NEUTRAL
from ricordo.language.emotion.heads import HeadInput
from ricordo_lab.console import UnsuitableData
from ricordo_lab.evaluation.emotion_heads import EncodedRatings, fit_heads
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.ratings import Ratings, read

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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no texts"),
        ("a\n", "neither the columns"),
        ("text,V,A,D\n", "no texts"),
        ("text,V,A,D\nhi,x,1,1\n", "could not convert string to float: 'x'"),
        ("text,V,A,D\nhi,1,1\n", "neither the columns"),
        ("text,V,A,D\nhi,1,nan,1\n", "ratings go from 1 to 5"),
        ("text,V,A,D\nho,2,1,3\nhi,2,1,9\n", "after 1 texts"),
        ("id,text,V\n1,hi,3\n", "neither the columns"),
        ("hi\t99\ta\n", "labels go from 0 to 27, not 99"),
        ("hi\t1\ta\nho\tjoy\tb\n", "after 1 texts"),
        ("hi\t1\ta\nho\n", "after 1 texts"),
    ],
)
def test_another_shape_is_refused_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(UnsuitableData, match=re.escape(said)):
        read(_file(tmp_path, content))


def test_heads_learn_what_they_are_shown() -> None:
    chance = np.random.default_rng(0)
    texts = [f"{'lovely' if at % 2 else 'dreadful'} weather number {at}" for at in range(80)]
    vectors = chance.normal(size=(80, 8)).astype(np.float32)
    wanted = np.array([[4.0 if at % 2 else 2.0, 3.0, 3.0] for at in range(80)], dtype=np.float32)
    heads = fit_heads([EncodedRatings("en", Ratings("made up", texts, wanted), vectors)], "a model")
    seen = (HeadInput.of(f"{word} tea", NEUTRAL) for word in ("lovely", "dreadful"))
    good, bad = (heads.read(one, vectors[0])[0] for one in seen)
    assert good > bad + 0.5
    assert heads.fitted_on == "made up: 80 texts"


def test_the_command_measures_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, RATED)
    assert main(("emotion", "--data", str(path), "--json")) == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[0])["valence"] > 0.9
    assert main(("emotion", "--data", str(path))) == 0
    assert "\ncalibration\n" in capfd.readouterr().out
    assert main(("emotion", "--data", str(tmp_path / "none"))) == 1
    assert "cannot be read" in capfd.readouterr().err


def _fitted_on(folder: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words that name these files, by option, and a folder for the heads."""
    words: list[str] = []
    for option, content in files.items():
        path = folder / option
        path.write_text(content, encoding="utf-8")
        words += [f"--{option}", str(path)]
    return (*words, "--out", str(folder / "heads"))


MANY_RATED = "text,V,A,D\n" + "".join(
    f"{('a good', 'a bad')[at % 2]} day {at},{4 - at % 2},{2 + at % 3},{3 + at % 2}\n" for at in range(20)
)
MANY_LABELLED = "".join(
    f"{('so happy', 'so sad')[at % 2]} {at}\t{(17, 25)[at % 2]}\t{at}\n" for at in range(20)
)
FILES = {"data": MANY_RATED, "goemotions": MANY_LABELLED, "emoita": MANY_RATED}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"data": MANY_LABELLED, "goemotions": MANY_RATED}, "texts rated V, A and D are needed"),
        ({"goemotions": MANY_RATED}, "texts with labels are needed"),
        ({"emoita": MANY_LABELLED}, "texts rated V, A and D are needed"),
        ({"emoita": RATED}, "holds 3 texts; at least 20 are needed"),
    ],
)
def test_what_nothing_can_be_learned_of_is_said_before_anything_is_encoded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], files: Mapping[str, str], said: str
) -> None:
    assert main(("fit-emotion", *_fitted_on(tmp_path, FILES | dict(files)))) == 2
    error = capfd.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "heads").exists()
