"""`ricordo auth` keeps a folder of users: passwords in files of their own, hashes for the server."""

import json
import re
import shlex
import stat
from collections.abc import Callable
from pathlib import Path

import bcrypt
import pytest
from tests.fixtures.sentence_tables import table

from ricordo.messages.routing import WORKERS
from ricordo_services.cli.application import run
from ricordo_services.stack import nats_access

ROOT = Path(__file__).parents[3]
Auth = Callable[..., int]
EVERYBODY = {"operator", "worker-gateway", *(f"worker-{worker}" for worker in WORKERS)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "users"


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats_access, "_COST", 4)  # the least that bcrypt takes


@pytest.fixture
def auth(folder: Path) -> Auth:
    def call(*arguments: str) -> int:
        return run(["auth", *arguments, "--out", str(folder)])

    return call


def password(folder: Path, user: str) -> str:
    found = re.search(rf"//{re.escape(user)}:([\w-]+)@", (folder / f"{user}.env").read_text())
    assert found is not None
    return found[1]


def hashes(folder: Path) -> dict[str, str]:
    return {one["name"]: one["hash"] for one in json.loads((folder / "users.json").read_text())["users"]}


def test_each_user_gets_a_password_of_its_own_that_only_a_hash_of_is_told(auth: Auth, folder: Path) -> None:
    assert auth("server", "--tenant", "acme", "--tenant", "beta") == 0
    known = hashes(folder)
    assert known.keys() == EVERYBODY | {"bot-acme", "bot-beta"}
    drawn = {user: password(folder, user) for user in known}
    assert len(set(drawn.values())) == len(drawn)
    assert all(len(one) >= 32 for one in drawn.values())
    told = (folder / "ricordo-users.conf").read_text() + (folder / "users.json").read_text()
    for user, secret in drawn.items():
        assert bcrypt.checkpw(secret.encode(), known[user].encode())
        assert known[user] in told
        assert secret not in told


def test_nobody_else_may_look_at_any_file(auth: Auth, folder: Path) -> None:
    assert auth("server", "--tenant", "acme") == 0
    assert auth("rotate", "bot-acme") == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_run_again_it_changes_nothing_and_adds_what_is_missing(auth: Auth, folder: Path) -> None:
    assert auth("server", "--tenant", "acme") == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert auth("server", "--tenant", "acme") == 0
    assert auth("add-bot", "acme") == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "bot-acme.env").unlink()  # its owner has it now
    assert auth("server", "--tenant", "beta") == 0
    assert not (folder / "bot-acme.env").exists()
    assert hashes(folder).keys() == EVERYBODY | {"bot-acme", "bot-beta"}


def test_workers_are_told_their_inbox_and_bots_the_address_alone(auth: Auth, folder: Path) -> None:
    assert auth("server", "--tenant", "acme", "--address", "nats://bus.example:4223") == 0
    ingest = (folder / "worker-ingest.env").read_text().splitlines()
    assert [line.partition("=")[0] for line in ingest] == ["RICORDO_BUS__URL", "RICORDO_BUS__INBOX_PREFIX"]
    assert ingest[1] == "RICORDO_BUS__INBOX_PREFIX=_INBOX_WORKER_ingest"
    (bot,) = (folder / "bot-acme.env").read_text().splitlines()
    assert re.fullmatch(r"RICORDO_NATS_URL=nats://bot-acme:[\w-]+@bus\.example:4223", bot)


def test_a_password_shown_is_kept_nowhere(
    auth: Auth, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert auth("server") == 0
    capsys.readouterr()
    assert auth("add-bot", "acme", "--name", "telegram", "--show") == 0
    shown = capsys.readouterr().out
    found = re.fullmatch(r"RICORDO_NATS_URL=nats://bot-acme\.telegram:([\w-]+)@127\.0\.0\.1:4222\n", shown)
    assert found is not None
    assert not (folder / "bot-acme.telegram.env").exists()
    assert bcrypt.checkpw(found[1].encode(), hashes(folder)["bot-acme.telegram"].encode())
    assert all(found[1] not in path.read_text() for path in folder.iterdir())
    assert auth("add-bot", "acme", "--name", "telegram", "--show") == 0
    again = capsys.readouterr()
    assert again.out == ""
    assert "no password changed" in again.err


def test_rotating_changes_the_named_and_nobody_else(auth: Auth, folder: Path) -> None:
    assert auth("server", "--tenant", "acme") == 0
    before, former = hashes(folder), password(folder, "worker-ingest")
    assert auth("rotate", "worker-ingest") == 0
    after = hashes(folder)
    assert {user for user in before if before[user] != after[user]} == {"worker-ingest"}
    assert password(folder, "worker-ingest") != former
    assert auth("rotate", "--all") == 0
    assert all(after[user] != new for user, new in hashes(folder).items())


REFUSED = table(__file__, "refused")


def test_what_cannot_be_is_said_and_changes_nothing(
    auth: Auth, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert auth("server") == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    for typed, code, says in REFUSED:
        assert auth(*shlex.split(typed)) == code, typed
        assert says in " ".join(capsys.readouterr().err.split())
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_examples_of_the_operations_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(ricordo auth .*?)```", page, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for line in block.replace("\\\n", " ").splitlines():
        assert run(shlex.split(line, comments=True)[1:]) == 0, line
    assert hashes(tmp_path / "users").keys() == EVERYBODY | {"bot-acme", "bot-beta"}


def test_users_that_were_lost_are_not_made_anew_by_mistake(
    auth: Auth, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert auth("add-bot", "acme") == 1
    assert "holds no users" in capsys.readouterr().err
    assert auth("server") == 0
    (folder / "users.json").write_text("{")
    assert auth("server") == 1
    assert "cannot be read" in capsys.readouterr().err
    (folder / "users.json").unlink()
    assert auth("server") == 1
    assert "is missing beside" in capsys.readouterr().err
