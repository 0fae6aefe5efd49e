"""Built models are kept whole, and rebuilt when they are not."""

from pathlib import Path

import pytest

from ricordo.models.onnx.checkpoint import cached_model, default_cache_folder

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


def test_another_version_is_another_file(tmp_path: Path) -> None:
    build = Builder()
    assert cached_model(tmp_path, "m-v1", build) != cached_model(tmp_path, "m-v2", build)
    assert build.calls == 2


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
