"""Invalid messages become dead letters with a reason, and their neighbours are remembered."""

import json
import re
from collections.abc import Mapping

import pytest
from tests.fixtures.wire import Bot, Json, ago, msg


def with_raw(name: str, value: str, **fields: object) -> bytes:
    """Write a message whose field `name` is the JSON text `value`, valid or not."""
    marked = json.dumps(msg("?", "ciao") | fields | {name: "\0"})
    return marked.replace('"\\u0000"', value).encode()


BROKEN: Mapping[str, tuple[Json | bytes, str]] = {
    "cut-off": (b'{"id": "cut-off", "user_id": ', r"not_json: the body is not JSON: .*"),
    "no-utf8": ('{"id": "no-utf8", "content": "perché"}'.encode("latin-1"), "not_json: .*"),
    "deep": (b'{"id": "deep", "x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "not_json: .*recursion.*"),
    "surrogate": (with_raw("content", '"a\\ud800b"', id="surrogate"), "not_json: .*"),
    "endless-number": (with_raw("importance", "9" * 5_000, id="endless-number"), "not_json: .*"),
    "infinite": (with_raw("trust", "1e999", id="infinite"), "invalid: trust must be a finite number"),
    "no-offset": (
        {"timestamp": "2026-02-01T14:30:00"},
        r"invalid: timestamp must be an RFC 3339 instant with an offset.*",
    ),
    "too-long": ({"content": "x" * 40_000}, "invalid: content must have at most 32,768 characters.* 40,000"),
    "document-of-nothing": (
        {"document": {"name": "a.txt"}},
        "invalid: document.media_type, document.data are required",
    ),
}
"""Of each kind one; `tests/unit/messages` has the reason for every field."""

NAMELESS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", r"not_json: the body is not JSON: .*"),
    "array": (b"[1]", r"invalid: the body must be a JSON object"),
    "zeros": (b"\0\0\0\0", r"not_json: .*"),
    "id-number": (json.dumps(msg("", "ciao") | {"id": 7}).encode(), r"invalid: id must be a valid string"),
    "id-missing": (json.dumps({"content": "ciao"}).encode(), r"invalid: id, user_id, .* are required"),
}


def body_of(name: str, message: Json | bytes) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(msg(name, "ciao") | message).encode()


BODIES = {name: (body_of(name, message), reason) for name, (message, reason) in BROKEN.items()}


async def test_invalid_messages_become_dead_letters_and_their_neighbours_are_remembered(bot: Bot) -> None:
    expected = {body: (name, reason) for name, (body, reason) in (BODIES | NAMELESS).items()}
    good = [msg(f"good-{n}", f"Messaggio buono numero {n}") for n in range(len(expected))]
    async with bot.dead_letters() as subscription:
        await bot.publish_all([one for pair in zip(expected, good, strict=True) for one in pair])
        letters = {letter.data: letter for letter in await subscription.take(len(expected))}
        assert await subscription.is_silent()
    for body, (name, reason) in expected.items():
        letter = letters[body]  # the original bytes
        assert letter.subject == f"dlq.ingest.memory.v1.{bot.tenant}.message.received"
        assert letter.headers is not None
        assert re.fullmatch(reason, letter.headers["Ricordo-Reason"]), (name, letter.headers)
        assert letter.headers["Ricordo-Attempts"] == "1"
        assert int(letter.headers["Ricordo-Stream-Seq"]) > 0
        if name in BODIES:
            status = await bot.status(name)
            assert (status["state"], set(status["stages"].values())) == ("failed", {None}), name
            assert re.fullmatch(reason, status["error"]), status
    states = await bot.final_states(message["id"] for message in good)
    assert set(states.values()) == {"remembered"}


RUBBISH: Mapping[bytes, str] = {
    b'{"user_id": ': "not_json: .*",
    b"\xff\xfe": "not_json: .*",
    b"[1]": "invalid: the body must be a JSON object",
    b"{}": "invalid: .* are required",
    b'{"user_id": "u-1", "conversation_id": "c-1", "timestamp": "ieri"}': "invalid: .*",
}


@pytest.mark.parametrize(
    ("name", "consumer"), [("message.imported", "ingest-bulk"), ("session.ended", "sessions")]
)
async def test_invalid_messages_of_the_other_lanes_become_dead_letters_too(
    bot: Bot, name: str, consumer: str
) -> None:
    async with bot.dead_letters() as subscription:
        for body in RUBBISH:
            await bot.publish(body, name=name)
        letters = await subscription.take(len(RUBBISH))
        assert await subscription.is_silent()
    for letter in letters:
        assert letter.subject == f"dlq.{consumer}.memory.v1.{bot.tenant}.{name}"
        assert letter.headers is not None
        assert re.fullmatch(RUBBISH[letter.data], letter.headers["Ricordo-Reason"]), letter.headers
        assert letter.headers["Ricordo-Attempts"] == "1"
    await bot.publish(msg("good", "Vivo a Trieste."), name="message.imported")
    assert await bot.final_states(["good"]) == {"good": "remembered"}
    (memory,) = (await bot.query("timeline", user_id="u-1", start=ago(days=1), end=ago()))["memories"]
    assert memory["source"] == "import"


async def test_no_tenant_has_such_a_name(bot: Bot) -> None:
    bot.tenant = "ACME"
    question = {"user_id": "u-1", "query": "Che cosa sai?"}
    assert (await bot.request("query.recall", question)).error == ("invalid_request", None)
    async with bot.dead_letters() as subscription:
        await bot.publish(msg("m-1", "ciao"))
        letter = await subscription.next()
    assert letter.subject == "dlq.ingest.memory.v1.ACME.message.received"
    assert letter.headers is not None
    assert re.match("invalid_subject: .* is not a valid tenant", letter.headers["Ricordo-Reason"])
