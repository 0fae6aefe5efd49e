"""A document from a file to an answer, by the command line; and a message that failed once."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import nats
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, until, up
from tests.fixtures.papers import pdf

pytestmark = pytest.mark.e2e

LEASE = "The notice period of the lease is ninety days, by registered letter to the landlord."
LINE = {
    "id": "zoe-1",
    "user_id": "zoe",
    "conversation_id": "c-zoe",
    "role": "user",
    "content": "This is the lease that I signed.",
    "timestamp": "2026-05-04T10:00:00+02:00",
}


@pytest.fixture(scope="module")
def ricordo(tmp_path_factory: pytest.TempPathFactory) -> Ricordo:
    return Ricordo(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def running(ricordo: Ricordo) -> Iterator[Up]:
    with up(ricordo) as stack:
        yield stack


def test_what_failed_once_may_be_published_right(ricordo: Ricordo, running: Up) -> None:
    right = LINE | {"id": "once"}
    asyncio.run(_publish_raw(running, right | {"content": " "}))
    until(lambda: "failed" in ricordo("status", right["id"]))
    assert ricordo.publish(json.dumps(right), "--wait")["remembered"] == 1


async def _publish_raw(running: Up, body: dict[str, Any]) -> None:
    """Publish past the client, which would refuse it, and wait until it has become a dead letter.

    What its status says is written after that.
    """
    connection = await nats.connect(running.ready["nats"])
    try:
        letters = await connection.subscribe("dlq.>")
        await connection.flush()
        await connection.jetstream().publish("memory.v1.default.message.received", json.dumps(body).encode())
        await letters.next_msg(timeout=20)
    finally:
        await connection.close()


def test_a_document_goes_from_a_file_to_an_answer(ricordo: Ricordo, running: Up) -> None:
    """As the tutorial shows it; a bad one says why, and the message is remembered all the same."""
    lease = {"name": "lease.pdf", "media_type": "application/pdf", "data": b64encode(pdf(LEASE)).decode()}
    broken = {"name": "old.zip", "media_type": "application/zip", "data": "UEs="}
    lines = [LINE | {"document": lease}, LINE | {"id": "zoe-zip", "document": broken}]
    ricordo.publish("".join(json.dumps(one) + "\n" for one in lines), "--wait")
    assert _settled(ricordo, LINE["id"]) == "remembered"
    assert _settled(ricordo, "zoe-zip") == "failed"
    said = ricordo("status", LINE["id"])
    assert "lease.pdf remembered" in said
    assert "in 1 extract" in said
    assert "old.zip is application/zip, which cannot be read" in ricordo("status", "zoe-zip")
    assert "ninety days" in ricordo("recall", "How long is the notice period?", "--user", "zoe")


def _settled(ricordo: Ricordo, message_id: str) -> str:
    """Return what has become of a document, as soon as that is known."""
    until(lambda: _state(ricordo, message_id) != "received")
    return _state(ricordo, message_id)


def _state(ricordo: Ricordo, message_id: str) -> str:
    return str(ricordo.json("status", message_id)["document"]["state"])
