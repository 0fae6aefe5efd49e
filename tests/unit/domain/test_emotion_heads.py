import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ricordo.domain.emotion import estimate
from ricordo.domain.emotion.features import BUCKETS, STYLE, buckets, style, tokens
from ricordo.domain.emotion.heads import (
    AXES,
    LABELS,
    MODEL,
    SPOKEN,
    load_heads,
    quantised,
    read_heads,
    told,
    weighed,
)
from ricordo.domain.emotion.words import spoken
from ricordo.domain.lexicon import LANGUAGES, load_positions

SIZE = 384


def _vector(seed: int) -> NDArray[np.float32]:
    found = np.random.default_rng(seed).normal(size=SIZE)
    return (found / np.linalg.norm(found)).astype(np.float32)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_shipped_heads_fit_their_features(language: str) -> None:
    heads = load_heads(language)
    assert heads.model == MODEL
    assert heads.targets[: len(AXES)] == AXES
    assert heads.hashed.shape == (BUCKETS, len(heads.targets))
    assert heads.dense.shape == (SIZE + STYLE + SPOKEN + 1, len(heads.targets))
    assert (heads.share > 0).all()
    assert len(heads.fitted_on) > 10
    assert heads.targets[len(AXES) :] in {(), LABELS}


@given(st.text(max_size=300), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 10_000))
def test_any_text_and_vector_give_values_in_range(text: str, language: str, seed: int) -> None:
    emotion = estimate(text, language, _vector(seed))
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1
    assert emotion.primary in LABELS


@given(st.text(max_size=300))
def test_features_are_places_each_once_with_unit_norm(text: str) -> None:
    places, shares = weighed(buckets(tokens(text)), load_heads("en").rarity)
    assert len(places) == len(np.unique(places))
    assert ((places >= 0) & (places < BUCKETS)).all()
    assert len(places) == 0 or np.linalg.norm(shares) == pytest.approx(1, abs=1e-5)
    written = style(text, tokens(text))
    assert written.shape == (STYLE,)
    assert np.isfinite(written).all()


def test_each_label_has_a_place_among_the_features_and_on_the_axes() -> None:
    assert set(load_positions()) <= set(LABELS)
    found = told(spoken("I'm so happy!", "en"))
    assert found.shape == (SPOKEN,)
    assert found[len(AXES) + LABELS.index("joy")] == 1
    assert not told(spoken("The meeting is at noon", "en")).any()


def test_quantised_weights_are_near_the_weights() -> None:
    weights = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    whole, step = quantised(weights)
    assert np.abs(whole * step - weights).max() <= step.max() / 2 + 1e-6


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_saved_heads_are_read_again(language: str) -> None:
    heads = load_heads(language)
    again = read_heads(heads.saved())
    assert (again.model, again.targets, again.fitted_on) == (heads.model, heads.targets, heads.fitted_on)
    for name in ("rarity", "hashed", "step", "share", "neutral", "dense"):
        assert np.array_equal(getattr(again, name), getattr(heads, name)), name


def test_few_hundred_kilobytes_are_shipped() -> None:
    assert sum(len(load_heads(language).saved()) for language in LANGUAGES) < 600_000
