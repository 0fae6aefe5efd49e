import json
from pathlib import Path

import numpy as np
import pytest

from ricordo.domain.emotion.heads import Seen
from ricordo.domain.memory import NEUTRAL, Emotion
from ricordo_services.evaluation.command import main
from ricordo_services.evaluation.emotion import GROUPS, calibration, figures, plotted
from ricordo_services.evaluation.fitting_emotion import Rated, fit_heads
from ricordo_services.evaluation.rated import Ratings, UnreadableRatings, read

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


def _felt(*valences: float) -> list[Emotion]:
    return [Emotion(valence=one, arousal=abs(one), dominance=0.5 + one / 4) for one in valences]


def test_axes_and_labels_are_read(tmp_path: Path) -> None:
    on_axes = read(_file(tmp_path, RATED))
    assert on_axes.on_axes
    assert on_axes.texts[0] == "I am so happy, thanks!"
    assert on_axes.rated[1].tolist() == [1.5, 4.0, 2.0]
    labelled = read(_file(tmp_path, LABELLED))
    assert not labelled.on_axes
    assert np.flatnonzero(labelled.rated[3]).tolist() == [17, 25]


@pytest.mark.parametrize("content", ["", "a\n", "text,V,A,D\nhi,x,1,1\n", "hi\t99\ta\n", "text,V,A,D\n"])
def test_another_shape_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UnreadableRatings):
        read(_file(tmp_path, content))


def test_a_perfect_estimate_has_r_of_one() -> None:
    rated = np.array([[3 + 2 * v, 1 + 4 * abs(v), 3 + v] for v in (-0.8, 0.1, 0.9)], dtype=np.float32)
    found = figures(Ratings("x", ["a", "b", "c"], rated), _felt(-0.8, 0.1, 0.9))
    assert found == pytest.approx({"valence": 1, "arousal": 1, "dominance": 1}, abs=1e-5)
    assert figures(Ratings("x", ["a", "b", "c"], rated), [NEUTRAL] * 3)["valence"] == 0


def test_f1_counts_groups_and_leaves_out_what_lies_in_two(tmp_path: Path) -> None:
    ratings = read(_file(tmp_path, LABELLED))
    right = [Emotion(primary=one) for one in ("excitement", "disgust", "neutral", "joy")]
    found = figures(ratings, right)
    assert (found["joy"], found["disgust"], found["neutral"], found["texts"]) == (1, 1, 1, 3)
    assert found["macro_f1"] == pytest.approx(3 / 7)
    assert sum(len(labels.split()) for labels in GROUPS.values()) == 28


def test_calibration_compares_like_with_like() -> None:
    valences = np.linspace(-0.9, 0.9, 40)
    rated = np.stack([3 + 2 * valences, valences + 3, valences + 3], axis=1).astype(np.float32)
    bins = calibration(Ratings("x", ["t"] * 40, rated), _felt(*valences))
    assert [one.texts for one in bins] == [4] * 10
    assert all(one.estimated == pytest.approx(one.rated, abs=1e-5) for one in bins)
    assert next(iter(plotted(bins))) == "```mermaid"


def test_heads_learn_what_they_are_shown() -> None:
    chance = np.random.default_rng(0)
    texts = [f"{'lovely' if at % 2 else 'dreadful'} weather number {at}" for at in range(80)]
    vectors = chance.normal(size=(80, 8)).astype(np.float32)
    wanted = np.array([[4.0 if at % 2 else 2.0, 3.0, 3.0] for at in range(80)], dtype=np.float32)
    heads = fit_heads([Rated("en", texts, vectors, wanted, "made up")], "a model")
    seen = (Seen.of(f"{word} tea", NEUTRAL) for word in ("lovely", "dreadful"))
    good, bad = (heads.read(one, vectors[0])[0] for one in seen)
    assert good > bad + 0.5
    assert heads.fitted_on == "made up: 80 texts"


def test_heads_are_fitted_on_what_they_will_read() -> None:
    vectors = np.eye(4, 8, dtype=np.float32)
    wanted = np.array([[4, 3, 3], [2, 3, 3], [4, 2, 3], [2, 4, 3]], dtype=np.float32)
    said = ["a good day", "a bad day", "good weather", "bad weather"]
    marked = ["a **good** day", "a _bad_ day", "**good** weather", "_bad_ weather"]
    plain, other = (fit_heads([Rated("it", one, vectors, wanted, "")], "") for one in (said, marked))
    assert np.array_equal(plain.hashed, other.hashed)
    assert np.array_equal(plain.dense, other.dense)


def test_the_command_measures_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, RATED)
    assert main(("emotion", "--data", str(path), "--json")) == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[0])["valence"] > 0.9
    assert main(("emotion", "--data", str(path), "--markdown")) == 0
    assert "xychart-beta" in capfd.readouterr().out
    assert main(("emotion", "--data", str(tmp_path / "none"))) == 1
    assert "cannot be read" in capfd.readouterr().err


def test_the_heads_are_fitted_and_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rated, labelled = tmp_path / "rated.csv", tmp_path / "labelled.tsv"
    rated.write_text(RATED, encoding="utf-8")
    labelled.write_text(LABELLED, encoding="utf-8")
    words = (
        "--data",
        str(rated),
        "--goemotions",
        str(labelled),
        "--emoita",
        str(rated),
        "--out",
        str(tmp_path),
    )
    assert main(("fit-emotion", *words)) == 0
    assert {"heads_en.npz", "heads_it.npz"} <= {path.name for path in tmp_path.iterdir()}
