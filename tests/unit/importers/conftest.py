import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zoneinfo import ZoneInfo

import pytest

from ricordo_services.importers import parse_export
from ricordo_services.importers.archive import open_export
from ricordo_services.importers.entries import Entry, ParserOptions, PastMessage, Skip, SkipReason

EXPORTS = Path(__file__).parent / "exports"
ROME = ZoneInfo("Europe/Rome")


@dataclass(frozen=True)
class Parsed:
    entries: list[Entry]

    @property
    def messages(self) -> list[PastMessage]:
        return [entry for entry in self.entries if isinstance(entry, PastMessage)]

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        """Time in UTC to the minute, speaker and text."""
        return [
            (f"{one.sent_at.astimezone(UTC):%Y-%m-%d %H:%M}", one.speaker.name or one.role, one.text)
            for one in self.messages
        ]

    @property
    def skips(self) -> dict[SkipReason, list[str]]:
        """The places of what was skipped, with the fault of what is malformed."""
        found: dict[SkipReason, list[str]] = {}
        for entry in self.entries:
            if isinstance(entry, Skip):
                found.setdefault(entry.reason, []).append(f"{entry.place} {entry.detail}".strip())
        return found


Read = Callable[..., Parsed]


@pytest.fixture
def read() -> Read:
    """Parse a file of `exports/`, or one that a test has written."""

    def parse(service: str, path: str | Path, options: ParserOptions | None = None) -> Parsed:
        file = EXPORTS / service / path
        with open_export(file, file.name) as export:
            return Parsed(list(parse_export(service, export, options or ParserOptions(zone=ROME))))

    return parse


Pack = Callable[[str, Mapping[str, Any]], Path]


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """Write a zip of texts, JSON documents or files of `exports/`."""

    def write(name: str, members: Mapping[str, Any]) -> Path:
        path = tmp_path / name
        with ZipFile(path, "w") as packed:
            for member, content in members.items():
                if isinstance(content, Path):
                    packed.write(EXPORTS / content, member)
                else:
                    packed.writestr(member, content if isinstance(content, str) else json.dumps(content))
        return path

    return write
