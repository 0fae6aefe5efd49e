"""The committed schemas and the AsyncAPI document tell the contract as the code has it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from docs.asyncapi_document import TENANT
from docs.write_schemas import all_schemas, drift, main
from jsonschema import Draft7Validator, Draft202012Validator

from ricordo.messages.codec import decode
from ricordo.messages.event_items import EventItems, SingleEvent, item_model
from ricordo.messages.events import MemoryRemembered
from ricordo.messages.ids import memory_id, remembered_id
from ricordo.messages.message_types import TENANT_PATTERN
from ricordo.messages.routing import CONTRACTS, Contract
from ricordo.messages.subjects import STREAM_DERIVED, Subject, checked_tenant


def test_the_committed_schemas_do_not_drift_from_the_code() -> None:
    assert drift(SCHEMAS) == []


def test_every_schema_is_valid_and_has_an_identity_of_its_own() -> None:
    schemas = [schema for _, schema in all_schemas()]
    for schema in schemas:
        Draft202012Validator.check_schema(schema)
    assert len({str(schema["$id"]) for schema in schemas}) == len(schemas) == 84


def test_drift_is_named_and_writing_mends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 0
    (tmp_path / "error.json").unlink()
    (tmp_path / "session.ended.json").write_text("{}")
    (tmp_path / "asyncapi.yaml").write_text("asyncapi: 3.0.0")
    (tmp_path / "stray.json").write_bytes(b"\xe8")
    assert main([str(tmp_path), "--check"]) == 1
    said = capsys.readouterr().err
    assert "error.json is missing" in said
    assert "session.ended.json is out of date" in said
    assert "asyncapi.yaml is out of date" in said
    assert "stray.json belongs to no subject" in said
    assert "make schemas" in said
    assert main([str(tmp_path)]) == 0
    assert drift(tmp_path) == ["stray.json belongs to no subject: remove it"]


def test_derived_events_always_carry_their_id_and_instant() -> None:
    for name, schema in all_schemas():
        contract = CONTRACTS.get(name.removesuffix(".json"))
        if contract is None or contract.stream != STREAM_DERIVED:
            continue
        definitions: Any = schema.get("$defs", {})
        about = definitions.get(schema["title"], schema)
        assert {"id", "at"} <= set(map(str, cast("list[str]", schema["required"])))
        assert {"user_id", "conversation_id", "message_id", "memory_id"} <= set(about["required"])


SCHEMAS = Path(__file__).parents[3] / "schemas"
COMMITTED: dict[str, Any] = yaml.safe_load((SCHEMAS / "asyncapi.yaml").read_text(encoding="utf-8"))
MESSAGES: dict[str, Any] = COMMITTED["components"]["messages"]
# What JSON Schema has learned since draft 7, which AsyncAPI reads payloads as.
NEWER = {
    "prefixItems", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties",
    "minContains", "maxContains", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
}  # fmt: skip


def found(value: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference, and what it leads to, to the end; fails where one leads nowhere."""
    while "$ref" in value:
        place, _, pointer = value["$ref"].partition("#")
        value = json.loads((SCHEMAS / place).read_text(encoding="utf-8")) if place else COMMITTED
        for key in pointer.split("/")[1:]:
            value = value[key]
    return value


def references(value: object) -> Iterator[dict[str, str]]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def operations_of(contract: Contract) -> list[dict[str, Any]]:
    address = f"memory.v1.{{tenant}}.{contract.name}"
    return [one for one in COMMITTED["operations"].values() if found(one["channel"])["address"] == address]


def test_every_reference_leads_somewhere_and_every_part_is_referred_to() -> None:
    named = list(references(COMMITTED))
    for reference in named:
        assert found(reference), reference
    led_to = {reference["$ref"] for reference in named}
    parts = {f"#/components/{sort}/{key}" for sort, keys in COMMITTED["components"].items() for key in keys}
    channels = {f"#/channels/{key}" for key in COMMITTED["channels"]}
    bodies = {f"./{path.name}" for path in SCHEMAS.glob("*.json")}
    assert parts | channels | bodies <= led_to


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=lambda contract: contract.name)
def test_a_contract_is_one_operation_in_its_direction(contract: Contract) -> None:
    (operation,) = operations_of(contract)
    channel = found(operation["channel"])
    (body,) = map(found, operation["messages"])
    assert operation["action"] == ("receive" if contract.from_bots else "send")
    assert list(map(found, channel["messages"].values())) == [body]
    assert channel.get("x-stream") == contract.stream
    assert found(body["payload"])["title"] == item_model(contract.body).__name__
    assert set(channel["parameters"]) == {"tenant"}


@pytest.mark.parametrize(
    "contract",
    [one for one in CONTRACTS.values() if one.reply is not None],
    ids=lambda contract: contract.name,
)
def test_a_request_is_answered_with_its_reply_or_an_error(contract: Contract) -> None:
    (operation,) = operations_of(contract)
    channel = found(operation["reply"]["channel"])
    bodies = list(map(found, operation["reply"]["messages"]))
    assert channel["address"] is None  # an inbox
    assert bodies == list(map(found, channel["messages"].values()))
    assert contract.reply is not None
    answers = [one.__name__ for one in (contract.reply, contract.part) if one is not None]
    assert [found(body["payload"])["title"] for body in bodies] == [*answers, "ErrorBody"]
    assert operation["bindings"]["nats"]["queue"]


def test_tenants_are_what_the_code_takes_for_tenants() -> None:
    tenant = COMMITTED["components"]["parameters"]["tenant"]
    assert tenant["x-pattern"] == TENANT_PATTERN
    assert TENANT_PATTERN in tenant["description"]
    assert [checked_tenant(name) for name in tenant["examples"]] == tenant["examples"]
    for contract in CONTRACTS.values():
        (operation,) = operations_of(contract)
        address = found(operation["channel"])["address"].format(tenant=tenant["default"])
        assert Subject.parse(address) == Subject(tenant["default"], contract.name)


@pytest.mark.parametrize("key", MESSAGES)
def test_examples_fulfil_the_schemas_in_both_dialects(key: str) -> None:
    message = MESSAGES[key]
    payload = message["payload"]
    schema = found(payload)
    assert message["examples"]
    for example in message["examples"]:
        Draft202012Validator(schema).validate(example["payload"])
        Draft7Validator({**schema, "$schema": Draft7Validator.META_SCHEMA["$schema"]}).validate(
            example["payload"]
        )
        if "headers" in message:
            Draft7Validator(found(message["headers"])).validate(example["headers"])
        else:
            assert "headers" not in example


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_a_schema_says_the_same_in_the_dialect_that_asyncapi_reads(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert keywords(schema) & NEWER == set()
    for reference in references(schema):
        assert set(reference) <= {
            "$ref",
            "description",
            "default",
        }  # draft 7 ignores what stands beside a reference


def keywords(schema: object) -> set[str]:
    if isinstance(schema, dict):
        return set(schema).union(*map(keywords, schema.values()))
    return set().union(*map(keywords, schema)) if isinstance(schema, list) else set()


def test_the_examples_of_events_have_the_ids_that_the_code_gives() -> None:
    for name, contract in CONTRACTS.items():
        if contract.from_bots:
            continue
        (example,) = MESSAGES[name]["examples"]
        event = decode(name, json.dumps(example["payload"]).encode())
        assert isinstance(event, SingleEvent | EventItems)
        version, items = (1, [event]) if isinstance(event, SingleEvent) else (2, event.items)
        assert example["headers"]["ce-id"] == example["headers"]["Nats-Msg-Id"] == str(event.id)
        assert example["headers"]["ce-type"] == f"memory.v{version}.{name}"
        for item in items:
            if item.message_id is not None:
                assert item.memory_id == memory_id(TENANT, item.message_id)
        if name == "memory.remembered":
            assert isinstance(event, MemoryRemembered)
            assert event.id == remembered_id(TENANT, event.message_id)
