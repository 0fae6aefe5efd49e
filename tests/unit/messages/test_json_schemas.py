"""The committed schemas are those of the code, and say what bots need to know."""

from pathlib import Path

import pytest
from docs.write_schemas import all_schemas, drift, main
from jsonschema import Draft202012Validator

COMMITTED = Path(__file__).parents[3] / "schemas"


def test_the_committed_schemas_do_not_drift_from_the_code() -> None:
    assert drift(COMMITTED) == []


def test_every_schema_is_valid_and_has_an_identity_of_its_own() -> None:
    schemas = [schema for _, schema in all_schemas()]

    for schema in schemas:
        Draft202012Validator.check_schema(schema)
    assert len({str(schema["$id"]) for schema in schemas}) == len(schemas) == 69


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
        if name.startswith(("memory.", "facts.", "session.summarized")):
            required = schema["required"]
            assert isinstance(required, list)
            assert {"id", "at", "user_id", "conversation_id", "message_id", "memory_id"} <= set(
                map(str, required)
            )
