"""Exports of every service: who said what when, who is who, and what is no message and why."""

import json
import re
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.sentence_tables import tables
from tests.unit.importers.conftest import EXPORTS, Pack, Read

from ricordo_services.importers.archive import UnreadableExport
from ricordo_services.importers.entries import SkipReason

TABLES = tables(__file__)
REFUSED = TABLES.pop("refused")


@pytest.mark.parametrize("export", TABLES.values(), ids=TABLES)
def test_an_export_is_read(read: Read, pack: Pack, export: dict[str, Any]) -> None:
    path = export["path"]
    if packed := export.get("packed"):
        path = pack(path, {name: Path(file) for name, file in packed.items()} | export["beside"])
    found = read(export["service"], path)
    assert found.lines == list(export["lines"])
    for field, values in export.get("messages", {}).items():
        assert list(map(attrgetter(field), found.messages)) == list(values)
    for number, name in export.get("called", ()):
        assert found.messages[number].speaker.is_called({name})
    replies = {number: found.messages[to].key for number, to in export.get("replies", ())}
    assert {at: one.reply_to for at, one in enumerate(found.messages) if one.reply_to} == replies
    skips = {reason.name.lower(): places for reason, places in found.skips.items()}
    expected = export.get("skipped", {})
    assert {reason: len(places) for reason, places in skips.items()} == {
        reason: told if isinstance(told, int) else len(told) for reason, told in expected.items()
    }
    for reason, told in expected.items():
        for wanted, place in zip(() if isinstance(told, int) else told, skips[reason], strict=False):
            assert place == wanted or (wanted[-1] == "…" and place.startswith(wanted[:-1]))


DEEP = [(f"{one}/conversations.json", "[" * 100_000, "no JSON in UTF-8") for one in ("chatgpt", "claude")]


@pytest.mark.parametrize(("file", "text", "fault"), [*REFUSED, *DEEP])
def test_a_file_of_another_form_is_refused(
    read: Read, tmp_path: Path, file: str, text: str, fault: str
) -> None:
    service, name = file.split("/")
    (tmp_path / name).write_text(text)
    with pytest.raises(UnreadableExport, match=re.escape(fault)):
        read(service, tmp_path / name)


def test_nobody_is_taken_for_the_owner_where_the_other_did_not_write(read: Read, tmp_path: Path) -> None:
    chat = json.loads((EXPORTS / "telegram/result_chat_2018.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps(chat | {"id": 1}))
    assert not any(one.own for one in read("telegram", tmp_path / "result.json").messages)


def test_a_broken_day_of_slack_is_skipped_alone(read: Read, pack: Pack) -> None:
    message = {"type": "message", "user": "U1", "text": "Hello.", "ts": "1704445200.000100"}
    days = {"05": [message], "06": "[{", "07": {"a": 1}, "08": [message | {"ts": "1704704400.0"}]}
    found = read("slack", pack("s.zip", {f"general/2024-01-{day}.json": each for day, each in days.items()}))
    assert [f"{one.sent_at:%d}" for one in found.messages] == ["05", "08"]
    broken, other = found.skips[SkipReason.MALFORMED]
    assert broken.startswith("s.zip: general/2024-01-06.json line 1, character 3 is no JSON")
    assert other == "s.zip: general/2024-01-07.json is no list of messages"


def test_malformed_conversations_hold_up_no_others(read: Read, tmp_path: Path) -> None:
    (good,) = json.loads((EXPORTS / "chatgpt/conversations-000.json").read_text())
    circle = {"id": "x", "mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a"}
    no_author = {"id": "x", "mapping": {"a": {"message": {"author": 3}}}}
    bad: list[object] = [None, 7, {"mapping": []}, no_author, circle]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([*bad, good]))
    found = read("chatgpt", path)
    assert len(found.messages) == 3
    faults = found.skips[SkipReason.MALFORMED]
    assert faults[0] == faults[1].replace("[1]", "[0]")  # in our words, not in those of Python
    assert faults[1] == "conversations.json, [1] is not of the shape that the service writes"
    places = [place.split()[1] for place in faults]
    assert places == ["[0]", "[1]", "[2]", "[3].mapping.a", "[4]"]


def test_a_message_of_chatgpt_with_a_broken_date_is_skipped_alone(read: Read, tmp_path: Path) -> None:
    (conversation,) = json.loads((EXPORTS / "chatgpt/conversations-000.json").read_text())
    before = read("chatgpt", "conversations-000.json").messages
    node = before[1].place.rpartition(".")[2]
    path = tmp_path / "conversations-000.json"
    for broken in ("yesterday", ["now"], 1e300):
        conversation["mapping"][node]["message"]["create_time"] = broken
        path.write_text(json.dumps([conversation]))
        found = read("chatgpt", path)
        assert [one.text for one in found.messages] == [before[0].text, before[2].text]
        assert [place.split()[1] for place in found.skips[SkipReason.MALFORMED]] == [f"[0].mapping.{node}"]


GOOD = {"id": 1, "type": "message", "date": "2024-01-05T09:00:00", "from_id": "user1", "text": "Hello."} | {
    "uuid": "m-1", "sender": "human", "created_at": "2024-01-05T09:00:00Z"
}  # fmt: skip
BROKEN = [GOOD, "broken", None]


@pytest.mark.parametrize(
    ("service", "name", "document"),
    [
        ("telegram", "result.json", {"id": 2, "type": "personal_chat", "name": "Nora", "messages": BROKEN}),
        ("claude", "conversations.json", [{"uuid": "c-1", "chat_messages": BROKEN}]),
    ],
)
def test_a_malformed_message_is_skipped_alone(
    read: Read, tmp_path: Path, service: str, name: str, document: object
) -> None:
    (tmp_path / name).write_text(json.dumps(document))
    found = read(service, tmp_path / name)
    assert [one.text for one in found.messages] == ["Hello."]
    assert len(found.skips[SkipReason.MALFORMED]) == 2
