"""A document from a file to an answer, by the command line."""

from base64 import b64encode

from tests.e2e.cli.ricordo_command import Ricordo, Up, line, to_lines, until
from tests.fixtures.papers import pdf

LEASE = "The notice period of the lease is ninety days, by registered letter to the landlord."


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
