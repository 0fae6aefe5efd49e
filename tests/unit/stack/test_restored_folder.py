"""Wherever a restore is cut off, the folder is the old or the new one: who takes it next sees to that."""

import asyncio
from pathlib import Path

import pytest

from ricordo_services.stack import restored_folder
from ricordo_services.stack.folder import DataFolder


def _fill(folder: Path, content: str) -> None:
    for name in restored_folder.CARRIED:
        path = folder / name if "." in name else folder / name / "part"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"format": 1}' if name == "format.json" else content)


def _held(folder: Path) -> set[str]:
    """Take the folder as `ricordo up` does, and return what is in it."""
    held = asyncio.run(DataFolder.hold(folder))
    held.forget_run()
    held.release()
    assert not {restored_folder.RESTORING, restored_folder.RESTORED} & {
        path.name for path in folder.iterdir()
    }
    return {
        (folder / name if "." in name else folder / name / "part").read_text()
        for name in restored_folder.CARRIED
        if name != "format.json"
    }


def test_one_that_is_not_complete_counts_for_nothing(tmp_path: Path) -> None:
    _fill(tmp_path, "old")
    _fill(tmp_path / restored_folder.RESTORING, "new")
    assert _held(tmp_path) == {"old"}


@pytest.mark.parametrize("moved", range(len(restored_folder.CARRIED) + 1))
@pytest.mark.parametrize("removed", [True, False])
def test_one_that_is_complete_counts_however_far_it_came(
    tmp_path: Path, moved: int, *, removed: bool
) -> None:
    _fill(tmp_path, "old")
    _fill(tmp_path / restored_folder.RESTORED, "new")
    for place, name in enumerate(restored_folder.CARRIED):
        if place < moved or (place == moved and removed):
            restored_folder.remove(tmp_path / name)
        if place < moved:
            (tmp_path / restored_folder.RESTORED / name).rename(tmp_path / name)
    assert _held(tmp_path) == {"new"}


def test_what_the_backup_lacks_stays(tmp_path: Path) -> None:
    _fill(tmp_path, "old")
    (tmp_path / restored_folder.RESTORED / "nats").mkdir(parents=True)
    (tmp_path / restored_folder.RESTORED / "nats" / "part").write_text("new")
    assert _held(tmp_path) == {"old", "new"}
    assert (tmp_path / "nats" / "part").read_text() == "new"
