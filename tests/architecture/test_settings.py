"""A setting does what it says: something reads it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from ricordo.settings import Settings

ROOT = Path(__file__).parents[2]
READERS = [
    path
    for folder in ("shared/ricordo", "services/ricordo_services")
    for path in (ROOT / folder).rglob("*.py")
    if "settings" not in path.parts
]


def settings() -> Iterator[tuple[str, str]]:
    for group, field in Settings.model_fields.items():
        assert isinstance(field.annotation, type)
        assert issubclass(field.annotation, BaseModel)
        for name in field.annotation.model_fields:
            yield group, name


def test_every_setting_is_read() -> None:
    read = {
        node.attr
        for path in READERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert [f"{group}.{name}" for group, name in settings() if name not in read] == []
