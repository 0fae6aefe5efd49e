"""What was once written in version 1 is read for ever: these files are only ever added to."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ricordo.messages.codec import decode_as, encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS
from ricordo.messages.schemas import all_schemas

GOLDEN = Path(__file__).parent / "golden" / "v1"
PAYLOADS = sorted(GOLDEN.glob("*.json"))
NO_LONGER_KNOWN = {"facts.extracted": {"entity_ids"}}
"""Fields that were taken back before the first release, as nothing had ever been written to them."""
SCHEMAS = dict(all_schemas())


def model_of(subject: str) -> type[Message]:
    if subject == "error":
        return ErrorBody
    if subject.endswith(".reply"):
        reply = CONTRACTS[subject.removesuffix(".reply")].reply
        assert reply is not None
        return reply
    return CONTRACTS[subject.removesuffix(".request")].body


def is_written_by_bots(subject: str) -> bool:
    return (
        subject != "error"
        and not subject.endswith(".reply")
        and CONTRACTS[subject.removesuffix(".request")].from_bots
    )


def subject_of(payload: Path) -> str:
    return payload.stem.rpartition(".")[0]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: path.stem)
def test_payloads_of_version_1_parse_forever(payload: Path) -> None:
    model = model_of(subject_of(payload))

    message = decode_as(model, payload.read_bytes())

    assert decode_as(model, encode(message)) == message


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: path.stem)
def test_what_is_read_and_what_is_written_fits_the_schema(payload: Path) -> None:
    subject = subject_of(payload)
    validator = Draft202012Validator(SCHEMAS[f"{subject}.json"])
    again = json.loads(encode(decode_as(model_of(subject), payload.read_bytes())))

    validator.validate(again)
    if is_written_by_bots(subject):
        validator.validate(json.loads(payload.read_bytes()))


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: path.stem)
def test_known_fields_come_back_as_they_were_written(payload: Path) -> None:
    if is_written_by_bots(subject_of(payload)):
        return  # instants and languages of bots are normalised
    body = json.loads(payload.read_bytes())
    for unknown in {"a_field_of_tomorrow"} | NO_LONGER_KNOWN.get(subject_of(payload), set()):
        body.pop(unknown, None)

    again = json.loads(encode(decode_as(model_of(subject_of(payload)), payload.read_bytes())))

    assert_contains(again, body)


def test_every_schema_has_a_minimal_and_a_full_payload() -> None:
    wanted = {f"{Path(name).stem}.{size}.json" for name in SCHEMAS for size in ("minimal", "full")}

    assert {path.name for path in PAYLOADS} == wanted


def assert_contains(whole: object, part: object) -> None:
    if isinstance(part, dict):
        assert isinstance(whole, dict)
        for key, value in part.items():
            assert_contains(whole[key], value)
    elif isinstance(part, list):
        assert isinstance(whole, list)
        assert len(whole) == len(part)
        for one, other in zip(whole, part, strict=True):
            assert_contains(one, other)
    elif not (isinstance(part, str) and part.endswith("Z") and str(whole).endswith("Z")):
        assert whole == part
