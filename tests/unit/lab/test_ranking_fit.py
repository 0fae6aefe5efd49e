import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ricordo.memory.ranking.human import FEATURES, load_human
from ricordo.memory.ranking.signals import BY_MEANING, Signals
from ricordo_lab.evaluation.conditional_logit import Choice, bias, choice, fit
from ricordo_lab.evaluation.locomo import Question
from ricordo_lab.evaluation.ranking_fit import fitted, weights_file
from ricordo_lab.evaluation.replay import RankedAnswer

_CANDIDATES = 12


def some(seed: int, questions: int, truth: NDArray[np.float64]) -> list[Choice]:
    """Return questions whose evidence is drawn by weights that are known."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(questions):
        features = chance.random((_CANDIDATES, len(FEATURES)))
        odds = np.exp(features @ truth)
        target = np.zeros(_CANDIDATES)
        target[chance.choice(_CANDIDATES, p=odds / odds.sum())] = 1
        made.append(Choice(features, np.zeros(_CANDIDATES), target))
    return made


def test_weights_that_made_the_choices_are_found_again() -> None:
    truth = np.linspace(0.0, 8.0, len(FEATURES))
    found = fit(some(3, 1_500, truth))
    assert np.corrcoef(list(found.values()), truth)[0, 1] > 0.97
    assert found[FEATURES[-1]] == pytest.approx(8, rel=0.25)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1_000))
def test_what_speaks_against_a_memory_weighs_nothing(seed: int) -> None:
    found = fit(some(seed, 40, np.full(len(FEATURES), -3.0)))
    assert min(found.values()) >= 0
    assert sum(found.values()) < len(FEATURES)


def test_no_step_makes_the_fit_worse_than_the_prior() -> None:
    choices = some(1, 200, np.ones(len(FEATURES)))
    given_all = [Choice(one.features, 5.0 * one.target, one.target) for one in choices]
    assert max(fit(given_all).values()) < max(fit(choices).values()) + 1e-9


def test_scores_sum_to_the_evidence() -> None:
    choices = some(2, 100, np.ones(len(FEATURES)))
    weights = fit(choices)
    vector = np.array(list(weights.values()))
    scores = [1 / (1 + np.exp(-(one.features @ vector + bias(choices, weights)))) for one in choices]
    assert np.concatenate(scores).sum() == pytest.approx(100, rel=1e-6)


def test_a_question_without_an_answer_teaches_nothing() -> None:
    signals = Signals(semantic=np.array([0.1, 0.2]))
    assert choice(signals, np.array([False, False])) is None
    made = choice(signals, np.array([False, True]))
    assert made is not None
    assert made.features.shape == (2, len(FEATURES))
    assert made.target.tolist() == [0, 1]


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
        made.append(RankedAnswer(f"c-{number % 2}", Question("?", 4, right), found, signals))
    return made


def test_each_conversation_is_measured_by_weights_of_the_others() -> None:
    whole, by_words = fitted(answers())
    assert [row["name"] for row in whole.rows] == ["c-0", "c-1", "all", "all"]
    assert float(str(whole.rows[2]["fraction@5"])) > 0.95
    assert "window" in sorted(whole.weights, key=whole.weights.__getitem__)[-2:]
    assert "[weights]\n" in (written := weights_file(whole, by_words, "two conversations"))
    assert 'fitted_on = "two conversations"' in written
    assert tomllib.loads(written)["by_words"]["weights"]["bm25"] > 0


def test_while_the_model_is_away_words_tell_all_that_there_is_of_relevance() -> None:
    whole, by_words = fitted(answers())
    assert {by_words.weights[name] for name in BY_MEANING} == {0.0}
    assert by_words.weights["bm25"] > whole.weights["bm25"]
    assert by_words.left_out[0] > 0.95


def test_the_weights_that_are_shipped_are_of_all_features() -> None:
    shipped = load_human()
    assert set(FEATURES) <= set(shipped.weights)
    assert min(shipped.weights.values()) >= 0
    deaf = shipped.weighing({"speaker": 0.0})
    assert deaf.score(Signals(speaker=1)) == deaf.score(Signals(speaker=0))
