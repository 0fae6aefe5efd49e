"""`ricordo backfill` and `ricordo reindex`: options, progress, interruption."""

import asyncio
import json
import signal
from collections.abc import Callable

import pytest
from tests.unit.cli.conftest import Cli

from ricordo_services.app import jobs
from ricordo_services.cli import worker_reports
from ricordo_services.job_progress import BackfillOrder, BackfillProgress, ReindexOrder, ReindexProgress


@pytest.fixture(autouse=True)
def named_servers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name servers that nobody will ask."""
    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr(worker_reports, "PATIENCE_S", 0.05)  # no worker is there to be waited for


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[BackfillOrder | ReindexOrder]:
    """Keep what is ordered of jobs."""
    kept: list[BackfillOrder | ReindexOrder] = []

    async def backfilled(
        _settings: object, order: BackfillOrder, report: Callable[[object], None], notify: object
    ) -> BackfillProgress:
        kept.append(order)
        outcome = BackfillProgress("rules-2+m", outdated=5, by_version={"rules-1": 4, "": 1})
        if not order.dry:
            outcome.examined, outcome.changed, outcome.raised, outcome.left = 5, 4, 3, 2
        report(outcome)
        return outcome

    async def reindexed(
        _settings: object, order: ReindexOrder, report: Callable[[object], None]
    ) -> ReindexProgress:
        kept.append(order)
        users = 2 if order.projection == "graph" else 0
        outcome = ReindexProgress(order.projection, users=users, found=5, written=5, seconds=0.25)
        report(outcome)
        return outcome

    monkeypatch.setattr(jobs, "run_backfill", backfilled)
    monkeypatch.setattr(jobs, "run_reindex", reindexed)
    return kept


def test_the_options_are_the_order(cli: Cli, orders: list[BackfillOrder | ReindexOrder]) -> None:
    cli("backfill", "--only", "importance", "--user", "u-1", "--tenant", "acme", "--limit", "7", "--dry-run")
    cli("--tenant", "acme", "backfill")
    assert orders == [
        BackfillOrder(part="importance", tenant="acme", user_id="u-1", limit=7, dry=True),
        BackfillOrder(tenant="acme"),
    ]


def test_what_is_left_behind_is_told_and_fails(cli: Cli, orders: list[BackfillOrder | ReindexOrder]) -> None:
    result = cli("backfill")
    assert result.code == 1
    assert result.out == "3 of 5 memories derived again by rules-2+m in 0.0 s\n"
    assert len(result.err.splitlines()) == 1
    assert "2 memories are not derived by rules-2+m yet: the model did not answer" in result.err


def test_as_json_it_is_one_object(cli: Cli, orders: list[BackfillOrder | ReindexOrder]) -> None:
    result = cli("backfill", "--json")
    assert (result.code, len(result.lines)) == (1, 1)
    preview = {"version": "rules-2+m", "outdated": 5, "by_version": {"rules-1": 4, "": 1}}
    assert json.loads(result.out) == {
        **preview,
        "examined": 5,
        "changed": 4,
        "raised": 3,
        "left": 2,
        "seconds": 0.0,
    }
    assert json.loads(cli("backfill", "--json", "--dry-run").out) == preview


def test_an_interrupt_says_how_far_it_came_and_that_it_can_go_on(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[BackfillOrder]
) -> None:
    async def interrupted(
        _settings: object, order: BackfillOrder, report: Callable[[object], None], notify: object
    ) -> BackfillProgress:
        if order.limit:
            report(BackfillProgress("m", outdated=9, examined=4))
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    monkeypatch.setattr(jobs, "run_backfill", interrupted)
    result = cli("backfill", "--only", "vectors", "--limit", "9")
    assert (result.code, result.out) == (130, "")
    assert result.err == "ricordo: interrupted: 4 of 9 encoded; run it again to finish\n"
    assert cli("backfill").err == "ricordo: interrupted: run it again to finish\n"


def test_what_no_model_has_encoded_yet_is_not_said_to_be(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[BackfillOrder]
) -> None:
    async def ordered(*_: object, **_options: object) -> BackfillProgress:
        return BackfillProgress("bge-m3", unencoded=2)

    monkeypatch.setattr(jobs, "run_backfill", ordered)
    told = "all memories are encoded by bge-m3, but 2 that the workers have yet to encode\n"
    assert cli("backfill", "--only", "vectors").out == told
    assert cli("backfill", "--only", "vectors", "--dry-run").out == told
    assert json.loads(cli("backfill", "--only", "vectors", "--json").out)["unencoded"] == 2
    assert "unencoded" not in json.loads(cli("backfill", "--json").out)


def test_the_options_of_reindex_are_the_order(cli: Cli, orders: list[BackfillOrder | ReindexOrder]) -> None:
    cli("reindex", "--graph", "--user", "u-1", "--tenant", "acme")
    cli("--tenant", "acme", "reindex", "--vectors")
    cli("reindex")
    cli("reindex", "--graph", "--vectors", "-u", "u-2")
    assert orders == [
        ReindexOrder(projection="graph", tenant="acme", user_id="u-1"),
        ReindexOrder(projection="vectors", tenant="acme"),
        ReindexOrder(projection="graph"),
        ReindexOrder(projection="vectors"),
        ReindexOrder(projection="graph", user_id="u-2"),
        ReindexOrder(projection="vectors", user_id="u-2"),
    ]


def test_each_projection_is_told_in_a_line(cli: Cli, orders: list[BackfillOrder | ReindexOrder]) -> None:
    result = cli("reindex")
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        "graph: 5 facts of 2 users written in 0.2 s",
        "vectors: 5 memories handed to the index in 0.2 s",
    ]
