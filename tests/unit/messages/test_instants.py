"""Instants: an offset when read, Z when written."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError
from tests.fixtures.sentence_tables import table

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


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-01T14:30:00",
        "2026-02-01",
        "2026-02-01T14:30Z",
        "2026-02-30T14:30:00Z",
        "2026-02-01T25:00:00Z",
        "2026-02-01T14:30:60Z",
        "2026-02-01T14:30:00+25:00",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
        "٢٠٢٦-02-01T14:30:00Z",
        "2026-02-01T14:30:00Z\n",
        "now",
        "",
        1769952600,
        None,
        datetime(2026, 2, 1),  # noqa: DTZ001 - naive on purpose
    ],
)
def test_what_is_no_instant_is_refused(value: object) -> None:
    with pytest.raises(PydanticCustomError):
        parse_instant(value)
