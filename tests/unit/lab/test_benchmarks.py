"""Benchmarks: their texts, arrivals and encoders, and figures that belong together."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo_lab.bench.arrivals import at_fixed_rate, poisson
from ricordo_lab.bench.backlog import growth
from ricordo_lab.bench.generated_texts import LANGUAGES, Spoken, grammar, questions, texts


def test_growth_is_from_the_first_reading_to_the_largest() -> None:
    found = growth([200.0, 250.0, 210.0])
    assert found == {"before": 200, "fullest": 250, "after": 210, "growth_percent": 25}
    assert growth([])["growth_percent"] is None


@given(seed=st.integers(0, 2**32))
def test_a_seed_always_says_the_same(seed: int) -> None:
    assert list(islice(texts(seed), 20)) == list(islice(texts(seed), 20))
    assert list(islice(questions(seed), 20)) == list(islice(questions(seed), 20))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_slot_has_a_list_and_no_list_is_left_over(language: Spoken) -> None:
    spoken = grammar(language)
    patterns = [*spoken.messages, *spoken.questions, *(each for row in spoken.lists.values() for each in row)]
    asked = {slot.partition("}")[0] for pattern in patterns for slot in pattern.split("{")[1:]}
    assert asked == set(spoken.lists)


def test_arrivals_come_at_their_rate_evenly_or_poisson() -> None:
    assert list(islice(at_fixed_rate(4), 3)) == [0, 0.25, 0.5]
    chance, again, other = (list(islice(poisson(50, seed), 5000)) for seed in (1, 1, 2))
    assert chance == again != other
    assert chance == sorted(chance)
    assert 45 < len(chance) / chance[-1] < 55
    gaps = np.diff(chance)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)  # as of a Poisson process, and no other
