"""Instants, and requests: defaults, ranges, and rules across fields."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError
from tests.fixtures.sentence_tables import table

from ricordo.messages import queries
from ricordo.messages.codec import decode, decode_as
from ricordo.messages.errors import DecodeError, ErrorCode
from ricordo.messages.message_types import (
    format_instant,
    format_local_instant,
    parse_instant,
    parse_local_instant,
)

ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES)  # noqa: DTZ001 - hypothesis wants naive ends


@given(INSTANTS)
def test_writing_and_reading_keeps_the_instant(instant: datetime) -> None:
    text = format_instant(instant)
    assert text.endswith("Z")
    assert parse_instant(text) == instant


@given(INSTANTS)
def test_any_offset_is_read(instant: datetime) -> None:
    read = parse_instant(instant.isoformat())
    assert read == instant
    assert read.tzinfo is UTC
    local = parse_local_instant(instant.isoformat())
    assert (local, local.utcoffset()) == (instant, instant.utcoffset())
    assert parse_local_instant(format_local_instant(local)).utcoffset() == instant.utcoffset()


@pytest.mark.parametrize(
    ("text", "written"), table(__file__, "what_is_read_is_written_in_utc_with_its_precision")
)
def test_what_is_read_is_written_in_utc_with_its_precision(text: str, written: str) -> None:
    assert format_instant(parse_instant(text)) == written


NAIVE = datetime(2026, 2, 1)  # noqa: DTZ001 - on purpose


@pytest.mark.parametrize("value", [*table(__file__, "no_instants"), None, NAIVE])
def test_what_is_no_instant_is_refused(value: object) -> None:
    with pytest.raises(PydanticCustomError):
        parse_instant(value)


RECALL = {"user_id": "u-1", "query": "cane"}


def refusal(name: str, **fields: object) -> tuple[str | None, str]:
    with pytest.raises(DecodeError) as caught:
        decode(name, json.dumps(fields).encode())
    error = caught.value.body().error
    assert error.code is ErrorCode.INVALID_REQUEST
    return error.field, error.message


@pytest.mark.parametrize(("fields", "field"), table(__file__, "a_wrong_field_of_a_recall_is_named"))
def test_a_wrong_field_of_a_recall_is_named(fields: dict[str, object], field: str) -> None:
    assert refusal("query.recall", **(RECALL | fields))[0] == field


@pytest.mark.parametrize("name", ["query.recall", "query.context", "query.answer", "query.memories"])
def test_an_unknown_filter_is_answered_with_the_nearest_or_all(name: str) -> None:
    advice = {
        "kind": "did you mean kinds?",
        "particpant": "did you mean participants?",
        "x": "the fields are",
    }
    for misspelt, expected in advice.items():
        field, message = refusal(name, **RECALL, filters={misspelt: ["Max"]})
        assert field == f"filters.{misspelt}"
        assert message.startswith(f"{field} is unknown: {expected}")


def test_words_of_filters_are_read_in_any_case() -> None:
    words = {
        "time_of_day": ["Morning"], "day_of_week": ["MONDAY"], "types": ["Episodic"], "kinds": ["Note"],
        "emotion": "Positive",
    }  # fmt: skip
    filters = decode_as(queries.RecallRequest, json.dumps(RECALL | {"filters": words}).encode()).filters
    assert filters is not None
    read = filters.model_dump(mode="json", exclude_unset=True)
    assert read == json.loads(json.dumps(words).lower())


@pytest.mark.parametrize(
    ("name", "fields", "expected"), table(__file__, "a_wrong_field_of_a_request_is_named_with_its_reason")
)
def test_a_wrong_field_of_a_request_is_named_with_its_reason(
    name: str, fields: dict[str, object], expected: str
) -> None:
    """`expected` is the field and, where this is a rule of ours, the reason."""
    field, message = refusal(name, **({"user_id": "u-1"} | fields))
    assert field == expected.split(maxsplit=1)[0]
    assert message.startswith(expected)


def test_an_unknown_predicate_is_answered_with_the_known_ones() -> None:
    field, message = refusal("query.facts", user_id="u-1", predicate="hates")
    assert field == "predicate"
    assert "'dislikes'" in message


def test_a_place_in_the_history_is_an_instant_or_the_next_of_a_reply() -> None:
    def place(before: str) -> queries.Position | None:
        body = json.dumps({"user_id": "u-1", "before": before}).encode()
        return decode_as(queries.HistoryRequest, body).before

    instant = place("2026-02-01T14:30:00+01:00")
    assert instant is not None
    assert (str(instant), instant.id) == ("2026-02-01T13:30:00Z", None)
    following = place("2026-02-01T13:30:00.001Z,m,with,commas")
    assert following is not None
    assert following.id == "m,with,commas"
    assert place(str(following)) == following


@pytest.mark.parametrize("value", ["\x00", "x" * 5000, float("inf")])
def test_a_note_is_small_and_clean(value: object) -> None:
    assert refusal("command.note", user_id="u-1", conversation_id="c", key="k", value=value)[0] == "value"
