"""Ports that stay, and ports that are taken."""

import socket
from pathlib import Path

from ricordo_services.stack.ports import LOOPBACK, LOWEST, PortBook, choose_port, is_free


def test_a_port_with_a_listener_is_not_free() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        assert not is_free(listener.getsockname()[1])


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
