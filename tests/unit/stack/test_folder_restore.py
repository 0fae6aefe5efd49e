"""Wherever a restore is cut off, the folder is the old or the new one: who takes it next sees to that."""

import asyncio
from pathlib import Path

import pytest

from ricordo_services.stack.folder import BACKED_UP, RESTORED, RESTORING, DataFolder, remove


def _fill(folder: Path, content: str) -> None:
    for name in BACKED_UP:
        path = folder / name if "." in name else folder / name / "part"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"format": 1}' if name == "format.json" else content)


def _held(folder: Path) -> set[str]:
    """Take the folder as `ricordo up` does, and return what is in it."""
    held = asyncio.run(DataFolder.hold(folder))
    held.forget_run()
    held.release()
    assert not {RESTORING, RESTORED} & {path.name for path in folder.iterdir()}
    return {
        (folder / name if "." in name else folder / name / "part").read_text()
        for name in BACKED_UP
        if name != "format.json"
    }


def test_one_that_is_not_complete_counts_for_nothing(tmp_path: Path) -> None:
    _fill(tmp_path, "old")
    _fill(tmp_path / RESTORING, "new")
    assert _held(tmp_path) == {"old"}


@pytest.mark.parametrize("moved", range(len(BACKED_UP) + 1))
@pytest.mark.parametrize("removed", [True, False])
def test_one_that_is_complete_counts_however_far_it_came(
    tmp_path: Path, moved: int, *, removed: bool
) -> None:
    _fill(tmp_path, "old")
    _fill(tmp_path / RESTORED, "new")
    for place, name in enumerate(BACKED_UP):
        if place < moved or (place == moved and removed):
            remove(tmp_path / name)
        if place < moved:
            (tmp_path / RESTORED / name).rename(tmp_path / name)
    assert _held(tmp_path) == {"new"}


def test_what_the_backup_lacks_stays(tmp_path: Path) -> None:
    _fill(tmp_path, "old")
    (tmp_path / RESTORED / "nats").mkdir(parents=True)
    (tmp_path / RESTORED / "nats" / "part").write_text("new")
    assert _held(tmp_path) == {"old", "new"}
    assert (tmp_path / "nats" / "part").read_text() == "new"
