"""Who may use a data folder, what it must look like, and how a restore that was cut off ends."""

import asyncio
import fcntl
import json
import os
import shutil
import stat
from collections import namedtuple
from pathlib import Path

import pytest

from ricordo_services.stack import folder
from ricordo_services.stack.endpoints import write_stack_file
from ricordo_services.stack.folder import BACKED_UP, RESTORED, RESTORING, DataFolder, remove
from ricordo_services.stack.guard import process_identity
from ricordo_services.stack.servers import FolderRefused


async def test_a_new_folder_is_private_and_carries_its_format(tmp_path: Path) -> None:
    held = await DataFolder.hold(tmp_path / "a" / "b")
    held.release()
    assert stat.S_IMODE(held.path.stat().st_mode) == 0o700
    assert json.loads((held.path / "format.json").read_text(encoding="utf-8")) == {"format": 1}


async def test_passwords_are_drawn_once_and_private(tmp_path: Path) -> None:
    held = await DataFolder.hold(tmp_path / "data")
    passwords = held.secrets()
    assert held.secrets() == passwords
    assert len({passwords.nats, passwords.bolt, passwords.postgres_owner, passwords.postgres_worker}) == 4
    assert stat.S_IMODE((held.path / "secrets.json").stat().st_mode) == 0o600
    held.release()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("secrets.json", content) for content in ("", "[]", '{"nats": "a"}')),
        *(("format.json", content) for content in ("", "{}", "[1]", '{"format": "x"}')),
    ],
)
async def test_a_damaged_file_is_refused_and_not_replaced(tmp_path: Path, name: str, content: str) -> None:
    (await DataFolder.hold(tmp_path / "data")).release()
    (tmp_path / "data" / name).write_text(content, encoding="utf-8")
    with pytest.raises(FolderRefused, match=rf"{name} cannot be read"):
        (await DataFolder.hold(tmp_path / "data")).secrets()
    assert (tmp_path / "data" / name).read_text(encoding="utf-8") == content


async def test_lost_passwords_are_not_drawn_again_over_existing_data(tmp_path: Path) -> None:
    held = await DataFolder.hold(tmp_path / "data")
    (held.path / "postgres" / "cluster").mkdir()
    with pytest.raises(FolderRefused, match="restore"):
        held.secrets()
    held.release()


async def test_a_second_holder_is_told_who_has_the_folder(tmp_path: Path) -> None:
    held = await DataFolder.hold(tmp_path / "data")
    with pytest.raises(FolderRefused, match=rf"already running on .*kill {os.getpid()},"):
        await DataFolder.hold(tmp_path / "data")
    held.release()
    (await DataFolder.hold(tmp_path / "data")).release()


async def test_a_lock_whose_owner_is_gone_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "LEFTOVER_SECONDS", 0.1)
    monkeypatch.setattr(folder, "KILLED_SECONDS", 0.1)
    (await DataFolder.hold(tmp_path / "data")).release()
    (tmp_path / "data" / "owner.json").write_text(json.dumps([os.getpid(), "another time"]), encoding="utf-8")
    with (tmp_path / "data" / "lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FolderRefused, match="Ctrl-C in its terminal"):
            await DataFolder.hold(tmp_path / "data")


async def test_a_recorded_number_that_belongs_to_another_process_is_left_alone(tmp_path: Path) -> None:
    (await DataFolder.hold(tmp_path / "data")).release()
    record = tmp_path / "data" / "run" / "nats.json"
    parent = os.getppid()
    record.write_text(json.dumps({"server": [parent, "another time"]}), encoding="utf-8")
    (await DataFolder.hold(tmp_path / "data")).release()
    assert process_identity(parent) is not None
    assert not record.exists()


async def test_data_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    (await DataFolder.hold(tmp_path / "data")).release()
    (tmp_path / "data" / "format.json").write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(FolderRefused, match=r"data format 2, this one knows up to 1\): upgrade"):
        await DataFolder.hold(tmp_path / "data")


async def test_a_folder_with_other_files_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "thesis.odt").touch()
    with pytest.raises(FolderRefused, match=r"thesis\.odt"):
        await DataFolder.hold(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.odt"]  # noqa: PTH208 - an async test


async def test_a_full_disk_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - the shape of the real answer
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, 1_000_000))
    with pytest.raises(FolderRefused, match="1 MB free"):
        await DataFolder.hold(tmp_path / "data")


async def test_the_announcement_of_a_killed_stack_is_removed(tmp_path: Path) -> None:
    (await DataFolder.hold(tmp_path / "data")).release()
    path = write_stack_file(tmp_path / "data", {"ready": True, "nats": "nats://x"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {"ready": True, "nats": "nats://x"}
    (await DataFolder.hold(tmp_path / "data")).release()
    assert not path.exists()


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
