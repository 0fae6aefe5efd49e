"""Fitting of weights and heads."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fixtures.sentence_tables import table

from ricordo.memory.ranking.human import FEATURES, FOREIGN, load_human
from ricordo.memory.ranking.signals import Signals
from ricordo_lab.evaluation.conditional_logit import Choice, fit
from ricordo_lab.evaluation.locomo import LocomoQuestion
from ricordo_lab.evaluation.ranking_fit import fitted, weights_file
from ricordo_lab.evaluation.replay import RankedAnswer
from ricordo_lab.evaluation.softmax_heads import LabelledText, accuracy, fit_text_head, read_texts
from ricordo_lab.reader.text_heads import logistic, ridge


@given(st.integers(0, 10_000), st.sampled_from([0.5, 300.0]))
def test_a_ridge_is_that_of_the_normal_equations(seed: int, penalty: float) -> None:
    chance = np.random.default_rng(seed)
    known, wanted = chance.normal(size=(40, 3)).astype(np.float32), chance.normal(size=(40, 2))
    found = ridge(known, wanted.astype(np.float32), penalty)
    scaled = (known - known.mean(0)) / known.std(0)
    exact = np.linalg.solve(scaled.T @ scaled + penalty * np.eye(3), scaled.T @ (wanted - wanted.mean(0)))
    told = known @ found[:-1] + found[-1]
    assert told == pytest.approx(scaled @ exact + wanted.mean(0), abs=1e-3)


def test_a_logistic_regression_tells_how_likely_something_is() -> None:
    chance = np.random.default_rng(1)
    known = chance.normal(size=(4_000, 2)).astype(np.float32)
    odds = 1.0 / (1.0 + np.exp(-(2.0 * known[:, 0] - 1.0)))
    found = logistic(known, (chance.random(4_000) < odds).astype(np.float64), penalty=1.0)
    assert found == pytest.approx([2.0, 0.0, -1.0], abs=0.25)


_CANDIDATES = 12
WORDS = [place for place, name in enumerate(FEATURES) if "bm25" in name]


def some(seed: int, questions: int, truth: NDArray[np.float64], abroad: int = 0) -> list[Choice]:
    """Return questions whose evidence is drawn by known weights; words weigh half in the other language."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(questions):
        own = chance.random((_CANDIDATES, len(FEATURES)))
        foreign = chance.integers(0, 2, (_CANDIDATES, 1)) * abroad
        odds = np.exp(own @ truth - 0.5 * foreign[:, 0] * (own[:, WORDS] @ truth[WORDS]))
        target = np.zeros(_CANDIDATES)
        target[chance.choice(_CANDIDATES, p=odds / odds.sum())] = 1
        features = np.concatenate([own * (1 - foreign), own * foreign, foreign], axis=1)
        made.append(Choice(features, np.zeros(_CANDIDATES), target))
    return made


def test_weights_that_made_the_choices_are_found_again() -> None:
    truth = np.linspace(0.0, 8.0, len(FEATURES))
    found = fit(some(3, 1_500, truth))
    assert np.corrcoef(list(found.own.values()), truth)[0, 1] > 0.97
    assert found.own[FEATURES[-1]] == pytest.approx(8, rel=0.25)
    assert not found.foreign


def test_words_of_another_language_have_weights_of_their_own() -> None:
    truth = np.linspace(0.0, 8.0, len(FEATURES))
    found = fit(some(4, 2_500, truth, abroad=1))
    assert found.foreign[FEATURES[-1]] == found.own[FEATURES[-1]] == pytest.approx(8, rel=0.25)
    word = WORDS[-1]
    assert found.own[FEATURES[word]] == pytest.approx(truth[word], rel=0.25)
    assert found.foreign[FEATURES[word]] == pytest.approx(truth[word] / 2, rel=0.35)
    assert found.foreign[FOREIGN] == pytest.approx(0, abs=1)


def answers() -> list[RankedAnswer]:
    """Return two conversations in which the nearest window is always the answer, and has the most words."""
    chance = np.random.default_rng(0)
    made = []
    for number in range(60):
        window = chance.random(20)
        right = frozenset({str(int(window.argmax()))})
        found = tuple(str(one) for one in range(20))
        words = np.where(np.arange(20) % 3 == int(window.argmax()) % 3, window, 0.0)
        nothing = Signals(*(np.zeros(20) for _ in Signals._fields))
        signals = nothing._replace(semantic=window, window=window, bm25=words, importance=chance.random(20))
        name = f"c-{number % 2}"
        made.append(RankedAnswer(name, name, LocomoQuestion("?", 4, right), found, signals))
    return made


def test_each_conversation_is_measured_by_weights_of_the_others() -> None:
    whole, by_words = fitted(answers())
    assert [row["name"] for row in whole.rows] == ["c-0, en in en", "c-1, en in en", "en in en", "en in en"]
    assert float(str(whole.rows[2]["fraction@5"])) > 0.95
    learned = {name: whole.profile.weights[name] for name in FEATURES}
    assert "window" in sorted(learned, key=learned.__getitem__)[-2:]
    assert "[weights]\n" in (written := weights_file(whole, by_words, "two conversations"))
    assert 'fitted_on = "two conversations"' in written
    assert tomllib.loads(written)["by_words"]["weights"]["bm25"] > 0


def test_the_weights_that_are_shipped_are_of_all_features() -> None:
    shipped = load_human()
    assert set(FEATURES) <= set(shipped.weights)
    assert min(shipped.weights.values()) >= 0
    deaf = shipped.weighing({"speaker": 0.0})
    assert deaf.score(Signals(speaker=1)) == deaf.score(Signals(speaker=0))


HOW = table(__file__, "how")
OTHER = table(__file__, "other")


def written(path: Path, *lines: str) -> Path:
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


def test_a_table_is_read(tmp_path: Path) -> None:
    found = read_texts(written(tmp_path / "texts.tsv", "how\tit\tgira la chiave", "-\tit\tpiove"))
    assert found == [LabelledText("how", "it", "gira la chiave"), LabelledText("-", "it", "piove")]
