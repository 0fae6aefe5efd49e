#!/usr/bin/env python3
"""Write the tables of docs/configuration.md from the settings, or check that they are up to date.

.venv/bin/python docs/write_configuration.py [--check]
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MinLen
from pydantic import AfterValidator, BaseModel, SecretStr
from pydantic.fields import FieldInfo

from ricordo.settings import Settings

_PAGE = Path(__file__).with_name("configuration.md")
_BEGIN, _END = "<!-- tables: written by docs/write_configuration.py -->", "<!-- end of tables -->"
_ATTRIBUTE = re.compile(r"^    ([a-z_, ]+): (.+(?:\n        .+)*)", re.MULTILINE)
_KINDS: Mapping[object, str] = {bool: "true or false", int: "whole number", float: "number", str: "text"}


class Undescribed(Exception):
    """A setting without a description."""


def tables() -> str:
    """Return a section for each group of settings."""
    return "\n\n".join(_section(name, field) for name, field in Settings.model_fields.items())


def _section(group: str, field: FieldInfo) -> str:
    model = field.annotation
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise Undescribed(f"{group} is no group of settings")
    described = _descriptions(model)
    summary = (model.__doc__ or "").strip().split("\n")[0].rstrip(".")
    rows = []
    for name, setting in model.model_fields.items():
        variable = f"RICORDO_{group}__{name}".upper()
        default, description = _default(getattr(field.default, name)), _description(described, group, name)
        rows.append(f"| `{variable}` | {_kind(setting)} | {default} | {description} |")
    head = "| variable | value | default | meaning |\n|---|---|---|---|"
    return "\n".join([f"## {group}: {summary}", "", head, *rows])


def _descriptions(model: type[BaseModel]) -> dict[str, str]:
    inherited = [_descriptions(base) for base in model.__bases__ if issubclass(base, BaseModel)]
    text = (model.__doc__ or "").partition("Attributes:")[2]
    lines = "\n".join(line.removeprefix("    ") for line in text.splitlines())
    return {name: words for one in inherited for name, words in one.items()} | {
        name.strip(): " ".join(words.split()).rstrip(".")
        for names, words in _ATTRIBUTE.findall(lines)
        for name in names.split(",")
    }


def _description(described: Mapping[str, str], group: str, name: str) -> str:
    found = described.get(name)
    if found is None:
        raise Undescribed(f"describe {group}.{name} under `Attributes` of its class")
    return found.replace("|", "\\|")


def _default(value: object) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if value is None:
        return "none"
    if value == "":
        return "empty"
    if isinstance(value, tuple):
        return f"`{json.dumps(value)}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


def _kind(field: FieldInfo) -> str:
    found = list(_alternatives(field.annotation, field.metadata))
    return " or ".join(dict.fromkeys(found))


def _alternatives(annotation: object, limits: list[object]) -> Iterator[str]:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        yield from _alternatives(inner, [each for one in more for each in getattr(one, "metadata", [one])])
    elif origin in (Union, UnionType):
        for one in get_args(annotation):
            if one is not NoneType:
                yield from _alternatives(one, limits)
    elif origin is Literal:
        yield ", ".join(f"`{one}`" for one in get_args(annotation))
    elif origin is dict:
        yield "JSON object"
    elif origin is tuple:
        yield "JSON list"
    elif annotation is SecretStr:
        yield "secret"
    elif annotation is Path:
        yield "path"
    else:
        yield f"{_KINDS[annotation]}{_range(limits)}"


def _range(limits: list[object]) -> str:
    words = []
    for limit in limits:
        match limit:
            case Gt(gt=bound):
                words.append(f"above {bound}")
            case Ge(ge=bound):
                words.append(f"from {bound}")
            case Le(le=bound):
                words.append(f"to {bound}")
            case MinLen():
                words.append("not empty")
            case AfterValidator():  # the description says it
                continue
            case _:
                raise Undescribed(f"{limit!r} is a limit that has no words yet")
    return f", {' '.join(words)}" if words else ""


def written(page: str) -> str:
    """Return `page` with the tables of today."""
    before, _, rest = page.partition(_BEGIN)
    return f"{before}{_BEGIN}\n\n{tables()}\n\n{_END}{rest.partition(_END)[2]}"


def main() -> int:
    """Write or check the page; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/configuration.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when they differ")
    page = _PAGE.read_text(encoding="utf-8")
    fresh = written(page)
    if parser.parse_args().check:
        if page != fresh:
            sys.stderr.write(
                f"{_PAGE.name} is out of date: run {Path(__file__).name} and commit what changed\n"
            )
        return int(page != fresh)
    _PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
