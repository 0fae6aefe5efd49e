"""Benchmarks: their texts, arrivals and encoders, and figures that belong together."""

from itertools import islice
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo.testing.models import FakeEncoder
from ricordo_lab.bench.arrivals import at_fixed_rate, poisson
from ricordo_lab.bench.backlog import growth
from ricordo_lab.bench.batcher_bench import acceptance
from ricordo_lab.bench.generated_texts import LANGUAGES, Spoken, grammar, questions, texts
from ricordo_services.app.embedding_models import Models


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


SETTINGS: Final = EmbeddingSettings()


class Words:
    """Counts words where a model would count tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def models() -> Models:
    encoder = FakeEncoder(SystemClock(), latency=0.01)
    return Models(encoder, encoder, None, Words(), "fp32")


def test_arrivals_come_at_their_rate_evenly_or_poisson() -> None:
    assert list(islice(at_fixed_rate(4), 3)) == [0, 0.25, 0.5]
    chance, again, other = (list(islice(poisson(50, seed), 5000)) for seed in (1, 1, 2))
    assert chance == again != other
    assert chance == sorted(chance)
    assert 45 < len(chance) / chance[-1] < 55
    gaps = np.diff(chance)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)  # as of a Poisson process, and no other


@pytest.mark.parametrize("room", [300, 64])
async def test_what_is_submitted_is_accepted_or_waits_and_all_is_answered(models: Models, room: int) -> None:
    found = await acceptance(models, SETTINGS, seconds=0.3, queue=room)
    assert int(str(found["queued_at_the_end"])) <= room
    assert found["callers_waiting_at_the_end"] == 0 or room < 300
    assert found["answered"] == found["submitted"] == 300
