import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ricordo_lab.evaluation.emotion_heads import ridge


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 20), st.sampled_from([0.5, 3.0]))
def test_the_loss_is_that_of_the_normal_equations(seed: int, count: int, width: int, penalty: float) -> None:
    chance = np.random.default_rng(seed)
    whole = chance.normal(size=(count, width + 3)).astype(np.float32)
    whole[:, :width] *= chance.random((count, width)) < 0.3
    sparse = [(np.flatnonzero(row[:width]), row[:width][row[:width] != 0]) for row in whole]
    wanted = chance.normal(size=(count, 2)).astype(np.float32)
    exact = np.linalg.solve(whole.T @ whole + penalty * np.eye(width + 3), whole.T @ wanted)

    def loss(weights: NDArray[np.floating]) -> float:
        return float(np.square(whole @ weights - wanted).sum() + penalty * np.square(weights).sum())

    assert loss(ridge(sparse, width, whole[:, width:], wanted, penalty)) <= 1.001 * loss(exact) + 1e-4
