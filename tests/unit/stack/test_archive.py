"""A backup is complete or refused, and nothing is touched where it is refused."""

import gzip
import hashlib
import io
import json
import stat
import tarfile
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fixtures.examples import at_most
from tests.fixtures.sentence_tables import table

from ricordo_services.stack.archive import MANIFEST, Manifest, open_backup, write_backup
from ricordo_services.stack.servers import BackupRefused

OLDEST, NEWEST = 23, 40
MADE: Final = Manifest(ricordo="0.9", schema_version=NEWEST, made_at="2026-01-01T00:00:00Z")
CONTENT: Final = {
    "format.json": b'{"format": 1}',
    "postgres/cluster/PG_VERSION": b"18\n",
    "postgres/cluster/base/1/1259": bytes(range(256)) * 20,
    "nats/jetstream/è \n.blk": b"",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder, with what belongs to it and what does not."""
    folder = tmp_path / "data"
    for name, content in {**CONTENT, "log/nats.log": b"x", "stack.json": b"{}", "lock": b""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "postgres/cluster/pg_notify").mkdir()  # PostgreSQL does not start without
    return folder


@pytest.fixture
def backup(folder: Path, tmp_path: Path) -> Path:
    write_backup(folder, tmp_path / "memory.tar.gz", MADE)
    return tmp_path / "memory.tar.gz"


def unpacked(source: Path, target: Path, newest: int = NEWEST) -> dict[str, bytes]:
    target.mkdir(exist_ok=True)
    with open_backup(source) as archive:
        archive.check_version(OLDEST, newest)
        archive.unpack(target)
    return {
        path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()
    }


def test_all_that_makes_up_a_folder_comes_back(backup: Path, tmp_path: Path) -> None:
    assert unpacked(backup, tmp_path / "again") == CONTENT
    assert (tmp_path / "again/postgres/cluster/pg_notify").is_dir()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "again").rglob("*")}
    assert modes == {0o600, 0o700}
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.partial"))


@settings(
    max_examples=at_most(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_one_is_refused(
    backup: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = backup.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytes([whole[place] ^ (1 << data.draw(st.integers(0, 7)))])
    damaged = data.draw(st.sampled_from([whole[:place], whole[:place] + flipped + whole[place + 1 :]]))
    target = tmp_path_factory.mktemp("damaged")
    (target / "file").write_bytes(damaged)
    try:
        found = unpacked(target / "file", target / "again")
    except BackupRefused as error:
        assert str(target / "file") in str(error)  # noqa: PT017 - either is right
    else:
        assert found == CONTENT


@pytest.mark.parametrize(
    "content",
    [b"", b"memory", gzip.compress(b"", mtime=0), gzip.compress(b"memory" * 1000, mtime=0)],
    ids=["nothing", "words", "nothing packed", "words packed"],
)
def test_what_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BackupRefused):
        unpacked(tmp_path / "file", tmp_path / "again")


NOT_FOLLOWED = (*table(__file__, "not_followed"), ({"schema_version": None}, "cannot be read"))


@pytest.mark.parametrize(("manifest", "told"), NOT_FOLLOWED)
def test_what_cannot_be_followed_is_refused(tmp_path: Path, manifest: dict[str, object], told: str) -> None:
    (tmp_path / "file").write_bytes(_archive({MANIFEST: json.dumps(MADE.model_dump() | manifest).encode()}))
    with pytest.raises(BackupRefused, match=told):
        unpacked(tmp_path / "file", tmp_path / "again")


def test_what_it_does_not_name_is_not_written(tmp_path: Path) -> None:
    content = {MANIFEST: MADE.model_dump_json().encode(), "../evil": b"evil"}
    (tmp_path / "file").write_bytes(_archive(content))
    with pytest.raises(BackupRefused, match="does not belong to it"):
        unpacked(tmp_path / "file", tmp_path / "again")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_what_is_no_file_is_not_made(tmp_path: Path, kind: bytes) -> None:
    digest = hashlib.sha256(b"").hexdigest()
    named = {"files": {"format.json": {"size": 0, "sha256": digest}}}
    text = json.dumps(MADE.model_dump() | named).encode()
    link = tarfile.TarInfo("format.json")
    link.type, link.linkname = kind, "/etc/passwd"
    longer = tarfile.TarInfo("format.json")
    longer.size = 1 << 30
    for member in (link, longer):
        (tmp_path / "file").write_bytes(_archive({MANIFEST: text}, member))
        with pytest.raises(BackupRefused, match="does not belong to it"):
            unpacked(tmp_path / "file", tmp_path / "again")
        assert list((tmp_path / "again").iterdir()) == []


def test_what_it_cannot_hold_is_told(folder: Path, tmp_path: Path) -> None:
    (folder / "objects").mkdir()
    (folder / "objects" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BackupRefused, match="neither a file nor a folder"):
        write_backup(folder, tmp_path / "memory.tar.gz", MADE)
    assert not list(tmp_path.glob("memory*"))


def _archive(content: dict[str, bytes], *others: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in content.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
        for other in others:
            archive.addfile(other)
    return packed.getvalue()
