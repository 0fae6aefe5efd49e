"""Starting, stopping and starting again: what stays, what goes, and who is told what."""

import asyncio
import functools
import socket
import sys
import time
from pathlib import Path

import psutil
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.stack_checks import answer_of, leave_traces, read_traces, seen

from ricordo_services.stack import packages
from ricordo_services.stack import servers as ports
from ricordo_services.stack.child_process import SupervisionTimes
from ricordo_services.stack.endpoints import Endpoints, write_stack_file
from ricordo_services.stack.local import LocalStack
from ricordo_services.stack.servers import LOOPBACK, PortBook, ServerFailed, choose_port

pytestmark = pytest.mark.slow


def servers() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def left_over(before: set[psutil.Process]) -> list[psutil.Process]:
    """Return the servers that were not there before; what those have started meanwhile is theirs."""
    new = (one for one in servers() if one not in before)
    return [one for one, parents in seen(new, psutil.Process.parents) if before.isdisjoint(parents)]


def named(name: str, processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one, its_name in seen(processes, psutil.Process.name) if its_name == name]


def gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=0)[1]


async def test_data_and_ports_stay_and_no_descriptor_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(servers())
    began = time.monotonic()
    async with LocalStack.open(tmp_path / "data") as stack:
        started = time.monotonic() - began
        first = stack.endpoints
        write_stack_file(first.data_dir, {"ready": True})
        await leave_traces(first)
        family = left_over(before)
        resident = sum(memory.rss for _, memory in seen(family, psutil.Process.memory_info)) / 1e6
        began = time.monotonic()
    stopped = time.monotonic() - began
    assert gone(family)
    assert not (tmp_path / "data" / "stack.json").exists()
    descriptors = psutil.Process().num_fds()
    began = time.monotonic()
    async with LocalStack.open(tmp_path / "data") as stack:
        warm = time.monotonic() - began
        assert stack.endpoints == first
        assert await read_traces(stack.endpoints) == 1
    await eventually(lambda: psutil.Process().num_fds() <= descriptors, within=90)  # others have sockets too
    with capsys.disabled():
        seconds = f"{started:.2f} s cold, {warm:.2f} s warm, stop {stopped:.2f} s"
        sys.stdout.write(f" start {seconds}, resident {resident:.0f} MB ")


async def test_java_writes_the_classes_of_the_first_start_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    async with LocalStack.open(tmp_path / "data") as stack:
        password = stack.endpoints.bolt_password
    async with LocalStack.open(tmp_path / "data"):
        pass
    (cache,) = (tmp_path / "cache" / "ricordo").iterdir()
    assert f"-XX:AOTCache={cache}" in (tmp_path / "data" / "graph" / "java.args").read_text()
    assert password not in (tmp_path / "data" / "log" / "graph.log").read_text()


async def test_everything_listens_on_loopback_only(stack: Endpoints) -> None:
    book = PortBook(stack.data_dir / "ports.json")
    mine = {book[name] for name in ("nats", "postgres", "bolt", "bolt_http")}
    listening = [
        connection.laddr
        for _, connections in seen(servers(), lambda process: process.net_connections(kind="inet"))
        for connection in connections
        if connection.status == psutil.CONN_LISTEN
    ]
    ports = {address.port for address in listening}
    assert ports >= mine  # a test before this one may still run a server of its own
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {LOOPBACK}


async def test_no_password_shows_in_the_list_of_processes(stack: Endpoints) -> None:
    words = " ".join(word for _, line in seen(servers(), psutil.Process.cmdline) for word in line)
    password = stack.postgres_dsn.split(":")[2].split("@")[0]
    assert stack.bolt_password not in words
    assert password not in words
    assert stack.bolt_password not in repr(stack)
    assert password not in repr(stack)


async def test_ports_that_are_taken_before_or_while_servers_start_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    book = PortBook(tmp_path / "data" / "ports.json")
    former = book.reserve(("nats", "bolt"))
    with socket.create_server((LOOPBACK, former["bolt"])), socket.create_server((LOOPBACK, 0)) as thief:
        taken = int(thief.getsockname()[1])
        drawn = iter((taken,))
        monkeypatch.setattr(ports, "choose_port", lambda others: next(drawn, None) or choose_port(others))
        async with LocalStack.open(tmp_path / "data") as stack:
            assert not stack.endpoints.bolt_url.endswith(str(former["bolt"]))
            assert stack.endpoints.nats_url.endswith(str(former["nats"]))
            assert str(taken) not in (stack.endpoints.data_dir / "ports.json").read_text()
            await leave_traces(stack.endpoints)


async def test_cancelling_the_start_leaves_nothing(tmp_path: Path) -> None:
    async def hold() -> None:
        async with LocalStack.open(tmp_path / "data"):
            await asyncio.sleep(60)

    before = set(servers())
    opening = asyncio.create_task(hold())
    await eventually(lambda: list((tmp_path / "data" / "run").glob("*.json")))
    family = left_over(before)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert gone(family)
    async with LocalStack.open(tmp_path / "data") as stack:
        await leave_traces(stack.endpoints)


def break_nats(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = folder / "nats-server"
    broken.write_text("#!/bin/sh\necho out of order >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(packages, "nats_server", lambda: broken)


async def test_a_server_that_does_not_start_says_why_and_takes_the_others_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_nats(tmp_path, monkeypatch)
    before = set(servers())
    with pytest.raises(ServerFailed, match=r"(?s)nats: ended with status 3.*out of order"):
        async with LocalStack.open(tmp_path / "data"):
            pytest.fail("it started")
    assert left_over(before) == []


async def test_a_server_that_cannot_be_restarted_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = SupervisionTimes(restarts=1, backoff=0.01)
    before = set(servers())
    async with LocalStack.open(tmp_path / "data", times) as stack:
        watching = asyncio.create_task(stack.watch())
        break_nats(tmp_path, monkeypatch)
        (nats,) = named("nats-server", left_over(before))
        nats.kill()
        with pytest.raises(ServerFailed, match=r"(?s)nats: ended with status 3.*out of order"):
            await asyncio.wait_for(watching, 10)


async def test_killed_servers_come_back_on_their_ports_with_their_data(tmp_path: Path) -> None:
    before = set(servers())
    async with LocalStack.open(tmp_path / "data") as stack:
        await leave_traces(stack.endpoints)
        for program in ("nats-server", "postgres", "java"):
            killed = named(program, left_over(before))[0]
            family = [killed, *killed.children(recursive=True)]
            killed.kill()
            await eventually(functools.partial(gone, family))
            assert await answer_of(lambda: read_traces(stack.endpoints)) == 1
