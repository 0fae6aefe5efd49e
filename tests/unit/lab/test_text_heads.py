"""Fitting heads over texts on a table: what is learned, what is measured, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.softmax_heads import LabelledText, accuracy, fit_text_head, read_texts, split

HOW = (
    "soak it and rinse it",
    "press it, then wait",
    "mix the flour and knead it",
    "turn it and pull it",
    "cut it",
)
OTHER = (
    "we slept all day",
    "my aunt called again",
    "the film was long",
    "it rained on us",
    "nobody came home",
)


def table(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def texts() -> list[LabelledText]:
    return [LabelledText("how", "en", one) for one in HOW] + [LabelledText("-", "en", one) for one in OTHER]


def test_a_head_learns_what_its_texts_are() -> None:
    nothing = np.zeros((len(texts()), 4), dtype=np.float32)
    learned = fit_text_head(texts(), nothing, "none")
    assert accuracy(learned, texts(), nothing) == {"found": 1.0, "mistaken": 0.0}
    odds = [learned.probabilities(one, nothing[0])["how"] for one in ("press and turn it", "my aunt slept")]
    assert odds[0] > odds[1]


def test_a_fifth_of_each_label_is_left_out() -> None:
    kept, held = split(texts())
    assert sorted([*kept, *held]) == list(range(len(texts())))
    assert [texts()[at].label for at in held] == ["how", "-"]


def test_a_table_is_read(tmp_path: Path) -> None:
    found = read_texts(table(tmp_path / "texts.tsv", "how\tit\tgira la chiave", "-\tit\tpiove"))
    assert found == [LabelledText("how", "it", "gira la chiave"), LabelledText("-", "it", "piove")]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("how\tit",), "line 1"),
        (("how\tfr\ttournez la clef",), "line 1"),
        (("how\tit\tgira la chiave", "how\ten\tturn the key"), "two labels"),
    ],
)
def test_a_table_of_another_shape_is_refused(tmp_path: Path, lines: tuple[str, ...], said: str) -> None:
    with pytest.raises(UnreadableData, match=said):
        read_texts(table(tmp_path / "texts.tsv", *lines))
