"""ChatGPT and Claude: the branch that was kept, roles, and what is no message."""

import json
import re
from pathlib import Path

import pytest
from tests.unit.importers.conftest import EXPORTS, Pack, Read

from ricordo_services.importers.archive import UnreadableExport
from ricordo_services.importers.past_message import SkipReason


def test_chatgpt_keeps_the_branch_that_was_kept(read: Read) -> None:
    found = read("chatgpt", "conversations.json")
    assert found.lines == [
        ("2024-01-05 09:00", "user", "How do I make pesto? I am allergic to walnuts."),
        ("2024-01-05 09:00", "ChatGPT", "Use pine nuts instead."),
    ]
    assert [(one.role, one.own, one.title) for one in found.messages] == [
        ("user", True, "Pesto without walnuts"),
        ("assistant", True, "Pesto without walnuts"),
    ]
    place = "conversations.json, [0].mapping"
    assert found.skips == {
        SkipReason.OTHER_VERSION: [f"{place}.q-old", f"{place}.a-old"],
        SkipReason.SYSTEM: [f"{place}.sys-1"],
        SkipReason.TOOL: [f"{place}.tool-1", f"{place}.tool-2"],
        SkipReason.MALFORMED: ["conversations.json, [1] has no 'mapping'"],
    }


def test_chatgpt_in_several_files_with_pictures_and_voice(read: Read, pack: Pack) -> None:
    names = ("conversations-000.json", "conversations-001.json")
    path = pack("export.zip", {**{name: Path("chatgpt") / name for name in names}, "user.json": {"id": "u"}})
    found = read("chatgpt", path)
    assert found.lines == [
        ("2025-11-01 12:00", "user", "This is my dog Max."),
        ("2025-11-01 12:00", "user", "He is three years old."),
        ("2025-11-01 12:00", "ChatGPT", "What a fine dog!"),
    ]
    place = "export.zip: conversations-000.json, [0].mapping"
    assert found.skips == {
        SkipReason.TOOL: [f"{place}.ctx", f"{place}.thought"],
        SkipReason.NO_TEXT: [f"{place}.pic"],
    }


def test_claude_of_2024_and_of_2025(read: Read) -> None:
    former = read("claude", "conversations_2024.json")
    assert former.lines == [
        ("2024-03-02 09:00", "user", "We leave for Trieste on Friday."),
        ("2024-03-02 09:00", "Claude", "Take the train along the coast."),
    ]
    place = "conversations_2024.json, [0].chat_messages"
    assert former.skips == {
        SkipReason.NO_TEXT: [f"{place}[2]"],
        SkipReason.MALFORMED: [f"{place}[3] has no 'created_at'"],
    }
    found = read("claude", "conversations_2025.json")
    assert [line[1:] for line in found.lines] == [
        ("user", "My sister Nora lives in Dublin."),
        ("Claude", "Dublin is\nby the sea."),
    ]
    place = "conversations_2025.json, [0].chat_messages"
    assert found.skips == {SkipReason.OTHER_VERSION: [f"{place}[1]"], SkipReason.TOOL: [f"{place}[3]"]}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[{"title": "x",\n  "id": ]', "conversations.json, line 2, character 9 is no JSON"),
        ('{"uuid": "x"}', "is no list of conversations"),
        ("[" * 100_000, "is no JSON in UTF-8"),
    ],
)
@pytest.mark.parametrize("service", ["chatgpt", "claude"])
def test_a_file_of_another_form_is_refused(
    read: Read, tmp_path: Path, service: str, text: str, fault: str
) -> None:
    (tmp_path / "conversations.json").write_text(text)
    with pytest.raises(UnreadableExport, match=re.escape(fault)):
        read(service, tmp_path / "conversations.json")


def test_malformed_conversations_hold_up_no_others(read: Read, tmp_path: Path) -> None:
    (good,) = json.loads((EXPORTS / "chatgpt/conversations-000.json").read_text())
    circle = {
        "id": "x",
        "mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}},
        "current_node": "a",
    }
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


def test_an_export_of_the_other_assistant_is_refused(read: Read, tmp_path: Path) -> None:
    for service, field, other in (("chatgpt", "chat_messages", "claude"), ("claude", "mapping", "chatgpt")):
        (tmp_path / "conversations.json").write_text(json.dumps([{field: []}]))
        with pytest.raises(UnreadableExport, match=f"--from {other}"):
            read(service, tmp_path / "conversations.json")


def test_a_malformed_message_of_claude_is_skipped_alone(read: Read, tmp_path: Path) -> None:
    good = {"uuid": "m-1", "sender": "human", "text": "Hello.", "created_at": "2024-01-05T09:00:00Z"}
    conversation = {"uuid": "c-1", "chat_messages": [good, "broken", 7]}
    (tmp_path / "conversations.json").write_text(json.dumps([conversation]))
    found = read("claude", tmp_path / "conversations.json")
    assert [one.text for one in found.messages] == ["Hello."]
    assert len(found.skips[SkipReason.MALFORMED]) == 2
