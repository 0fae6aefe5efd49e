"""`ricordo reindex` without a stack, with impossible options, and what it tells of its work."""

import asyncio
import json
import signal

import pytest
from tests.unit.cli.conftest import Cli

from ricordo.graph.port import GraphUnavailable
from ricordo_services.app import jobs
from ricordo_services.progress import Reindexed, ReindexOrder


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[ReindexOrder]:
    """Name servers that nobody will ask, and keep what is ordered of them."""
    kept: list[ReindexOrder] = []

    async def ordered(_settings: object, order: ReindexOrder, report: object) -> Reindexed:
        kept.append(order)
        outcome = Reindexed(order.projection, found=5, written=5, seconds=0.25)
        if order.projection == "graph":
            outcome.users, outcome.removed = 2, 1
        report(outcome)  # type: ignore[operator]  # the command's own
        return outcome

    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr(jobs, "run_reindex", ordered)
    return kept


@pytest.mark.parametrize(
    "wrong", [("--tenant", "No Tenant"), ("--user",), ("--only", "graph"), ("everything",)]
)
def test_what_cannot_be_meant_is_a_matter_of_usage(cli: Cli, wrong: tuple[str, ...]) -> None:
    ended = cli("reindex", *wrong)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err


def test_without_a_stack_it_says_how_to_start_one(cli: Cli) -> None:
    ended = cli("reindex", "--graph")
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert "no stack runs on" in ended.err


def test_the_options_are_the_order(cli: Cli, orders: list[ReindexOrder]) -> None:
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


def test_each_projection_is_told_in_a_line(cli: Cli, orders: list[ReindexOrder]) -> None:
    ended = cli("reindex")
    assert (ended.code, ended.err) == (0, "")
    assert ended.lines == [
        "graph: 5 facts of 2 users written, 1 that are none removed, in 0.2 s",
        "vectors: 5 memories handed to the index in 0.2 s",
    ]


def test_as_json_it_is_an_object_for_each(cli: Cli, orders: list[ReindexOrder]) -> None:
    ended = cli("reindex", "--json")
    assert ended.code == 0
    assert [json.loads(line) for line in ended.lines] == [
        {"projection": "graph", "users": 2, "found": 5, "written": 5, "removed": 1, "seconds": 0.25},
        {"projection": "vectors", "found": 5, "written": 5, "seconds": 0.25},
    ]


def test_a_graph_that_is_away_fails_in_a_line_before_the_vectors(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[ReindexOrder]
) -> None:
    async def away(*_: object) -> Reindexed:
        raise GraphUnavailable("the graph does not answer: nobody is there")

    monkeypatch.setattr(jobs, "run_reindex", away)
    ended = cli("reindex", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "ricordo: the graph does not answer: nobody is there\n"


def test_an_interrupt_says_how_far_it_came(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[ReindexOrder]
) -> None:
    async def interrupted(_settings: object, order: ReindexOrder, report: object) -> Reindexed:
        if order.user_id:
            report(Reindexed("graph", found=9, written=4))  # type: ignore[operator]  # the command's own
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    monkeypatch.setattr(jobs, "run_reindex", interrupted)
    ended = cli("reindex", "--user", "u-1")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == ("ricordo: interrupted: graph: 4 of 9 facts; run it again, and it does all of it\n")
    assert cli("reindex").err == "ricordo: interrupted: nothing was changed\n"
