"""Logs: one JSON object a line, with what is bound, without secrets."""

import io
import json
import logging

import pytest
import structlog
from structlog.contextvars import bound_contextvars
from tests.fixtures.sentence_tables import table

from ricordo import log
from ricordo.log import without_secrets


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_line_is_json_with_what_is_bound(stream: io.StringIO) -> None:
    log.configure(stream=stream)
    with bound_contextvars(worker="encode", tenant="acme"):
        structlog.stdlib.get_logger("ricordo.x").info("something happened", count=3)
    (line,) = lines(stream)
    assert line["event"] == "something happened"
    assert (line["worker"], line["tenant"], line["count"], line["level"]) == ("encode", "acme", 3, "info")
    assert (line["logger"], str(line["timestamp"])[-1]) == ("ricordo.x", "Z")


def test_lines_of_other_libraries_look_the_same(stream: io.StringIO) -> None:
    log.configure(stream=stream)
    logging.getLogger("other").warning("from %s", "elsewhere", extra={"password": "hunter2"})
    (line,) = lines(stream)
    assert (line["event"], line["level"], line["password"]) == ("from elsewhere", "warning", "***")


def test_requests_of_the_http_client_are_not_told_one_by_one(stream: io.StringIO) -> None:
    log.configure(stream=stream)
    logging.getLogger("httpx").info("HTTP Request: POST")
    logging.getLogger("httpx").warning("it is slow")
    assert [line["event"] for line in lines(stream)] == ["it is slow"]


def test_no_secret_reaches_a_line(stream: io.StringIO) -> None:
    log.configure(stream=stream)

    def fail() -> None:
        raise OSError("cannot reach postgresql://ricordo:hunter2@localhost/db")

    try:
        fail()
    except OSError:
        structlog.stdlib.get_logger("x").exception(
            "failed for nats://bot:hunter2@localhost",
            nats_password="hunter2",
            api_key="hunter2",
            url="nats://abcdefghijklmnopqrstuv@localhost",
        )
    assert "hunter2" not in stream.getvalue()
    assert "abcdefghijklmnopqrstuv" not in stream.getvalue()
    assert "localhost" in stream.getvalue()


@pytest.mark.parametrize(("text", "shown"), table(__file__, "addresses"))
def test_addresses_lose_their_passwords_only(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_readable_tracebacks_do_not_tell_what_was_said(stream: io.StringIO) -> None:
    log.configure(readable=True, stream=stream)
    said = "I have told " + "nobody of this"

    def fail(words: str) -> None:
        raise ValueError(len(words))

    try:
        fail(said)
    except ValueError:
        structlog.stdlib.get_logger("x").exception("it failed")
    assert "ValueError: 26" in stream.getvalue()
    assert said not in stream.getvalue()
