"""A backup is all there is; and what was forgotten since it was made stays forgotten."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any, Final

import nats
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, line, to_lines, until, up
from tests.fixtures.wire import Bot, wait_for

pytestmark = [pytest.mark.timeout(400), pytest.mark.slow]

SECRET: Final = "My sister Nora moved to Dublin, the code of her door is K77X13."
STORY: Final = tuple(
    line("u", number, content, conversation_id=conversation)
    for number, (conversation, content) in enumerate(
        (
            ("c-1", "My name is Carla and I live in Turin."),
            ("c-1", SECRET),
            ("c-1", "I have a dog called Biscuit."),
            ("c-2", "Biscuit ate the code of the dishwasher."),
            ("c-3", "I told Rossi what the doctor said."),
        ),
        1,
    )
)
LEFT: Final = {"u-1", "u-3", "u-4"}


def test_all_comes_back_but_what_was_forgotten_since(tmp_path: Path) -> None:
    here = Ricordo(tmp_path / "home")
    here.home.mkdir()
    file, forgotten = tmp_path / "memory.tar.gz", tmp_path / "forgotten.jsonl"
    with up(here) as stack:
        assert here.publish(to_lines(*STORY), "--wait")["remembered"] == len(STORY)
        before = _told(here)
        assert "already running" in here("backup", str(file), code=1)
        assert not file.exists()
        assert stack.stop() == 0
    assert "contains memories and passwords" in here("backup", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "exists: name another file" in here("backup", str(file), code=1)

    with up(here) as stack:
        asyncio.run(_forget(stack.ready["nats"], {"message_id": "u-2"}, {"conversation_id": "c-3"}))
        here("forgotten", "save", str(forgotten))
        assert "already running" in here("restore", str(file), "--force", code=1)
        assert stack.stop() == 0
    assert SECRET not in forgotten.read_text()
    assert stat.S_IMODE(forgotten.stat().st_mode) == 0o600
    assert "--force" in here("restore", str(file), code=1)
    assert here.json("restore", str(file), "--force")["forgotten_again"] == 2
    _stays_forgotten(here, before)

    forgotten.with_suffix(".txt").write_text("What I have to buy: figs.")
    assert "is not a list" in here("forgotten", "save", str(forgotten.with_suffix(".txt")), code=1)
    damaged, nowhere = tmp_path / "damaged.tar.gz", Ricordo(tmp_path / "nowhere")
    damaged.write_bytes(file.read_bytes()[:-5_000])
    assert "nothing was changed" in nowhere("restore", str(damaged), code=1)
    assert not nowhere.data_dir.exists()

    elsewhere = Ricordo(tmp_path / "elsewhere")
    assert elsewhere.json("restore", str(file))["forgotten_again"] == 0
    (elsewhere.data_dir / "secrets.json").unlink()  # what was forgotten there cannot be read
    assert "would come back" in elsewhere("restore", str(file), "--force", code=1)
    again = elsewhere.json("restore", str(file), "--force", "--forgotten", str(forgotten))
    assert again["forgotten_again"] == 2
    assert "0 of 4 " in elsewhere("forgotten", "apply", str(forgotten))  # they stand already
    _stays_forgotten(elsewhere, before)


def _stays_forgotten(ricordo: Ricordo, before: dict[str, Any]) -> None:
    """Nothing of it is anywhere, nor comes back when it is said again; all else is as it was."""
    with up(ricordo) as stack:
        until(lambda: ricordo.json("status", "u-2")["state"] == "unknown")
        until(lambda: ricordo.json("status", "u-5")["state"] == "unknown")
        again = ricordo.publish(to_lines(*STORY), "--wait", code=1)
        assert {one["id"]: one["message"].partition(":")[0] for one in again["faults"]} == {
            "u-2": "forgotten",
            "u-5": "forgotten",
        }
        told = _told(ricordo)
        assert "K77X13" not in json.dumps(told)
        assert "Nora" not in json.dumps(told)
        assert "Rossi" not in json.dumps(told)
        assert [one for one in told["history"] if one[0] in LEFT] == told["history"]
        assert told["history"] == [one for one in before["history"] if one[0] in LEFT]
        assert set(told["recall"]) == LEFT
        assert stack.stop() == 0


async def _forget(url: str, *what: dict[str, str]) -> None:
    async with await nats.connect(url) as connection:
        bot = Bot(connection, "default")
        for number, one in enumerate(what):  # asked again where the erasure is under way, on a busy machine
            request = {"user_id": "u", "request_id": f"r-{number}", **one}
            await wait_for(
                lambda request=request: bot.request("command.forget", request),  # type: ignore[misc]  # default argument
                lambda reply: reply.body.get("ok"),
            )


def _told(ricordo: Ricordo) -> dict[str, Any]:
    """Return what is recalled, with scores, and all of the history and the facts."""
    user = ("--user", "u")
    asking = ("--no-reinforce", "--now", "2026-06-01T10:00:00Z", "--limit", "50")
    recall = ricordo.json("recall", "the code of the dishwasher", *user, *asking)["memories"]
    facts = ricordo.json("facts", *user)["facts"]
    history = ricordo.json("history", *user, "--limit", "100")["messages"]
    return {
        "recall": {one["message_ids"][0]: one["score"] for one in recall},
        "facts": sorted((one["subject"], one["predicate"], one["object"]) for one in facts),
        "history": [[one["id"], one["content"]] for one in history],
    }
