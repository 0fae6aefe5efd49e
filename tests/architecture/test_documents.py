"""The documents say what is: examples hold, links lead somewhere, commands and settings exist."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import typer
from tests.fixtures.documents import DOCUMENTS, ROOT, Block, anchors, blocks, links, named, prose, typed

from ricordo.messages.codec import decode_as, encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.events import MessageReceived
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS
from ricordo.settings import Settings
from ricordo_services.app import worker_process
from ricordo_services.cli.application import application

PATHS = re.compile(
    r"(?:shared|services|tests|deploy|docs|schemas)/[\w./-]*|[A-Z]{4,}\.md|docker-compose\.yml"
)
MODULES = re.compile(r"`([a-z_]+/[\w./-]*)`")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
SETTING = re.compile(r"\bRICORDO_([A-Z]+)__([A-Z_]+)\b")


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    for link in links(path):
        if "://" in link:
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_files_that_are_named_exist(path: Path) -> None:
    for name in PATHS.findall(prose(path)):
        assert (ROOT / name.rstrip(".")).exists(), name


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_tests_that_are_named_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(".py::") == len(TEST.findall(text)), "each is named by its file and its function"
    for file, name in TEST.findall(text):
        found = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        names = {one.name for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in names, f"{file}::{name}"


def test_every_promise_names_a_test() -> None:
    text = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
    promises = text.partition("| promise | tests |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert len(promises) > 20
    assert [line for line in promises if not TEST.search(line)] == []


def test_modules_that_architecture_names_exist() -> None:
    bases = [ROOT / "shared/ricordo", ROOT / "services/ricordo_services", ROOT]
    found = MODULES.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert len(found) > 20
    assert [name for name in found if not any((base / name).exists() for base in bases)] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_settings_that_are_named_exist(path: Path) -> None:
    for group, name in SETTING.findall(path.read_text(encoding="utf-8")):
        if name == "*_BYTES" or path.name == "CHANGELOG.md":  # which names what is no more, too
            continue
        annotation = Settings.model_fields[group.lower()].annotation
        assert annotation is not None
        assert name.lower() in annotation.model_fields, f"RICORDO_{group}__{name}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_commands_that_are_named_exist(path: Path) -> None:
    group = typer.main.get_command(application([]))
    assert isinstance(group, typer.core.TyperGroup)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, flags=re.MULTILINE))
    for line in typed(path):
        for target in re.findall(r"(?:^|&& )make ([a-z0-9-]+)", line):
            assert target in targets, line
        for command in re.findall(r"(?:^|[/ ])ricordo ([a-z]+(?:-[a-z]+)*)\b", line):
            assert command in group.commands, line
        for names in re.findall(r"ricordo worker ([a-z ]+)$", line):
            assert set(names.split()) <= set(worker_process.WORKERS), line


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_an_example_of_json_is_what_it_says(block: Block) -> None:
    (name,) = block.notes
    content = json.loads(block.text)
    schema = json.loads((ROOT / f"schemas/{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(content)
    read = json.loads(encode(decode_as(_model(name), block.text.encode())))
    assert _ignored(content, read) == []


def _model(name: str) -> type[Message]:
    if name == "error":
        return ErrorBody
    subject, _, kind = name.rpartition(".")
    found = CONTRACTS[subject] if kind in ("request", "reply", "part") else CONTRACTS[name]
    model: type[Message] = getattr(found, kind if kind in ("reply", "part") else "body")
    return model


def _ignored(given: object, read: object, place: str = "") -> list[str]:
    """Return the places in `given` of which its model took no notice."""
    if isinstance(given, dict) and isinstance(read, dict):
        inside = [(f"{place}.{key}", value, read.get(key, _ignored)) for key, value in given.items()]
    elif isinstance(given, list) and isinstance(read, list):
        inside = [(place, one, other) for one, other in zip(given, read, strict=True)]
    else:
        inside = []
    lost = [where for where, _, other in inside if other is _ignored]
    return lost + [found for where, one, other in inside for found in _ignored(one, other, where)]


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_an_example_of_python_is_python(block: Block) -> None:
    compile(block.text, str(block), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_an_example_of_settings_holds(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ricordo.toml"
    file.write_text(block.text, encoding="utf-8")
    monkeypatch.setenv("RICORDO_CONFIG", str(file))
    said = tomllib.loads(block.text)
    found = json.loads(Settings().model_dump_json())
    assert said.items()
    assert {group: {name: found[group][name] for name in values} for group, values in said.items()} == said


def test_every_part_of_the_contract_is_documented() -> None:
    text = (ROOT / "docs/wire-contract.md").read_text(encoding="utf-8")
    assert [name for name in CONTRACTS if f"`{name}`" not in text and f"json {name}" not in text] == []


def test_every_field_of_a_message_is_documented_for_http() -> None:
    page = (ROOT / "docs/http.md").read_text(encoding="utf-8")
    section = page.split("\n## A message\n")[1].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"\w+", cell)} == {*MessageReceived.model_fields}


def test_every_question_has_an_example() -> None:
    shown = {note for block in blocks("json") for note in block.notes}
    asked = {f"{name}.request" for name, contract in CONTRACTS.items() if contract.reply is not None}
    assert asked - shown == set()


@pytest.mark.parametrize("script", ["write_configuration.py", "write_client.py"])
def test_pages_that_are_written_by_scripts_are_up_to_date(script: str) -> None:
    program = [sys.executable, str(ROOT / "docs" / script), "--check"]
    run = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 0, run.stderr


def test_the_example_in_the_readme_is_short() -> None:
    (example,) = [block for block in blocks("python") if block.path == "README.md"]
    # Three of them are for who has not started a stack.
    assert len([line for line in example.text.splitlines() if line.strip()]) <= 18
    assert "run" in example.notes
