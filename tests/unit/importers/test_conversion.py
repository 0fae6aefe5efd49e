"""Messages of the past as messages of the contract: users, ids, long texts."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.importers.conftest import EXPORTS, Read

from ricordo.messages.codec import decode_as
from ricordo.messages.events import MessageReceived
from ricordo.messages.message_types import CONTENT_MAX_CHARS
from ricordo_services.importers.conversion import Conversion, text_parts
from ricordo_services.importers.entries import PastMessage, Speaker

CONVERSION = Conversion("whatsapp", "davide", frozenset({"davide rossi"}), "davide:whatsapp:", "Europe/Rome")


def message(
    key: str = "k-1", text: str = "hello", name: str = "Nora", reply_to: str | None = None
) -> PastMessage:
    return PastMessage(
        conversation="Nora",
        title="Nora",
        key=key,
        place="x, line 1",
        text=text,
        sent_at=datetime(2024, 1, 5, 14, 4, tzinfo=UTC),
        speaker=Speaker(name, name),
        reply_to=reply_to,
    )


def bodies(past: PastMessage, conversion: Conversion = CONVERSION) -> list[dict[str, Any]]:
    found = list(conversion.bodies(past))
    assert all(decode_as(MessageReceived, body) for body in found)
    return [json.loads(body) for body in found]


def paths() -> list[tuple[str, str]]:
    nested = {"slack": "*", "discord": "[ct]*.json", "whatsapp": "*h*at*.txt"}
    found = [
        (folder.name, path.name)
        for folder in sorted(EXPORTS.iterdir())
        for path in sorted(folder.glob(nested.get(folder.name, "*")))
        if path.name not in ("_chat.txt", "conversations-001.json")
    ]
    return [*found, ("discord", "package_2020"), ("discord", "package_2025")]


@pytest.mark.parametrize(("service", "path"), paths())
def test_every_export_gives_valid_messages_and_the_same_again(read: Read, service: str, path: str) -> None:
    conversion = Conversion(service, "davide", frozenset({"davide"}), f"davide:{service}:")
    first, again = (
        [body for one in read(service, path).messages for body in bodies(one, conversion)] for _ in range(2)
    )
    assert first == again
    assert len({body["id"] for body in first}) == len(first) > 0


def test_the_user_and_the_others_are_different_users() -> None:
    (other,) = bodies(message(reply_to="k-0"))
    (own,) = bodies(message(key="k-0", name="Davide Rossi"))
    assert (other["user_id"], other["speaker"]) == ("davide:whatsapp:nora", "Nora")
    assert (own["user_id"], own["speaker"]) == ("davide", "Davide Rossi")
    assert other["conversation_id"] == own["conversation_id"]
    assert other["timezone"] == "Europe/Rome"
    assert other["metadata"] == {"service": "whatsapp", "conversation": "Nora", "reply_to": own["id"]}


ENDS = {"Nora Bianchi": "nora-bianchi", "+39 333 1234567": "+39-333-1234567", "Nicolò": "nicolo-", "李雷": ""}


@pytest.mark.parametrize(
    ("name", "ends"), [*ENDS.items(), ("nora@example.org", "nora@example.org"), ("x" * 300, "x" * 48)]
)
def test_a_user_id_is_readable_and_of_one_name(name: str, ends: str) -> None:
    found = CONVERSION.speaker_id(Speaker(name, name))
    assert found.startswith(f"davide:whatsapp:{ends}")
    assert found.isascii()
    assert len(found) < 100
    assert found != CONVERSION.speaker_id(Speaker(f"{name}!", name))


def test_a_user_id_of_a_long_prefix_is_valid_and_of_one_name() -> None:
    conversion = Conversion("mbox", "d", frozenset(), "d" * 120)
    found = {conversion.speaker_id(Speaker(name, name)) for name in ("nora@example.org", "ugo@example.org")}
    assert {len(one) for one in found} == {123}
    assert len(found) == 2


def test_two_importers_of_one_chat_share_no_id() -> None:
    other = Conversion("whatsapp", "nora", frozenset(), "nora:whatsapp:")
    (mine,), (theirs,) = bodies(message()), bodies(message(), other)
    for field in ("id", "conversation_id", "user_id"):
        assert mine[field] != theirs[field]


@given(st.lists(st.text("a \n\u0301é", min_size=1, max_size=9000), min_size=1, max_size=12))
def test_a_long_text_is_cut_into_parts_that_are_whole(pieces: list[str]) -> None:
    text = " ".join(pieces)
    parts = text_parts(text)
    assert all(0 < len(part) <= CONTENT_MAX_CHARS and part.strip() for part in parts)
    assert len(parts) <= 1 + 2 * len(text) // CONTENT_MAX_CHARS


def test_the_parts_of_a_text_have_ids_and_an_order_of_their_own() -> None:
    words = "word " * 20_000
    found = bodies(message(text=f"{words}\x00\ud800"))
    assert len({one["id"] for one in found}) == len(found) == 4
    assert found[0]["id"] == bodies(message())[0]["id"]
    times = [datetime.fromisoformat(one["timestamp"]) for one in found]
    assert times == sorted(set(times))
    assert " ".join(one["content"] for one in found) == words + 2 * "\N{REPLACEMENT CHARACTER}"
