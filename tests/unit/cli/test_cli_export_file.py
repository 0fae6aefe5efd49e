"""The file of an export is whole, or refused before anything is imported."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ricordo_services.cli.failures import Failed
from ricordo_services.cli.input_files import ITEMS, ExportFile, rereadable

MESSAGES = [{"id": f"m-{n}", "content": content} for n, content in enumerate(("hello", " ", "a scan"))]
DOCUMENT = {"name": "a.txt", "media_type": "text/plain", "data": "eA=="}


def item(kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    plain = dict.fromkeys(ITEMS[kind]["fields"]) if kind in ITEMS else {}
    return {"item": kind, "user_id": "u", **plain, **fields}


LINES = [
    *(item("message", message=each, memory_id=each["id"]) for each in MESSAGES),
    item("document", message_id="m-2", **DOCUMENT),
    item("memory", id="1"),
    item("fact", subject="user"),
    item("memory", id="2"),
]
WHOLE = [*LINES, item("end", items=len(LINES))]


def read(path: Path, lines: list[dict[str, Any]]) -> ExportFile:
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ExportFile.read(path, "file")


def test_items_are_read_kind_by_kind(tmp_path: Path) -> None:
    exported = read(tmp_path / "file", WHOLE)
    assert [each["id"] for each in exported.items("memory")] == ["1", "2"]
    assert (exported.user_id, exported.blank) == ("u", 1)
    assert [(number, json.loads(body)) for number, body in exported.bodies()] == [
        (1, MESSAGES[0] | {"user_id": "u"}),
        (3, MESSAGES[2] | {"user_id": "u", "document": DOCUMENT}),
    ]


CHANGES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "line 1 is not an item of an export: nothing was imported": lambda: [{"id": "m-1", "content": "x"}],
    "`ricordo publish` takes messages": lambda: [item("photo"), *WHOLE],
    "is incomplete: its last line is not the end": lambda: LINES,
    "holds 6 items, and 7 were exported": lambda: WHOLE[1:],
    "line 9 is after the end of the export": lambda: [*WHOLE, LINES[0]],
    "line 2 is of another user": lambda: [LINES[0], LINES[1] | {"user_id": "v"}, *WHOLE[2:]],
    "(pinned is missing)": lambda: [{n: v for n, v in LINES[4].items() if n != "pinned"}],
    "holds nothing": list,
}


@pytest.mark.parametrize("fault", CHANGES)
def test_what_is_no_whole_export_is_refused(tmp_path: Path, fault: str) -> None:
    with pytest.raises(Failed) as refused:
        read(tmp_path / "file", CHANGES[fault]())
    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("name", "fault"), [("cut.gz", "cannot be read"), (".", "folder"), ("no", "no file")]
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str, fault: str) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"x" * 1_000)[:-20])
    with pytest.raises(Failed, match=fault), rereadable(str(tmp_path / name)):
        pass
