"""The sizes of the streams of a local stack, by what is free on its volume."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.settings import BusSettings
from ricordo_services.stack.endpoints import stream_limits

GB = 10**9
USUAL = BusSettings()


def sizes(monkeypatch: pytest.MonkeyPatch, folder: Path, free: int, bus: BusSettings = USUAL) -> list[int]:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    found = stream_limits(folder, bus)
    return [found[name] for name in ("input_bytes", "events_bytes", "dead_letter_bytes")]


@given(free=st.integers(0, 100 * GB))
def test_they_fit_into_half_of_what_is_free(free: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        found = sizes(patched, Path("/nowhere/at/all"), free)
    assert sum(found) <= max(free / 2, 48 * 2**20)
    assert all(0 < size <= usual for size, usual in zip(found, (2**32, 2**32, 2**30), strict=True))
    assert sum(found) > min(9.6 * GB, free / 5)


def test_one_that_exists_is_not_made_smaller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stream = tmp_path / "nats/jetstream/$G/streams/RICORDO_IN"
    stream.mkdir(parents=True)
    (stream / "meta.inf").write_text(json.dumps({"name": "RICORDO_IN", "max_bytes": 2**31}))
    assert sizes(monkeypatch, tmp_path, 2 * GB) == [2**31, 2**28, 2**26]
    assert sizes(monkeypatch, tmp_path, 80 * GB) == [2**32, 2**32, 2**30]
    (stream / "meta.inf").write_text("torn")
    assert sizes(monkeypatch, tmp_path, 2 * GB) == [2**28, 2**28, 2**26]


def test_one_that_is_set_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bus = BusSettings(input_bytes=GB, dead_letter_bytes=77)
    assert sizes(monkeypatch, tmp_path, 4 * GB, bus) == [GB, 2**29, 77]
    every = BusSettings(input_bytes=1, events_bytes=2, dead_letter_bytes=3)
    assert sizes(monkeypatch, tmp_path, 0, every) == [1, 2, 3]
