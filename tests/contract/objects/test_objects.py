"""Where documents are kept: in memory, in a folder, in a bucket."""

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from obstore.store import MemoryStore
from tests.fixtures.s3_server import s3_server

from ricordo.documents.object_store import ObjectStore, in_bucket, in_folder
from ricordo.documents.records import ObjectMissing, ObjectsUnavailable, object_key

KEY = object_key("acme", "u-1", "m-1", b"x")


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as url:
        yield url


def _bucket(endpoint: str, name: str = "documents", prefix: str = "") -> ObjectStore:
    return in_bucket(
        name,
        prefix=prefix,
        endpoint=endpoint,
        region="eu-south-1",
        access_key_id="somebody",
        secret_access_key="something",
        timeout=5,
        retrying=1,
    )


@pytest.fixture(params=["memory", "folder", "bucket", "bucket under a prefix"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param in {"memory", "folder"}:
        return ObjectStore(MemoryStore()) if request.param == "memory" else in_folder(tmp_path / "objects")
    return _bucket(request.getfixturevalue("endpoint"), prefix="some/where" if " " in request.param else "")


async def test_what_was_put_is_there(objects: ObjectStore) -> None:
    await objects.check()
    data = bytes(range(256)) * 1000
    key = object_key("acme", "u-1", "m-1", data)
    await objects.put(key, data)
    assert await objects.get(key) == data


async def test_the_same_is_put_twice(objects: ObjectStore) -> None:
    key = object_key("acme", "u-1", "m-1", b"twice")
    await asyncio.gather(*(objects.put(key, b"twice") for _ in range(8)))
    assert await objects.get(key) == b"twice"


async def test_what_is_not_there(objects: ObjectStore) -> None:
    key = object_key("acme", "u-1", "m-1", b"never put")
    with pytest.raises(ObjectMissing):
        await objects.get(key)
    await objects.delete(key)


async def test_what_is_deleted_is_gone(objects: ObjectStore) -> None:
    gone, kept = (object_key("acme", "u-1", "m-1", data) for data in (b"gone", b"kept"))
    await objects.put(gone, b"gone")
    await objects.put(kept, b"kept")
    await objects.delete(gone)
    with pytest.raises(ObjectMissing):
        await objects.get(gone)
    assert await objects.get(kept) == b"kept"


@pytest.mark.parametrize(
    "key",
    ["", "a", "../etc/passwd", "acme/../../x", f"acme/{'a' * 64}/../x", "\0", f"A/{'a' * 64}/{'a' * 64}"],
)
async def test_a_key_of_somebody_elses_making(objects: ObjectStore, key: str) -> None:
    for asked in (objects.put(key, b"x"), objects.get(key), objects.delete(key)):
        with pytest.raises(ValueError, match="not a key"):
            await asked


async def test_a_bucket_that_is_not_there(endpoint: str) -> None:
    with pytest.raises(ObjectsUnavailable, match="could not answer"):
        await _bucket(endpoint, "elsewhere").put(KEY, b"x")


async def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ObjectsUnavailable) as raised:
        await _bucket("http://127.0.0.1:9").check()
    assert "\n" not in str(raised.value)


async def test_files_are_their_owners_only(tmp_path: Path) -> None:
    """Whatever the process lets others do with its files."""
    before = os.umask(0)
    try:
        await in_folder(tmp_path / "deep" / "objects").put(KEY, b"x")
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "deep" / "objects").rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert stat.S_IMODE((tmp_path / "deep" / "objects").stat().st_mode) == 0o700


async def test_they_are_there_for_the_next_process(tmp_path: Path) -> None:
    await in_folder(tmp_path).put(KEY, b"x")
    assert await in_folder(tmp_path).get(KEY) == b"x"


async def test_a_volume_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "acme").write_text("in the way")
    with pytest.raises(ObjectsUnavailable, match="could not answer"):
        await in_folder(tmp_path).put(KEY, b"x")


def test_no_name_of_anybodys_is_in_a_key() -> None:
    """Nor does the same document of two users, or of two tenants, have the same."""
    keys = [
        object_key(tenant, user, "m-1", b"x") for tenant in ("a", "b") for user in ("../../etc", "..", "u/1")
    ]
    assert len(set(keys)) == len(keys)
    assert not any(".." in key or key.count("/") != 2 for key in keys)
    assert object_key("a", "u-1", "m-1", b"x") != object_key("a", "u-1", "m-2", b"x")
    with pytest.raises(ValueError, match="tenant"):
        object_key("../x", "u-1", "m-1", b"x")
