"""MiniLM in this process: tokens, runs and the cache of the built model."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.examples import at_most
from tokenizers import Tokenizer

from ricordo.cache_folder import default_cache_folder
from ricordo.models.onnx.checkpoint import MiniLmTokens, cached_model, installed_checkpoint
from ricordo.models.onnx.minilm import MOST_TEXTS, MOST_TOKENS, plan_runs
from ricordo.models.onnx.network import native_precision

DEFINITION = installed_checkpoint().tokenizer
TOKENS = MiniLmTokens(DEFINITION, 256)
WHOLE = Tokenizer.from_file(str(DEFINITION))
WHOLE.no_padding()
WHOLE.enable_truncation(256)

words = st.sampled_from(
    [
        "dog",
        "perché",
        "straßenbahn",
        "x" * 120,
        "antidisestablishmentarianism",
        "記憶",
        "🙂",
        "a\u0301",
        "  ",
        "\0",
        "!?",
        "\n",
    ]
)


@given(st.lists(words, min_size=1, max_size=12), st.integers(1, 2000), st.sampled_from(["", " "]))
def test_long_texts_give_the_tokens_of_the_whole(some: list[str], times: int, between: str) -> None:
    text = between.join(some * times)[:20_000]
    assert TOKENS.cut(text)[0] == WHOLE.encode(text).ids


@settings(max_examples=at_most(200), deadline=None)
@given(st.text(max_size=400))
def test_any_text_gives_the_tokens_of_the_whole(text: str) -> None:
    assert TOKENS.cut(text)[0] == WHOLE.encode(text).ids


@pytest.mark.parametrize("lead", [2000, 2047, 2048, 2049, 9000])
def test_a_text_that_begins_with_blanks_is_read_on(lead: int) -> None:
    text = " " * lead + "the dog ran home"
    assert len(TOKENS.cut(text)[0]) == 6


def test_counting_leaves_special_tokens_out_and_has_no_limit() -> None:
    assert TOKENS.count("") == 0
    assert TOKENS.count("the dog") == 2
    assert TOKENS.count("memory " * 1000) == 1000


@pytest.mark.parametrize("words", [0, 1, 254, 255, 40_000])
def test_what_is_beyond_the_window_is_said(words: int) -> None:
    ids, beyond = TOKENS.cut("memory " * words)
    assert (len(ids), beyond) == (min(words, 254) + 2, words > 254)


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


CONTENT = b"a model, or so it says" * 1000


class Builder:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> bytes:
        self.calls += 1
        return CONTENT


def test_a_model_is_built_once(tmp_path: Path) -> None:
    build = Builder()
    first = cached_model(tmp_path / "deep" / "cache", "m-v1", build)
    assert cached_model(tmp_path / "deep" / "cache", "m-v1", build) == first
    assert first.read_bytes() == CONTENT
    assert build.calls == 1


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], CONTENT[:-1] + b"?", b"garbage"])
def test_a_broken_file_is_rebuilt(tmp_path: Path, damage: bytes) -> None:
    build = Builder()
    cached_model(tmp_path, "m-v1", build).write_bytes(damage)
    assert cached_model(tmp_path, "m-v1", build).read_bytes() == CONTENT
    assert build.calls == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_a_builder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def build() -> bytes:
        raise KeyError("encoder.layer.5")

    with pytest.raises(KeyError):
        cached_model(tmp_path, "m-v1", build)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        cached_model(tmp_path, "m-v1", Builder())
    assert list(tmp_path.iterdir()) == []


def test_the_cache_folder_follows_the_desktop_convention(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "ricordo"
    for unset in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert default_cache_folder() == Path.home() / ".cache" / "ricordo"


@pytest.mark.parametrize("features", [{"AVX2": True}, {"ASIMD": True, "ASIMDDP": True}, {"AVX": True}, {}])
def test_the_precision_is_the_fastest_of_the_processor(features: dict[str, bool]) -> None:
    multiplies_bytes = {"AVX2", "ASIMDDP"} & features.keys()
    assert native_precision(features) == ("int8" if multiplies_bytes else "fp32")
