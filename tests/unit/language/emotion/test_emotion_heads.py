import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo.language.emotion.emotion_words import spoken
from ricordo.language.emotion.heads import (
    AXES,
    EMOTION_SIZE,
    LABELS,
    MODEL,
    STYLE,
    HeadInput,
    load_heads,
    pairs,
    pieces,
    style,
    tokens,
)
from ricordo_lab.evaluation.emotion_heads import bucket_weights

SIZE = 384


def _vector(seed: int) -> NDArray[np.float32]:
    found = np.random.default_rng(seed).normal(size=SIZE)
    return (found / np.linalg.norm(found)).astype(np.float32)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_shipped_heads_fit_their_features(language: str) -> None:
    heads = load_heads(language)
    assert heads.model == MODEL
    assert heads.targets[: len(AXES)] == AXES
    assert heads.hashed.shape == (len(heads.rarity), len(heads.targets))
    assert heads.dense.shape == (SIZE + STYLE + EMOTION_SIZE + 1, len(heads.targets))
    assert (heads.share > 0).all()
    assert len(heads.fitted_on) > 10
    assert heads.targets[len(AXES) :] in {(), LABELS}


@given(st.text(max_size=300), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 10_000))
def test_any_text_and_vector_give_values_in_range(text: str, language: str, seed: int) -> None:
    emotion = estimate(Document(text, language), _vector(seed))
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1
    assert emotion.primary in LABELS


@given(st.text(max_size=300))
def test_features_are_places_with_unit_norm(text: str) -> None:
    read, rarity = tokens(text), load_heads("en").rarity
    places, shares = bucket_weights([*(pieces(one, 5) for one in read), pairs(read)], rarity)
    assert ((places >= 0) & (places < len(rarity))).all()
    assert len(places) == 0 or np.linalg.norm(shares) == pytest.approx(1, abs=1e-5)
    written = style(text, read)
    assert len(written) == STYLE
    assert np.isfinite(written).all()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_saved_heads_are_read_again(language: str) -> None:
    heads = load_heads(language)
    again = type(heads).restored(heads.saved())
    assert (again.model, again.targets, again.fitted_on) == (heads.model, heads.targets, heads.fitted_on)
    for name in ("rarity", "hashed", "step", "share", "neutral", "dense"):
        assert np.array_equal(getattr(again, name), getattr(heads, name)), name


@given(st.lists(st.text(max_size=12), max_size=12), st.sampled_from(sorted(LANGUAGES)))
def test_what_is_kept_of_words_changes_nothing(said: list[str], language: str) -> None:
    heads, text = load_heads(language), " ".join(said)
    seen = HeadInput.of(text, spoken(Document(text, language)))
    places, shares = bucket_weights(
        [*(pieces(one, heads.longest) for one in seen.words), seen.pairs], heads.rarity
    )
    vector = _vector(len(text))
    hashed = shares @ heads.hashed[places].astype(np.float32) * heads.step
    numbers = np.array(seen.numbers, dtype=np.float32)
    wanted = hashed + np.concatenate((vector, numbers)) @ heads.dense
    for _ in range(2):  # worked out, then kept
        assert heads.read(seen, vector) == pytest.approx(wanted, abs=1e-4)
