"""The YAML that is written is read back as what it was, and looks as a person would write it."""

import math
import string

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ricordo.messages.asyncapi.yaml_text import yaml_text

SIGNS = string.printable + "\x00\x1f\x7f\x85\xa0\u2028\u2029\ufeff\ufffeèß∅🐕"
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text(SIGNS, max_size=40),
    st.lists(st.text("ab: #-\n", max_size=8), max_size=6).map("\n".join),
    st.sampled_from(
        "true No off NULL y ~ - ? | > & * ! % @ ` = << .inf 0x1F 012 1e3 1:30 2026-02-01 a: b #".split()
    ),
)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=20,
)


@given(VALUES)
def test_whatever_is_written_is_read_back(value: JsonValue) -> None:
    again = yaml.safe_load(yaml_text(value))

    assert again == value
    assert type(again) is type(value)


def test_it_reads_like_yaml() -> None:
    value: JsonValue = {
        "name": "message.received",
        "$ref": "#/components/tags/event",
        "said": "Two lines,\n  the second further in.",
        "on": [{"at": 1, "so": None}, ["a", []], {}],
        "small": 1e-05,
    }

    assert yaml_text(value) == (
        "name: message.received\n"
        '$ref: "#/components/tags/event"\n'
        "said: |-\n"
        "  Two lines,\n"
        "    the second further in.\n"
        '"on":\n'
        "  - at: 1\n"
        "    so: null\n"
        "  - - a\n"
        "    - []\n"
        "  - {}\n"
        "small: 1.0e-05\n"
    )


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_what_is_no_json_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        yaml_text({"number": number})
