"""The committed schemas are those of the code, and say what bots need to know."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ricordo.messages.schemas import all_schemas, drift, main, write

COMMITTED = Path(__file__).parents[3] / "schemas"
STRAY = '{"$id": "urn:ricordo:v1:message.that.was"}'
OF_OTHERS = {
    "docker-compose.yml": b"services: {}",
    "settings.yaml": b"{}",
    "package.json": b"{}",
    "list.json": b'["urn:ricordo:v1:error"]',
    "theirs.json": b'{"$id": "https://example.org/urn:ricordo:v1:error"}',
    "numbered.json": b'{"$id": 1}',
    "cut-off.json": b'{"$id": "urn:ricordo:v1:err',
    "latin.json": b'{"$id": "urn:ricordo:v1:\xe8"}',
    "README.md": b"Schemas.",
}


def test_the_committed_schemas_do_not_drift_from_the_code() -> None:
    assert drift(COMMITTED) == []


def test_every_schema_is_valid_and_has_an_identity_of_its_own() -> None:
    schemas = [schema for _, schema in all_schemas()]

    for schema in schemas:
        Draft202012Validator.check_schema(schema)
    assert len({str(schema["$id"]) for schema in schemas}) == len(schemas) == 55


def test_drift_is_named_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "error.json").unlink()
    (tmp_path / "session.ended.json").write_text("{}")
    (tmp_path / "asyncapi.yaml").write_text("asyncapi: 3.0.0")
    (tmp_path / "stray.json").write_text(STRAY)

    assert main([str(tmp_path), "--check"]) == 1

    said = capsys.readouterr().err
    assert "error.json is missing" in said
    assert "session.ended.json is out of date" in said
    assert "asyncapi.yaml is out of date" in said
    assert "stray.json belongs to no subject" in said
    assert "make schemas" in said


def test_writing_mends_drift_and_spares_the_files_of_others(tmp_path: Path) -> None:
    for name, text in OF_OTHERS.items():
        (tmp_path / name).write_bytes(text)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "stray.json").write_text(STRAY)

    assert main([str(tmp_path)]) == 0

    assert main([str(tmp_path), "--check"]) == 0
    assert not (tmp_path / "stray.json").exists()
    assert (tmp_path / "folder.json").is_dir()
    assert {name: (tmp_path / name).read_bytes() for name in OF_OTHERS} == OF_OTHERS


def test_derived_events_always_carry_their_id_and_instant() -> None:
    for name, schema in all_schemas():
        if name.startswith(("memory.", "facts.", "session.summarized")):
            required = schema["required"]
            assert isinstance(required, list)
            assert {"id", "at", "user_id", "conversation_id", "message_id", "memory_id"} <= set(
                map(str, required)
            )
