"""Processes that end are started again, until that does not help."""

import asyncio
from functools import partial
from itertools import count

import pytest
from structlog.testing import capture_logs

from ricordo_services.stack.child_process import SupervisionTimes, keep_in_background, keep_running
from ricordo_services.stack.servers import ServerFailed, WorkersFailed
from ricordo_services.stack.worker_processes import GROUPS, grouped, health_ports

TIMES = SupervisionTimes(restarts=2, backoff=0.0)


async def test_it_gives_up_when_too_many_starts_in_a_row_have_failed() -> None:
    starts = count(1)

    async def restart() -> None:
        if (number := next(starts)) not in (1, 3):
            raise WorkersFailed(f"no model at start {number}")

    async def ended() -> int:
        return -9

    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with capture_logs() as logs:
        await keep_in_background(partial(keep_running, "process", "work", ended, restart, TIMES), failed)
    assert isinstance(failed.exception(), ServerFailed)
    assert str(failed.exception()) == "no model at start 6"
    told = [line["event"] for line in logs]
    assert told == [
        "ended",
        "restarted",
        "ended",
        "not restarted",
        "restarted",
        "ended",
        *["not restarted"] * 2,
    ]
    assert all(line["process"] == "work" for line in logs)
    assert [line["status"] for line in logs if line["event"] == "ended"] == [-9] * 3


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["embedding"], {"serve": ("index",), "work": ("encode",)}),
        (["retrieval", "gateway"], {"serve": ("retrieval",), "gateway": ("gateway",)}),
        (["lifecycle", "ingest"], {"work": ("ingest", "lifecycle")}),
        ([name for workers in GROUPS.values() for name in workers], GROUPS),
    ],
)
def test_each_worker_has_its_process(names: list[str], groups: dict[str, tuple[str, ...]]) -> None:
    assert grouped(names, 3) == groups
    assert list(health_ports(groups, 8080)) == list(range(8080, 8080 + len(groups)))
    assert set(health_ports(groups, 0)) == {0}
    assert health_ports(groups, None) == ()
    (together,) = grouped(names, 1).values()
    assert sorted(together) == sorted(name for workers in groups.values() for name in workers)
