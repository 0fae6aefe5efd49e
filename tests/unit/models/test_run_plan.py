"""Texts of unlike length are cut into runs of a bounded size."""

from hypothesis import given
from hypothesis import strategies as st

from ricordo.models.onnx.lanes import MOST_TEXTS, MOST_TOKENS, plan_runs

lengths = st.lists(st.integers(1, 256), max_size=200)


@given(lengths, st.integers(1, 16))
def test_every_text_is_in_exactly_one_run(lengths: list[int], lanes: int) -> None:
    plan = plan_runs(lengths, lanes)
    assert sorted(index for run in plan for index in run) == list(range(len(lengths)))


@given(lengths, st.integers(1, 16))
def test_no_run_exceeds_its_bounds(lengths: list[int], lanes: int) -> None:
    for run in plan_runs(lengths, lanes):
        width = max(lengths[index] for index in run)
        assert len(run) <= MOST_TEXTS
        assert len(run) == 1 or len(run) * width <= MOST_TOKENS


@given(lengths, st.integers(1, 16))
def test_neighbours_have_like_length(lengths: list[int], lanes: int) -> None:
    ordered = [lengths[index] for run in plan_runs(lengths, lanes) for index in run]
    assert ordered == sorted(lengths, reverse=True)


def test_each_lane_has_work() -> None:
    assert len(plan_runs([20] * 32, 2)) >= 4
    assert len(plan_runs([256] * 32, 2)) >= 8
