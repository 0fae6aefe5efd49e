"""Bodies of bots: what is taken, and the precise reason for what is not."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.fixtures.examples import at_most
from tests.fixtures.sentence_tables import table

from ricordo.messages.codec import MessageOwner, decode, decode_as, encode, owner_of, readable_id
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.events import MessageReceived
from ricordo.messages.filters import Filters
from ricordo.messages.message_types import METADATA_MAX_BYTES, Message
from ricordo.messages.routing import CONTRACTS, ContractKind

SAID: dict[str, object] = {
    "id": "m-1",
    "user_id": "u-1",
    "conversation_id": "c-1",
    "role": "user",
    "content": "Ieri ho adottato un cane, si chiama Max!",
    "timestamp": "2026-02-01T14:30:00+01:00",
}
NAMES = sorted(CONTRACTS)
GOLDEN = Path(__file__).parent / "golden"


NAME = "must be 1 to 128 printable ASCII characters without spaces"
TOO_LONG = "must have at most 32,768 characters after NFC normalisation, not 40,000"


def said(**fields: object) -> bytes:
    return json.dumps(SAID | fields).encode()


def refusal(body: bytes, name: str = "message.received") -> tuple[str, str | None, str]:
    with pytest.raises(DecodeError) as caught:
        decode(name, body)
    return caught.value.code, caught.value.field, caught.value.message


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        *table(__file__, "a_wrong_field_is_named_with_its_reason"),
        ("id", "x" * 129, NAME),
        ("user_id", None, "must be a valid string"),
        ("content", "x" * 40_000, TOO_LONG),
        ("content", "a\x00b", "must not contain NUL characters"),
        ("speaker", "a\x00", "must not contain NUL characters"),
        ("speaker", "x" * 257, "must have at most 256 characters after NFC normalisation, not 257"),
        ("metadata", {"a": {"b": ["\x00"]}}, "must not contain NUL characters"),
        ("metadata", {"\x00": 1}, "must not contain NUL characters"),
        ("metadata", {"a": float("nan")}, "must not contain NaN or an infinity"),
        ("metadata", {"a": "x" * METADATA_MAX_BYTES}, "must take at most 16,384 bytes as JSON, not 16,393"),
        ("importance", float("nan"), "must be a finite number"),
        ("tags", ["a"] * 65, "must have at most 64 items, not 65"),
        ("refs", [{"type": "a", "id": "1"}] * 17, "must have at most 16 items, not 17"),
        ("user_id", "u" * 129, NAME),
        ("content", "\u0958" * 20_000, TOO_LONG),
    ],
)
def test_a_wrong_field_is_named_with_its_reason(field: str, value: object, reason: str) -> None:
    code, blamed, message = refusal(said(**{field: value}))
    assert (code, blamed) == (DeadLetterCode.INVALID, field)
    assert message == f"{field} {reason}"


@pytest.mark.parametrize("field", list(SAID))
def test_a_missing_field_is_named(field: str) -> None:
    body = json.dumps({key: value for key, value in SAID.items() if key != field}).encode()
    assert refusal(body) == (DeadLetterCode.INVALID, field, f"{field} is required")


def test_a_nested_field_is_named_by_its_path() -> None:
    assert refusal(said(tags=["a", 1]))[1] == "tags[1]"
    for field, ref in (("type", {"type": "Azienda", "id": "1"}), ("id", {"type": "a", "id": ""})):
        assert refusal(said(refs=[ref]))[1] == f"refs[0].{field}"
    document = {"name": "a.txt", "media_type": "text/plain"}
    for data, reason in (("not base64!", "be base64 without line breaks"), ("", "hold 1 to 8,388,608 bytes")):
        assert refusal(said(document=document | {"data": data}))[1:] == (
            "document.data",
            f"document.data must {reason}",
        )
    untyped = {"name": "a.txt", "media_type": "text", "data": "YQ=="}
    assert refusal(said(document=untyped))[1] == "document.media_type"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"not json",
        b'{"id": "\\ud800"}',
        b'{"id": "\xed\xa0\x80"}',
        b"[" * 100_000,
        b"1" * 5000,
    ],
    ids=["empty", "cut", "not utf-8", "words", "escaped surrogate", "raw surrogate", "deep", "huge number"],
)
def test_what_is_not_json_is_said_to_be_so(body: bytes) -> None:
    code, field, message = refusal(body)
    assert (code, field) == (DeadLetterCode.NOT_JSON, None)
    assert message.startswith("the body is not JSON: ")


@pytest.mark.parametrize("body", [b"[]", b"null", b'"text"', b"1"])
def test_what_is_no_object_is_said_to_be_so(body: bytes) -> None:
    assert refusal(body) == (DeadLetterCode.INVALID, None, "the body must be a JSON object")


def test_deep_metadata_is_refused_not_followed() -> None:
    deep: object = 1
    for _ in range(60):
        deep = [deep]
    assert refusal(said(metadata={"a": deep}))[2] == "metadata must not nest deeper than 32 levels"


def test_text_is_normalised_to_nfc_before_it_is_counted() -> None:
    message = decode_as(MessageReceived, said(content="e\u0300" * 32_768, speaker="Noe\u0300"))
    assert message.content == "è" * 32_768
    assert message.speaker == "Noè"


DEEP = b"[" * 100_000


@pytest.mark.parametrize(("text", "found"), table(__file__, "ids_of_unreadable_bodies"))
def test_the_id_of_an_unreadable_body_is_found_where_there_is_one(text: str, found: str) -> None:
    assert (readable_id(text.encode()) or "") == found
    assert readable_id(DEEP) is readable_id(b"\xff") is None


def read_or_refused(name: str, body: bytes) -> Message | DecodeError:
    try:
        return decode(name, body)
    except DecodeError as error:
        return error


@given(name=st.sampled_from(NAMES), body=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(name: str, body: bytes) -> None:
    found = read_or_refused(name, body)
    assert isinstance(found, Message) or found.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def payload_of(name: str, size: str = "full") -> dict[str, Any]:
    suffix = "" if CONTRACTS[name].kind is ContractKind.EVENT else ".request"
    (*_, latest) = sorted(GOLDEN.glob(f"v*/{name}{suffix}.{size}.json"))
    payload: dict[str, Any] = json.loads(latest.read_bytes())
    return payload


@settings(max_examples=at_most(300))
@given(name=st.sampled_from(NAMES), data=st.data())
def test_any_json_in_any_field_is_read_or_refused_by_its_name(name: str, data: st.DataObject) -> None:
    fields = CONTRACTS[name].body.model_fields
    field = data.draw(st.sampled_from(sorted(fields)))
    body = payload_of(name) | {field: data.draw(JSON)}
    found = read_or_refused(name, json.dumps(body).encode())
    if isinstance(found, Message):
        assert decode(name, encode(found)) == found
    else:
        assert found.code in (DeadLetterCode.INVALID, DeadLetterCode.NOT_JSON)
        assert found.field is None or found.field.split(".")[0].split("[")[0] in fields


NULL_MEANS_SOMETHING = {
    "command.identify": {"same"},
    "command.note": {"value"},
    "command.edit": {"expires_at"},
    "command.correct": {"valid_to"},
}


@settings(max_examples=at_most(300))
@given(name=st.sampled_from([each for each in NAMES if CONTRACTS[each].from_bots]), data=st.data())
def test_null_for_an_optional_field_is_its_absence_and_for_a_required_one_refused(
    name: str, data: st.DataObject
) -> None:
    schema: dict[str, Any] = CONTRACTS[name].body.model_json_schema()
    meant = NULL_MEANS_SOMETHING.get(name, set())
    required = set(schema.get("required", ())) - meant
    whole = payload_of(name, data.draw(st.sampled_from(["full", "minimal"])))

    def with_nulls(of: dict[str, Any], names: set[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        drawn = data.draw(st.sets(st.sampled_from(sorted(names)))) if names else set()
        kept = {key: value for key, value in of.items() if key not in drawn}
        return kept | dict.fromkeys(drawn), kept

    nulled, absent = with_nulls(whole, schema["properties"].keys() - required - meant)
    if absent.get("filters"):
        nulled["filters"], absent["filters"] = with_nulls(whole["filters"], set(Filters.model_fields))
    found, expected = (read_or_refused(name, json.dumps(each).encode()) for each in (nulled, absent))
    assert repr(found) == repr(expected)
    Draft202012Validator(schema).validate(nulled)
    for field in required:
        refused = read_or_refused(name, json.dumps(whole | {field: None}).encode())
        assert isinstance(refused, DecodeError)
        assert refused.field == field


_SAID = datetime(2026, 2, 1, 13, 30, tzinfo=UTC)


OWNERS = (
    (
        '{"user_id": "u-1", "conversation_id": "c-1", "timestamp": "2026-02-01T14:30:00+01:00"}',
        ("c-1", _SAID),
    ),
    *((text, (None, None)) for text in table(__file__, "of_a_user_alone")),
)


@pytest.mark.parametrize(("text", "place"), OWNERS)
def test_whose_words_a_message_holds_is_read_as_far_as_it_can_be(
    text: str, place: tuple[str | None, datetime | None]
) -> None:
    for name in ("received", "imported"):
        assert owner_of(f"memory.v1.acme.message.{name}", text.encode()) == MessageOwner("u-1", *place)


@pytest.mark.parametrize("body", [*map(str.encode, table(__file__, "of_nobody")), b"\xff", DEEP])
def test_what_names_no_user_is_of_nobody(body: bytes) -> None:
    assert owner_of("memory.v1.acme.message.received", body) is None
    assert owner_of("memory.v1.acme.message.imported", body) is None
