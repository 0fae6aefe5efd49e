"""The decay factor is a function of last use and time."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.decay_cases import NOW, DecayCase, aged_memory, decay_cases

from ricordo.memory.decay import decay_factor

UNIT = st.floats(0, 1)
DAYS = st.floats(0, 4000)


@pytest.mark.parametrize("case", decay_cases(), ids=lambda case: case.what)
def test_by_hand(case: DecayCase) -> None:
    factor = decay_factor(case.memory, NOW, floors=case.floors)
    assert factor == pytest.approx(case.factor, rel=1e-3, abs=1e-30)


@given(days=DAYS, more=DAYS, importance=UNIT, arousal=UNIT, floors=st.booleans())
def test_time_never_raises_it_and_what_protects_never_lowers_it(
    days: float, more: float, importance: float, arousal: float, *, floors: bool
) -> None:
    def at(hence: float, importance: float, arousal: float, *, floors: bool) -> float:
        memory = aged_memory({"days": days, "importance": importance, "arousal": arousal})
        return decay_factor(memory, NOW + timedelta(days=hence), floors=floors)

    factor = at(0, importance, arousal, floors=floors)
    assert 0 <= factor <= 1
    assert at(more, importance, arousal, floors=floors) <= factor
    assert at(0, 1.0, arousal, floors=floors) >= factor
    assert at(0, importance, 1.0, floors=floors) >= factor
    assert at(0, importance, arousal, floors=True) >= factor
