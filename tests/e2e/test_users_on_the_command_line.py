"""The commands of bots and of the operator, each with its own user."""

import json
from pathlib import Path

import pytest
from tests.fixtures.users_of_nats import RunningApart, apart
from tests.fixtures.wire import said

from ricordo_services.cli.app import run

__all__ = ["apart"]

pytestmark = pytest.mark.e2e


def test_a_bot_publishes_waits_and_recalls(
    apart: RunningApart, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "chat.jsonl"
    lines.write_text(json.dumps(said("cli-1", "Mia zia Ada vive a Trieste.", user_id="u-cli")) + "\n")
    bot = ("--nats", apart.users.url("bot-beta"), "--tenant", "beta")
    assert run([*bot, "publish", str(lines), "--wait"]) == 0
    capsys.readouterr()
    assert run([*bot, "recall", "Dove vive Ada?", "--user", "u-cli", "--json"]) == 0
    assert "Trieste" in capsys.readouterr().out


def test_a_bot_is_told_that_another_tenant_is_not_its_own(
    apart: RunningApart, capsys: pytest.CaptureFixture[str]
) -> None:
    url = apart.users.url("bot-beta")
    assert run(["--nats", url, "--tenant", "alpha", "recall", "x", "--user", "u-1"]) == 1
    assert "do not allow" in capsys.readouterr().err


def test_the_operator_looks_at_all(apart: RunningApart, capsys: pytest.CaptureFixture[str]) -> None:
    url = apart.users.url("operator")
    assert run(["--nats", url, "dlq", "list", "--json"]) == 0
    capsys.readouterr()
    run(["--nats", url, "doctor", "--json"])
    seen = capsys.readouterr().out
    assert "retrieval" in seen
    assert "does not answer" not in seen.partition("postgres")[0]


def test_the_doctor_says_what_a_bot_may_not_see(
    apart: RunningApart, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--nats", apart.users.url("bot-beta"), "--tenant", "beta", "doctor", "--json"]) in {0, 1}
    seen = capsys.readouterr().out
    assert "cannot be looked at with these credentials" in seen
    assert "are not told of to these credentials" in seen
    assert "does not answer" not in seen.partition("postgres")[0]
