import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ricordo_lab.evaluation.ridge import Rows, ridge


def _random(seed: int, rows: int, width: int) -> tuple[Rows, NDArray[np.float32], NDArray[np.float32]]:
    chance = np.random.default_rng(seed)
    whole = chance.normal(size=(rows, width + 3)).astype(np.float32)
    whole[:, :width] *= chance.random((rows, width)) < 0.3
    sparse = [(np.flatnonzero(row[:width]), row[:width][row[:width] != 0]) for row in whole]
    return Rows.of(sparse, width, whole[:, width:]), whole, chance.normal(size=(rows, 2)).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 20), st.sampled_from([0.5, 3.0]))
def test_the_loss_is_that_of_the_normal_equations(seed: int, count: int, width: int, penalty: float) -> None:
    rows, whole, wanted = _random(seed, count, width)
    exact = np.linalg.solve(whole.T @ whole + penalty * np.eye(width + 3), whole.T @ wanted)

    def loss(weights: NDArray[np.floating]) -> float:
        return float(np.square(whole @ weights - wanted).sum() + penalty * np.square(weights).sum())

    assert loss(ridge(rows, wanted, penalty)) <= 1.001 * loss(exact) + 1e-4


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 20))
def test_rows_are_multiplied_as_a_whole_matrix_is(seed: int, count: int, width: int) -> None:
    rows, whole, _ = _random(seed, count, width)
    weights = np.random.default_rng(seed).normal(size=(width + 3, 4)).astype(np.float32)
    assert np.allclose(rows.times(weights), whole @ weights, atol=1e-4)
