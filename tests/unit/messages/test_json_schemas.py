"""The committed schemas are those of the code, and say what bots need to know."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ricordo.messages.schemas import all_schemas, drift, main, write

COMMITTED = Path(__file__).parents[3] / "schemas"


def test_the_committed_schemas_do_not_drift_from_the_code() -> None:
    assert drift(COMMITTED) == []


def test_every_schema_is_valid_and_has_an_identity_of_its_own() -> None:
    schemas = [schema for _, schema in all_schemas()]

    for schema in schemas:
        Draft202012Validator.check_schema(schema)
    assert len({str(schema["$id"]) for schema in schemas}) == len(schemas) == 50


def test_drift_is_named_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "error.json").unlink()
    (tmp_path / "session.ended.json").write_text("{}")
    (tmp_path / "asyncapi.yaml").write_text("asyncapi: 3.0.0")
    (tmp_path / "stray.json").write_text("{}")
    (tmp_path / "stray.yml").write_text("{}")

    assert main([str(tmp_path), "--check"]) == 1

    said = capsys.readouterr().err
    assert "error.json is missing" in said
    assert "session.ended.json is out of date" in said
    assert "asyncapi.yaml is out of date" in said
    assert "stray.json belongs to no subject" in said
    assert "stray.yml belongs to no subject" in said
    assert "make schemas" in said


def test_writing_mends_drift_and_spares_other_files(tmp_path: Path) -> None:
    (tmp_path / "stray.json").write_text("{}")
    (tmp_path / "stray.yaml").write_text("{}")
    (tmp_path / "README.md").write_text("Schemas.")

    assert main([str(tmp_path)]) == 0

    assert main([str(tmp_path), "--check"]) == 0
    assert not (tmp_path / "stray.json").exists()
    assert not (tmp_path / "stray.yaml").exists()
    assert (tmp_path / "README.md").exists()


def test_a_folder_that_is_not_there_lacks_every_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "nowhere"), "--check"]) == 1

    assert "asyncapi.yaml is missing" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-W", "error", "-m", "ricordo.messages.schemas", str(COMMITTED), "--check"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_bots_may_leave_out_what_has_a_default() -> None:
    schema = json.loads((COMMITTED / "message.received.json").read_text())

    assert schema["required"] == ["id", "user_id", "conversation_id", "role", "content", "timestamp"]


def test_derived_events_always_carry_their_id_and_instant() -> None:
    for name, schema in all_schemas():
        if name.startswith(("memory.", "facts.", "session.summarized")):
            required = schema["required"]
            assert isinstance(required, list)
            assert {"id", "at", "user_id", "conversation_id", "message_id", "memory_id"} <= set(
                map(str, required)
            )
