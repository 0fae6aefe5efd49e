"""`ricordo backfill` without a stack, with impossible options, and what it tells of its work."""

import asyncio
import json
import signal

import pytest
from tests.unit.cli.conftest import Cli

from ricordo_services.app import jobs
from ricordo_services.progress import Backfilled, BackfillOrder


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[BackfillOrder]:
    """Name servers that nobody will ask, and keep what is ordered of them."""
    kept: list[BackfillOrder] = []

    async def ordered(_settings: object, order: BackfillOrder, report: object, tell: object) -> Backfilled:
        kept.append(order)
        outcome = Backfilled("rules-2+m", outdated=5, by_version={"rules-1": 4, "": 1})
        if not order.dry:
            outcome.examined, outcome.changed, outcome.raised, outcome.left = 5, 4, 3, 2
        report(outcome)  # type: ignore[operator]  # the command's own
        return outcome

    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr(jobs, "run_backfill", ordered)
    return kept


@pytest.mark.parametrize(
    "wrong",
    [
        ("--limit", "0"),
        ("--limit", "many"),
        ("--only", "feelings"),
        ("--tenant", "No Tenant"),
        ("--user",),
        ("--now",),
    ],
)
def test_what_cannot_be_meant_is_a_matter_of_usage(cli: Cli, wrong: tuple[str, ...]) -> None:
    ended = cli("backfill", *wrong)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err


def test_without_a_stack_it_says_how_to_start_one(cli: Cli) -> None:
    ended = cli("backfill", "--dry-run")
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert "no stack runs on" in ended.err
    assert "ricordo up" in ended.err


def test_the_options_are_the_order(cli: Cli, orders: list[BackfillOrder]) -> None:
    cli("backfill", "--only", "importance", "--user", "u-1", "--tenant", "acme", "--limit", "7", "--dry-run")
    cli("--tenant", "acme", "backfill")
    assert orders == [
        BackfillOrder(part="importance", tenant="acme", user_id="u-1", limit=7, dry=True),
        BackfillOrder(tenant="acme"),
    ]


def test_what_is_left_behind_is_told_and_fails(cli: Cli, orders: list[BackfillOrder]) -> None:
    ended = cli("backfill")
    assert ended.code == 1
    assert ended.out == "3 of 5 memories raised to rules-2+m in 0.0 s\n"
    assert len(ended.err.splitlines()) == 1
    assert "2 memories are not of rules-2+m yet: the model did not answer" in ended.err


def test_a_look_before_tells_the_versions(cli: Cli, orders: list[BackfillOrder]) -> None:
    ended = cli("backfill", "--dry-run")
    assert ended.code == 0
    assert ended.out == "5 memories would be derived again by rules-2+m (now: rules-1 4, none 1)\n"


def test_as_json_it_is_one_object(cli: Cli, orders: list[BackfillOrder]) -> None:
    ended = cli("backfill", "--json")
    assert (ended.code, len(ended.lines)) == (1, 1)
    preview = {"version": "rules-2+m", "outdated": 5, "by_version": {"rules-1": 4, "": 1}}
    assert json.loads(ended.out) == {
        **preview,
        "examined": 5,
        "changed": 4,
        "raised": 3,
        "left": 2,
        "seconds": 0.0,
    }
    assert json.loads(cli("backfill", "--json", "--dry-run").out) == preview


def test_what_is_only_rated_again_is_said_so(cli: Cli, orders: list[BackfillOrder]) -> None:
    before = cli("backfill", "--only", "importance", "--dry-run")
    assert before.out == "5 memories would be rated again by rules-2+m (now: rules-1 4, none 1)\n"
    ended = cli("backfill", "--only", "importance")
    assert ended.out == "3 of 5 memories rated again by rules-2+m in 0.0 s\n"
    assert "2 memories are not rated by rules-2+m yet" in ended.err


def test_what_is_only_encoded_again_is_said_so(cli: Cli, orders: list[BackfillOrder]) -> None:
    before = cli("backfill", "--only", "vectors", "--dry-run")
    assert before.out == "5 memories would be encoded again by rules-2+m (now: rules-1 4, none 1)\n"
    ended = cli("backfill", "--only", "vectors")
    assert ended.out == "3 of 5 memories encoded again by rules-2+m in 0.0 s\n"
    assert "2 memories are not encoded by rules-2+m yet: the model refused them" in ended.err
    assert [order.part for order in orders] == ["vectors", "vectors"]


def test_an_interrupt_says_how_far_it_came_and_that_it_can_go_on(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[BackfillOrder]
) -> None:
    async def interrupted(
        _settings: object, order: BackfillOrder, report: object, _tell: object
    ) -> Backfilled:
        if order.limit:
            report(Backfilled("m", outdated=9, examined=4))  # type: ignore[operator]  # the command's own
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    monkeypatch.setattr(jobs, "run_backfill", interrupted)
    ended = cli("backfill", "--only", "vectors", "--limit", "9")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == (
        "ricordo: interrupted: 4 of 9 memories are encoded again; "
        "run it again, and it goes on with the rest\n"
    )
    assert cli("backfill", "--dry-run").err == "ricordo: interrupted: nothing was changed\n"
    assert cli("backfill").err == "ricordo: interrupted: run it again, and it goes on with the rest\n"


def test_what_no_model_has_encoded_yet_is_not_said_to_be(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, orders: list[BackfillOrder]
) -> None:
    async def ordered(*_: object) -> Backfilled:
        return Backfilled("bge-m3", unencoded=2)

    monkeypatch.setattr(jobs, "run_backfill", ordered)
    told = "all memories are encoded by bge-m3, but 2 that the workers have yet to encode\n"
    assert cli("backfill", "--only", "vectors").out == told
    assert cli("backfill", "--only", "vectors", "--dry-run").out == told
    assert json.loads(cli("backfill", "--only", "vectors", "--json").out)["unencoded"] == 2
    assert "unencoded" not in json.loads(cli("backfill", "--json").out)


def test_help_says_what_a_rating_leaves_alone(cli: Cli) -> None:
    ended = cli("backfill", "--help")
    assert ended.code == 0
    assert "leave all else as it is" in " ".join(ended.out.replace("│", " ").split())
