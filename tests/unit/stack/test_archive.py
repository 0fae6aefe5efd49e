"""A backup is complete or refused, and nothing is touched where it is refused."""

import gzip
import io
import json
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from tests.fixtures.sentence_tables import table

from ricordo_services.stack.archive import MANIFEST, Manifest, unpack, verify_backup, write_backup
from ricordo_services.stack.servers import BackupRefused

OLDEST, NEWEST = 23, 40
MADE: Final = Manifest(ricordo="0.9", schema_version=NEWEST, made_at="2026-01-01T00:00:00Z")
CONTENT: Final = {
    "format.json": b'{"format": 1}',
    "postgres/cluster/PG_VERSION": b"18\n",
    "postgres/cluster/base/1/1259": bytes(range(256)) * 20,
    "nats/jetstream/è \n.blk": b"",
}
EMPTY: Final = "postgres/cluster/pg_notify"  # PostgreSQL does not start without


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder, with what belongs to it and what does not; a part of it is elsewhere."""
    folder = tmp_path / "data"
    (folder / EMPTY).mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (folder / "nats").symlink_to(tmp_path / "elsewhere")
    for name, content in {**CONTENT, "log/nats.log": b"x", "stack.json": b"{}", "lock": b""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def backup(folder: Path, tmp_path: Path) -> Path:
    write_backup(folder, tmp_path / "memory.tar.gz", MADE)
    return tmp_path / "memory.tar.gz"


def restored(source: Path) -> dict[str, Path]:
    target = source.with_name("again")
    target.mkdir(exist_ok=True)
    verify_backup(source, OLDEST, NEWEST)
    unpack(source, target)
    return {str(path.relative_to(target)): path for path in target.rglob("*")}


@pytest.mark.parametrize("earlier", [False, True])
def test_all_that_makes_up_a_folder_comes_back(backup: Path, *, earlier: bool) -> None:
    assert backup.stat().st_mode == 0o100600
    assert not list(backup.parent.glob(".*"))
    if earlier:
        folders = {str(path) for name in (*CONTENT, f"{EMPTY}/x") for path in Path(name).parents} - {"."}
        backup.write_bytes(_earlier({"folders": sorted(folders), "files": {}}, CONTENT))
    size = 0 if earlier else sum(map(len, CONTENT.values()))
    assert verify_backup(backup, OLDEST, NEWEST).size == size
    found = restored(backup)
    assert {name: path.read_bytes() for name, path in found.items() if path.is_file()} == CONTENT
    assert found[EMPTY].is_dir()
    assert {path.stat().st_mode for path in found.values()} == {0o040700, 0o100600}  # folders and files


def test_a_damaged_one_or_none_is_refused_before_anything_is_written(backup: Path) -> None:
    whole = backup.read_bytes()
    none = (b"memory", gzip.compress(b""), gzip.compress(b"memory" * 1000))
    for content in (*none, *(whole[:place] for place in range(len(whole)))):
        backup.write_bytes(content)
        with pytest.raises(BackupRefused, match="nothing was changed"):
            verify_backup(backup, OLDEST, NEWEST)
    for place in range(len(whole)):
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        with suppress(BackupRefused):
            verify_backup(backup, OLDEST, NEWEST)
            assert gzip.decompress(backup.read_bytes()) == gzip.decompress(whole)  # a few bits tell nothing


@pytest.mark.parametrize(("manifest", "name", "kind", "told"), table(__file__, "refused"))
def test_what_cannot_be_followed_is_refused(
    tmp_path: Path, manifest: dict[str, Any], name: str, kind: str, told: str
) -> None:
    (tmp_path / "file").write_bytes(_earlier(manifest, {name: b""}, getattr(tarfile, kind)))
    with pytest.raises(BackupRefused, match=told):
        restored(tmp_path / "file")
    assert {path.name for path in tmp_path.rglob("*")} == {"file", "again"}


def test_what_it_cannot_hold_is_told(folder: Path, tmp_path: Path) -> None:
    (folder / "postgres" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BackupRefused, match="neither a file nor a folder"):
        write_backup(folder, tmp_path / "memory.tar.gz", MADE)
    assert not list(tmp_path.glob("*memory*"))


def _earlier(told: dict[str, Any], content: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return an archive without entries for folders, as they were before; what is empty is of a kind."""
    packed = io.BytesIO()
    manifest = json.dumps(MADE.model_dump(exclude={"size"}) | told).encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in ((MANIFEST, manifest), *content.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.type, entry.linkname = len(text), tarfile.REGTYPE if text else kind, "/etc"
            archive.addfile(entry, io.BytesIO(text))
    return packed.getvalue()
