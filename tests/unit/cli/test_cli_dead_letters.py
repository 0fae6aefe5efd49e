"""A dead letter names the bot's message, whatever event it was about."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from nats.js.api import RawStreamMsg

from ricordo.messages.codec import encode
from ricordo.messages.errors import dead_letter_headers
from ricordo.messages.events import MemoryEncoded
from ricordo_services.cli.dead_letter_commands import Letter

ENCODED = MemoryEncoded(user_id="u-1", message_id="m-1", memory_id=UUID(int=5), model="m")
STAMPED = encode(ENCODED.stamp(UUID(int=7), datetime(2026, 2, 1, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("subject", "body", "message_id"),
    [
        ("dlq.enrichment.memory.v1.acme.memory.encoded", STAMPED, "m-1"),
        ("dlq.enrichment.memory.v1.acme.memory.encoded", b'{"id": "an-event"}', None),
        ("dlq.ingest.memory.v1.acme.message.received", b'{"id": "m-2"', "m-2"),
        ("dlq.ingest.memory.v1.acme.message.received", b"[]", None),
        ("dlq.ingest.memory.v1.ACME.message.received", b'{"id": "m-3"}', None),
        ("elsewhere", b'{"id": "m-4"}', None),
    ],
)
def test_of_an_event_of_ours_it_is_not_the_id_of_the_event(
    subject: str, body: bytes, message_id: str | None
) -> None:
    headers = dead_letter_headers("attempts_exhausted", "given up", 8, 12)
    letter = Letter.read(RawStreamMsg(subject=subject, seq=3, data=body, headers=headers))
    assert letter.message_id == message_id
    assert (letter.sequence, letter.attempts, letter.origin) == (3, "8", 12)
    assert (letter.code, letter.reason) == ("attempts_exhausted", "given up")
