"""Telegram, Slack and Discord: who is who, threads, edits, media without text, bots and system lines."""

import json
from pathlib import Path

import pytest
from tests.unit.importers.conftest import EXPORTS, Pack, Parsed, Read

from ricordo_services.importers.archive import UnreadableExport
from ricordo_services.importers.past_message import SkipReason

SYSTEM, NO_TEXT, MALFORMED = SkipReason.SYSTEM, SkipReason.NO_TEXT, SkipReason.MALFORMED


def counts(found: Parsed) -> dict[SkipReason, int]:
    return {reason: len(places) for reason, places in found.skips.items()}


def test_a_chat_of_telegram_of_2018_has_local_times_and_numbers(read: Read) -> None:
    found = read("telegram", "result_chat_2018.json")
    assert found.lines == [
        ("2018-12-01 08:01", "Nora Bianchi", "Mi sono trasferita a Dublino"),
        ("2018-12-01 08:02", "Davide", "Guarda https://example.org e scrivimi"),
        ("2018-12-01 08:05", "Nora Bianchi", "Il porto"),
    ]
    assert [(one.speaker.key, one.own) for one in found.messages[:2]] == [
        ("user4111222333", False),  # the chat has the id of the other person
        ("user4999", True),
    ]
    assert found.messages[1].reply_to == found.messages[0].key
    place = "result_chat_2018.json, messages"
    assert found.skips == {
        SYSTEM: [f"{place}[0]"],
        NO_TEXT: [f"{place}[3]"],
        MALFORMED: [f"{place}[5] has no 'date'"],
    }


def test_an_account_of_telegram_says_who_its_owner_is(read: Read) -> None:
    found = read("telegram", "result_account_2025.json")
    assert [(one.title, one.speaker.name, one.role, one.own, one.text) for one in found.messages] == [
        ("Trip", "Davide", "user", True, "When do we leave?"),
        ("Trip", "Deleted Account", "user", False, "On Friday"),
        ("Weather", "Davide", "user", True, "Will it rain?"),
        ("Weather", "Weather", "assistant", True, "No, sun all day."),
        ("saved_messages", "Davide", "user", True, "The door code is 7713"),
    ]
    assert found.lines[0][0] == "2025-05-04 08:00"
    assert counts(found) == {SYSTEM: 1, NO_TEXT: 1, MALFORMED: 1}
    assert found.skips[MALFORMED] == ["result_account_2025.json, left_chats.list[0] has no 'messages'"]


def test_nobody_is_taken_for_the_owner_where_the_other_did_not_write(read: Read, tmp_path: Path) -> None:
    chat = json.loads((EXPORTS / "telegram/result_chat_2018.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps(chat | {"id": 1}))
    assert not any(one.own for one in read("telegram", tmp_path / "result.json").messages)


def test_a_workspace_of_slack(read: Read) -> None:
    found = read("slack", "official")
    assert [(one.title, one.speaker.name, one.text) for one in found.messages] == [
        ("Davide, Nora Bianchi", "Nora Bianchi", "Happy birthday!"),
        (
            "#general",
            "Davide",
            "Lunch & talk on #random? @Nora Bianchi, see the menu (https://example.org/menu) and https://example.org",
        ),
        ("#general, a thread", "Nora Bianchi", "I am vegetarian @here"),
        ("#general", "ugo", "a guest"),
    ]
    keys = [one.conversation for one in found.messages]
    assert keys == ["D1", "C1", "C1 1704445210.000200", "C1"]
    assert found.lines[2][0] == "2024-01-05 09:01"
    assert counts(found) == {SYSTEM: 1, SkipReason.BOT: 2, SkipReason.DELETED: 1, NO_TEXT: 1, MALFORMED: 1}
    assert found.skips[MALFORMED] == ["official: general/2024-01-05.json, [8] has no 'ts'"]
    for name in ("davide", "Davide Rossi", "DAVIDE@example.org", "U1"):
        assert found.messages[1].speaker.is_called({name.casefold()})


def test_a_broken_day_of_slack_is_skipped_alone(read: Read, pack: Pack) -> None:
    message = {"type": "message", "user": "U1", "text": "Hello.", "ts": "1704445200.000100"}
    days: dict[str, object] = {
        "05": [message],
        "06": "[{",
        "07": {"a": 1},
        "08": [message | {"ts": "1704704400.0"}],
    }
    found = read("slack", pack("s.zip", {f"general/2024-01-{day}.json": each for day, each in days.items()}))
    assert [f"{one.sent_at:%d}" for one in found.messages] == ["05", "08"]
    place = "s.zip: general/2024-01-"
    assert [
        one.startswith(f"{place}06.json line 1, character 3 is no JSON") for one in found.skips[MALFORMED]
    ]
    assert found.skips[MALFORMED][1] == f"{place}07.json is no list of messages"


def test_a_workspace_of_slackdump(read: Read) -> None:
    found = read("slack", "slackdump")
    assert [(one.conversation, one.title, one.text) for one in found.messages] == [
        ("G1", "Davide, Nora", "Shall we?"),
        ("G2 1738400000.000100", "#secret, a thread", "The plan"),
    ]


def test_a_channel_of_discord_by_discordchatexporter(read: Read) -> None:
    found = read("discord", "channel.json")
    assert found.lines == [
        ("2024-01-05 09:01", "Nora", "My basil dies :sob:"),
        ("2024-01-05 09:03", "davide", "@Nora water it"),
    ]
    assert {one.title for one in found.messages} == {"Garden / plants"}
    assert found.messages[1].reply_to == found.messages[0].key
    assert found.messages[0].speaker.is_called({"nora_b"})
    assert counts(found) == {SYSTEM: 1, NO_TEXT: 1, SkipReason.BOT: 1, MALFORMED: 1}
    assert found.skips[MALFORMED][0].startswith("channel.json, messages[5] is malformed")
    assert [one.title for one in read("discord", "thread.json").messages] == ["Direct Messages / nora_b"]


def test_the_package_of_discord_of_2025_in_italian(read: Read) -> None:
    found = read("discord", "package_2025")
    assert [(one.title, one.speaker.name, one.own, one.text) for one in found.messages] == [
        ("plants in Garden", "Davide", True, "@Nora water it :leaf:"),
        ("channel 400", "Davide", True, "Hello"),
    ]
    assert found.lines[0][0] == "2024-01-05 09:03"
    (exported,) = [one for one in read("discord", "channel.json").messages if one.key == "903"]
    assert (found.messages[0].conversation, found.messages[0].key) == (exported.conversation, exported.key)
    assert counts(found) == {NO_TEXT: 1, MALFORMED: 1}


def test_the_package_of_discord_of_2020_in_csv(read: Read) -> None:
    found = read("discord", "package_2020")
    assert found.lines == [("2020-08-25 22:54", "davide", 'Two lines,\nand "quotes"')]
    assert found.messages[0].title == "general"
    place = "package_2020: messages/464051583559139340/messages.csv, line"
    assert found.skips[NO_TEXT] == [f"{place} 4"]
    assert found.skips[MALFORMED][0].startswith(f"{place} 5 is malformed")


@pytest.mark.parametrize(
    ("service", "content", "fault"),
    [
        ("telegram", {"frames": []}, "has neither messages nor chats"),
        ("telegram", {"chats": [1]}, "does not have the form of an export of telegram"),
        ("slack", [], "contains no folder of a channel"),
        ("discord", [], "has no channel and messages"),
        ("discord", {"channel": {}, "messages": 7}, "does not have the form of an export of discord"),
    ],
)
def test_a_file_of_another_form_is_refused(
    read: Read, tmp_path: Path, service: str, content: object, fault: str
) -> None:
    (tmp_path / "result.json").write_text(json.dumps(content))
    with pytest.raises(UnreadableExport, match=fault):
        read(service, tmp_path / "result.json")


def test_a_malformed_message_of_telegram_is_skipped_alone(read: Read, tmp_path: Path) -> None:
    good = {"id": 1, "type": "message", "date": "2024-01-05T09:00:00", "from_id": "user1", "text": "Hello."}
    chat = {"id": 2, "type": "personal_chat", "name": "Nora", "messages": [good, "broken", None]}
    (tmp_path / "result.json").write_text(json.dumps(chat))
    found = read("telegram", tmp_path / "result.json")
    assert [one.text for one in found.messages] == ["Hello."]
    assert len(found.skips[MALFORMED]) == 2
