"""The model in this process: tokens, vocabulary, runs and the cache of built files."""

import json
import struct
import zlib
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.machine import default_cache_folder
from ricordo.models.onnx.cached_file import cached_file
from ricordo.models.onnx.e5_checkpoint import CheckpointMissing, E5Checkpoint, E5Tokens, installed_e5
from ricordo.models.onnx.e5_file import dequantise
from ricordo.models.onnx.network import native_precision
from ricordo.models.onnx.onnx_encoder import MOST_TEXTS, MOST_TOKENS, plan_runs

E5_TOKENS = Path(__file__).with_name("e5_tokens.jsonl")


@pytest.fixture(scope="module")
def e5_tokens(tmp_path_factory: pytest.TempPathFactory) -> E5Tokens:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("tokens")))
        return installed_e5().tokens()


def test_the_tokens_are_those_that_the_model_was_trained_with(e5_tokens: E5Tokens) -> None:
    """520 texts in a dozen scripts, with the number and checksum of the ids of the package's own engine."""
    rows = [json.loads(line) for line in E5_TOKENS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 500
    for text, count, checksum in rows:
        ids = e5_tokens.cut(text)[0][1:-1]
        assert (len(ids), zlib.crc32(struct.pack(f"<{len(ids)}i", *ids))) == (count, checksum), text


@pytest.mark.parametrize("words", [0, 1, 250, 251, 40_000])
def test_a_prefix_is_read_before_the_text_and_what_is_beyond_the_window_is_said(
    e5_tokens: E5Tokens, words: int
) -> None:
    ids, beyond = e5_tokens.cut("memory " * (words + 3))
    assert (len(ids) <= 256, beyond) == (True, words > 250)
    ids, beyond = e5_tokens.cut("memory " * words, "query: ")
    assert (ids[:3], ids[-1]) == ([0, *e5_tokens.cut("query:")[0][1:-1]][:3], 2)
    assert (len(ids) <= 256, beyond) == (True, words > 250)


def test_four_bits_are_steps_of_the_scale_around_eight() -> None:
    block = np.zeros(1, dtype=[("scale", "<f2"), ("nibbles", "u1", 16)])
    block["scale"], block["nibbles"][0, 0], block["nibbles"][0, 15] = 0.5, 0x0F, 0x80
    weights = dequantise(block)
    assert (weights[0], weights[15], weights[16], weights[31]) == (3.5, -4.0, -4.0, 0.0)


def test_rows_of_the_vocabulary_are_gathered_by_token() -> None:
    vocabulary = installed_e5().vocabulary()
    rows = vocabulary.rows(np.array([[5, 7], [7, 9]], dtype=np.int32))
    assert rows.shape == (2, 2, 384)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows[0, 1], rows[1, 0])
    assert np.abs(rows[0, 0] - rows[0, 1]).max() > 0


def test_a_file_of_another_format_is_told(tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"GGUF" + bytes(60))
    with pytest.raises(CheckpointMissing, match="unknown format"):
        E5Checkpoint(other, "0")


@pytest.mark.parametrize("lead", [2000, 2047, 2048, 2049, 9000])
def test_a_text_that_begins_with_blanks_is_read_on(e5_tokens: E5Tokens, lead: int) -> None:
    text = " " * lead + "the dog ran home"
    assert len(e5_tokens.cut(text)[0]) == 6


def test_counting_leaves_special_tokens_out_and_has_no_limit(e5_tokens: E5Tokens) -> None:
    assert e5_tokens.count("") == 0
    assert e5_tokens.count("the dog") == 2
    assert e5_tokens.count("memory " * 1000) == 1000


@given(st.lists(st.integers(1, 256), max_size=200), st.integers(1, 16))
def test_every_text_is_in_one_run_of_texts_of_like_length_within_its_bounds(
    lengths: list[int], lanes: int
) -> None:
    plan = plan_runs(lengths, lanes)
    assert sorted(index for run in plan for index in run) == list(range(len(lengths)))
    assert [lengths[index] for run in plan for index in run] == sorted(lengths, reverse=True)
    for run in plan:
        assert len(run) <= MOST_TEXTS
        assert len(run) == 1 or len(run) * max(lengths[index] for index in run) <= MOST_TOKENS


CONTENT = b"a model, or so it says" * 1000


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ricordo"


def test_a_model_is_built_once(cache: Path) -> None:
    build = Mock(return_value=CONTENT)
    first = cached_file("m-v1", build)
    assert cached_file("m-v1", build) == first
    assert first.read_bytes() == CONTENT
    assert build.call_count == len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], CONTENT[:-1] + b"?", b"garbage"])
def test_a_broken_file_is_rebuilt(cache: Path, damage: bytes) -> None:
    build = Mock(return_value=CONTENT)
    cached_file("m-v1", build).write_bytes(damage)
    assert cached_file("m-v1", build).read_bytes() == CONTENT
    assert build.call_count == 2
    assert len(list(cache.iterdir())) == 1


def test_a_write_that_fails_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        cached_file("m-v1", lambda: CONTENT)
    assert list(cache.glob("*")) == []


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
