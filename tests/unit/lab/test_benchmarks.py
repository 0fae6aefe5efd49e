"""Benchmarks: their texts, arrivals and encoders, and figures that belong together."""

import time
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo.testing.models import FakeEncoder
from ricordo_lab.bench.analyser import analyser
from ricordo_lab.bench.arrivals import FixedRateEncoder, at_fixed_rate, poisson
from ricordo_lab.bench.backlog import growth
from ricordo_lab.bench.batcher_bench import acceptance
from ricordo_lab.bench.generated_texts import LANGUAGES, Spoken, grammar, questions, texts
from ricordo_lab.bench.measurement import Line, Options
from ricordo_services.app.embedding_models import Models


async def test_the_analyser_is_measured_in_runs_of_which_the_median_counts(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Cosa abbiamo fatto ieri?\nWhere does Anna live?\n")
    for options, count in ((Options(questions=4, runs=3), 4), (Options(texts=file, runs=3), 2)):
        lines: list[Line] = []
        await analyser(options, lines.append)
        *runs, result = lines
        assert [line["run"] for line in runs] == [1, 2, 3]
        assert (result["runs"], result["questions"]) == (3, count)
        assert 0 < float(str(result["p50_ms"])) <= float(str(result["p95_ms"]))
        assert float(str(result["ms_of_the_longest"])) > 0


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


async def test_the_encoder_of_a_fixed_rate_never_does_more_than_its_rate() -> None:
    steady, began = FixedRateEncoder(1000), time.perf_counter()
    vectors = await steady.encode(["a"] * 20)
    await steady.encode(["b"] * 30)
    assert time.perf_counter() - began >= 0.049
    assert (steady.done, steady.inside) == (50, 0)
    assert vectors.shape == (20, steady.dimensions)


@pytest.mark.parametrize("room", [300, 64])
async def test_what_is_submitted_is_accepted_or_waits_and_all_is_answered(models: Models, room: int) -> None:
    found = await acceptance(models, SETTINGS, seconds=0.3, queue=room)
    assert int(str(found["queued_at_the_end"])) <= room
    assert found["callers_waiting_at_the_end"] == 0 or room < 300
    assert found["answered"] == found["submitted"] == 300
