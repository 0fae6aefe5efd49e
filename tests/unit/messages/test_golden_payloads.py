"""What was once written in version 1 is read for ever: these files are only ever added to."""

import json
from pathlib import Path

import pytest
from docs.write_schemas import all_schemas
from jsonschema import Draft202012Validator

from ricordo.messages.codec import decode_as, encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS

GOLDEN = Path(__file__).parent / "golden" / "v1"
PAYLOADS = sorted(GOLDEN.glob("*.json"))
NO_LONGER_KNOWN = {"facts.extracted": {"entity_ids"}}
"""Fields that were taken back before the first release, as nothing had ever been written to them."""
SCHEMAS = dict(all_schemas())


def model_of(subject: str) -> type[Message]:
    if subject == "error":
        return ErrorBody
    name, _, kind = subject.rpartition(".")
    if kind in ("reply", "part"):
        model: type[Message] = getattr(CONTRACTS[name], kind)
        return model
    return CONTRACTS[subject.removesuffix(".request")].body


def is_written_by_bots(subject: str) -> bool:
    return (
        subject != "error"
        and not subject.endswith((".reply", ".part"))
        and CONTRACTS[subject.removesuffix(".request")].from_bots
    )


def subject_of(payload: Path) -> str:
    return payload.stem.rpartition(".")[0]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: path.stem)
def test_a_payload_of_version_1_is_read_for_ever_and_written_as_the_schema_says(payload: Path) -> None:
    subject = subject_of(payload)
    model, validator = model_of(subject), Draft202012Validator(SCHEMAS[f"{subject}.json"])
    message = decode_as(model, payload.read_bytes())
    written = encode(message)
    assert decode_as(model, written) == message
    body, again = json.loads(payload.read_bytes()), json.loads(written)
    validator.validate(again)
    if is_written_by_bots(subject):
        validator.validate(body)
    else:  # instants and languages of bots are normalised; all else comes back as it was written
        for unknown in {"a_field_of_tomorrow"} | NO_LONGER_KNOWN.get(subject, set()):
            body.pop(unknown, None)
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
