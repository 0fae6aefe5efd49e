"""What was once written is read for ever: these files are only ever added to."""

import json
from pathlib import Path

import pytest
from docs.write_schemas import all_schemas
from jsonschema import Draft202012Validator

from ricordo.messages.codec import decode_as, encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.event_items import EventItems
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS

GOLDEN = Path(__file__).parent / "golden"
PAYLOADS = sorted(GOLDEN.glob("v*/*.json"))
NO_LONGER_KNOWN = {
    "facts.extracted": {"entity_ids"},
    "memory.created": {"preceding_id", "following_id"},
    "memory.created.bulk": {"preceding_id", "following_id"},
    "memory.decayed": {"memory_ids", "memory_id"},
    **{f"memory.{name}": {"memory_ids"} for name in ("accessed", "changed", "archived")},
}
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


def names_one_memory(subject: str) -> bool:
    """Return whether it is an event of version 1 that is one item of an event today."""
    return subject in CONTRACTS and issubclass(CONTRACTS[subject].body, EventItems)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_payload_is_read_for_ever_and_written_as_the_schema_says(payload: Path) -> None:
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
        unknown = frozenset({"a_field_of_tomorrow"} | NO_LONGER_KNOWN.get(subject, set()))
        assert_contains(again, without(unknown, as_items(body) if names_one_memory(subject) else body))


def as_items(body: dict[str, object]) -> dict[str, object]:
    """Return an event with its items; in version 1 it has the fields of one, or the ids of several."""
    if "items" in body:
        return body
    ids = None if body.get("memory_id") else body.pop("memory_ids", None)
    rest = {key: value for key, value in body.items() if key not in ("id", "at")}
    items = [{**rest, "memory_id": one} for one in ids] if isinstance(ids, list) else [rest]
    return {"id": body["id"], "at": body["at"], "items": items}


def without(names: frozenset[str], value: object) -> object:
    """Return a body without some fields of its own and of its items."""
    if not isinstance(value, dict):
        return value
    kept = {key: one for key, one in value.items() if key not in names}
    return kept | {"items": [without(names, one) for one in kept["items"]]} if "items" in kept else kept


def test_every_schema_has_a_minimal_and_a_full_payload() -> None:
    wanted = {f"{Path(name).stem}.{size}.json" for name in SCHEMAS for size in ("minimal", "full")}
    latest = {path.name: path for path in PAYLOADS}
    assert set(latest) == wanted
    for name, path in latest.items():
        assert (path.parent.name == "v2") == names_one_memory(subject_of(path)), name


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
