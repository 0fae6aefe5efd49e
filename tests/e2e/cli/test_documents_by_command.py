"""A document from a file to an answer, by the command line; and a message that failed once."""

import asyncio
import json
from base64 import b64encode
from typing import Any

import nats
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, line, to_lines, until
from tests.fixtures.papers import pdf

LEASE = "The notice period of the lease is ninety days, by registered letter to the landlord."


@pytest.mark.slow
def test_a_message_that_failed_once_may_be_published_right(ricordo: Ricordo, running: Up) -> None:
    right = line("lea", 0, "This is the lease that I signed.")
    asyncio.run(_publish_raw(running, right | {"content": " "}))
    until(lambda: "failed" in ricordo("status", right["id"]))
    assert ricordo.publish(json.dumps(right), "--wait")["remembered"] == 1


async def _publish_raw(running: Up, body: dict[str, Any]) -> None:
    """Publish past the client, which would refuse it."""
    connection = await nats.connect(running.ready["nats"])
    try:
        await connection.jetstream().publish("memory.v1.default.message.received", json.dumps(body).encode())
    finally:
        await connection.close()


def test_a_document_goes_from_a_file_to_an_answer(ricordo: Ricordo, running: Up) -> None:
    """As the tutorial shows it; a bad one says why, and the message is remembered all the same."""
    lease = {"name": "lease.pdf", "media_type": "application/pdf", "data": b64encode(pdf(LEASE)).decode()}
    broken = {"name": "old.zip", "media_type": "application/zip", "data": "UEs="}
    documents = (lease, broken)
    messages = [line("lea", n, f"This is file {n}.", document=one) for n, one in enumerate(documents, 1)]
    ricordo.publish(to_lines(*messages), "--wait")
    for number, state in ((1, "remembered"), (2, "failed")):
        until(lambda number=number, state=state: _state(ricordo, f"lea-{number}") == state)  # type: ignore[misc]  # default argument
    output = ricordo("status", "lea-1")
    assert "lease.pdf remembered" in output
    assert "in 1 extract" in output
    assert "old.zip is application/zip, which cannot be read" in ricordo("status", "lea-2")
    assert "ninety days" in ricordo("recall", "How long is the notice period?", "--user", "lea")


def _state(ricordo: Ricordo, message_id: str) -> str:
    return str(ricordo.json("status", message_id)["document"]["state"])
