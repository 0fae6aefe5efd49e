"""Generates the schemas of the contract: `.venv/bin/python -m docs.write_schemas schemas/ [--check]`.

There is a JSON Schema per subject and direction, and an AsyncAPI document that refers to them. They are
generated from the models and committed; `--check` fails when they differ.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import Final, Literal

from docs.asyncapi_document import document_text
from pydantic.config import JsonDict
from pydantic.json_schema import CoreModeRef, CoreRef, DefsRef, GenerateJsonSchema

from ricordo.messages.errors import ErrorBody
from ricordo.messages.event_items import EventItems, SingleEvent, item_model
from ricordo.messages.events import AttachedDocument
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS, ContractKind
from ricordo.messages.views import EmotionView

Direction = Literal["read", "written"]
DOCUMENT: Final = "asyncapi.yaml"
_OURS: Final = "urn:ricordo:"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class _WireSchemas(GenerateJsonSchema):
    """Omits titles of fields, which repeat their names, and gives models their names on the wire."""

    def get_defs_ref(self, core_mode_ref: CoreModeRef) -> DefsRef:
        ref, mode = core_mode_ref
        for model in (AttachedDocument, EmotionView):
            ref = CoreRef(ref.replace(model.__name__, str(model.model_config["title"])))
        return super().get_defs_ref((ref, mode))

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the signature is pydantic's
        return False


def schema_of(model: type[Message], identity: str, *, direction: Direction) -> JsonDict:
    """Return the JSON Schema of `model`.

    Args:
        identity: the end of the schema's `$id`.
        direction: `read` for what bots write, where defaults may be left out; `written` for what Ricordo
            writes, where every field is present.
    """
    mode: Literal["validation", "serialization"] = "validation" if direction == "read" else "serialization"
    schema = model.model_json_schema(mode=mode, schema_generator=_WireSchemas)
    if issubclass(model, EventItems):
        schema["description"] = getdoc(item_model(model))
    if issubclass(model, SingleEvent):
        for stamped in ("id", "at"):
            schema["properties"][stamped].pop("default", None)
    version = 2 if issubclass(model, EventItems) else 1
    return {"$schema": _DIALECT, "$id": f"{_OURS}v{version}:{identity}", **schema}


@cache
def all_schemas() -> Sequence[tuple[str, JsonDict]]:
    """Return file name and schema of every subject and direction, and of the error reply."""
    return tuple(_all_schemas())


def _all_schemas() -> Iterator[tuple[str, JsonDict]]:
    for contract in CONTRACTS.values():
        if contract.kind is ContractKind.EVENT:
            direction: Direction = "read" if contract.from_bots else "written"
            yield f"{contract.name}.json", schema_of(contract.body, contract.name, direction=direction)
        elif contract.reply is not None:
            request, reply = f"{contract.name}.request", f"{contract.name}.reply"
            yield f"{request}.json", schema_of(contract.body, request, direction="read")
            yield f"{reply}.json", schema_of(contract.reply, reply, direction="written")
            if contract.part is not None:
                part = f"{contract.name}.part"
                yield f"{part}.json", schema_of(contract.part, part, direction="written")
    yield "error.json", schema_of(ErrorBody, "error", direction="written")


@cache
def all_files() -> Mapping[str, str]:
    """Return the text of every file by its name."""
    texts = {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in all_schemas()}
    return texts | {DOCUMENT: document_text()}


def drift(folder: Path) -> list[str]:
    """Return the differences between `folder` and the code."""
    wanted, found = all_files(), {path.name: path for path in sorted(folder.glob("*")) if path.is_file()}
    there = {name: text.encode() for name, text in wanted.items() if name in found}
    return (
        [f"{name} is missing" for name in wanted if name not in found]
        + [f"{name} is out of date" for name, text in there.items() if found[name].read_bytes() != text]
        + [f"{name} belongs to no subject: remove it" for name in found if name not in wanted]
    )


def write(folder: Path) -> int:
    """Write all files into `folder`, and return their number; whatever else is there stays."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = all_files()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(wanted)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the schemas; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.write_schemas", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the schemas are, usually schemas/")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when they differ")
    options = parser.parse_args(arguments)
    if not options.check:
        sys.stdout.write(f"{write(options.folder)} files in {options.folder}\n")
        return 0
    differences = drift(options.folder)
    if differences:
        sys.stderr.write(
            f"{options.folder} differs from the code: {', '.join(differences)}. "
            "Run `make schemas` and commit what changed.\n"
        )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
