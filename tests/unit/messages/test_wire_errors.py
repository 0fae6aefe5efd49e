"""Error replies and dead letters."""

import json

import pytest

from ricordo.messages.codec import encode
from ricordo.messages.errors import (
    DeadLetterCode,
    ErrorBody,
    ErrorCode,
    dead_letter_headers,
    dead_letter_reason,
    header_text,
)


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("invalid_request", 400),
        ("forbidden", 403),
        ("not_found", 404),
        ("internal", 500),
        ("unavailable", 503),
        ("timeout", 504),
    ],
)
def test_every_code_has_its_number(code: str, number: int) -> None:
    body = ErrorBody.of(ErrorCode(code), "a sentence", "limit")

    assert json.loads(encode(body)) == {"error": {"code": code, "message": "a sentence", "field": "limit"}}
    assert body.headers() == {
        "Nats-Service-Error": f"{code}: a sentence",
        "Nats-Service-Error-Code": str(number),
    }


def test_a_header_is_one_short_line_of_ascii() -> None:
    text = header_text("è una\r\nRiga: due\x00 " + "x" * 1000)

    assert text.startswith("\\xe8 una Riga: due? x")
    assert len(text) == 500


def test_a_dead_letter_says_why_how_often_and_which() -> None:
    headers = dead_letter_headers(DeadLetterCode.ID_CONFLICT, "another content: came first", 3, 42)

    assert headers == {
        "Ricordo-Reason": "id_conflict: another content: came first",
        "Ricordo-Attempts": "3",
        "Ricordo-Stream-Seq": "42",
    }
    assert dead_letter_reason(headers) == ("id_conflict", "another content: came first")
    assert dead_letter_reason({}) == ("", "")
