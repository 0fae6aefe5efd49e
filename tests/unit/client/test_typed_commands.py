"""What the command line asks for, and what it shows of the reply."""

import io
import json
import shlex
import sys
from datetime import UTC, datetime

import pytest
from nats.aio.msg import Msg
from tests.fixtures.sentence_tables import table
from tests.unit.client.conftest import Ricordo, Worker

from ricordo.messages.commands import Erased, ForgetReply
from ricordo.messages.listings import UsersReply, UserView

IDS = {
    "FACT": "77e9b1a8-263f-5c50-84ce-3e85a5b925a5",
    "MEMORY": "47b5ef90-e7b7-56be-9896-dcb1dd467f99",
    "RECALL": "49ea8693-df48-462b-bcf1-825de507cfa4",
}


@pytest.mark.parametrize("row", table(__file__, "typed"), ids=lambda row: row[0])
async def test_what_is_typed_is_asked_for(ricordo: Ricordo, worker: Worker, row: tuple[str, ...]) -> None:
    for name, value in IDS.items():
        row = tuple(text.replace(name, value) for text in row)
    typed, command, fields, reply, shown = row
    asked = await worker.answer(command, lambda _: reply.encode())
    ended = await ricordo(*shlex.split(typed), "--user", "u-1")
    assert (ended.code, ended.out + ended.err) == (0, f"{shown}\n")
    (request,) = asked
    assert json.loads(request.data).items() >= {"user_id": "u-1", **json.loads(fields)}.items()


async def test_all_pages_are_shown(ricordo: Ricordo, worker: Worker) -> None:
    def page(request: Msg) -> UsersReply:
        cursor = json.loads(request.data).get("cursor")
        counts = {"memories": 2, "messages": 1, "archived": 0}
        user = UserView.model_validate(
            {"user_id": cursor or "ada", "last_activity": datetime.now(UTC), **counts}
        )
        return UsersReply(users=(user,), next=None if cursor else "bea")

    await worker.answer("query.users", page)
    (first,) = (await ricordo("users", "--limit", "1")).lines
    assert first.startswith("ada  2 memories, 1 message, last active ")
    assert [line.split()[0] for line in (await ricordo("users", "--all")).lines] == ["ada", "bea"]


@pytest.mark.parametrize(("answer", "erased"), [("n", False), ("y", True)])
async def test_a_person_is_asked_before_anything_is_erased(
    ricordo: Ricordo, worker: Worker, monkeypatch: pytest.MonkeyPatch, answer: str, *, erased: bool
) -> None:
    terminal = io.StringIO(f"{answer}\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    asked = await worker.answer("command.forget", ForgetReply(erased=Erased(rows=2)))
    ended = await ricordo("forget", "--user", "dora")
    assert "ALL DATA of dora in the tenant acme" in ended.err
    assert (ended.code, len(asked)) == ((0, 1) if erased else (1, 0))
    assert ("nothing was forgotten" in ended.err) != erased
