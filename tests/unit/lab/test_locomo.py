import json
from pathlib import Path

import pytest
from tests.fixtures.conversations import conversation

from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.locomo import read


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_turns_and_questions_are_read(tmp_path: Path) -> None:
    (found,) = read(write(tmp_path / "one.json", [conversation("c-1")]))
    assert [turn.id for turn in found.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert found.turns[2].session == 2
    assert found.turns[2].text == "My sister gave me a kayak. a red kayak on a lake"
    assert found.turns[0].at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert found.turns[1].at > found.turns[0].at
    assert [(one.category, sorted(one.evidence)) for one in found.questions] == [
        (4, ["D2:1"]),
        (1, ["D1:1", "D2:1"]),
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"a": 1}, "not a list of conversations"),
        ([{"sample_id": "c"}], "conversation"),
        ([1], "not a list"),
        ([], "no question"),
        ([{"sample_id": "c", "conversation": {}, "qa": []}], "no question"),
    ],
)
def test_another_shape_is_named(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(UnreadableData, match=says):
        read(write(tmp_path / "bad.json", content))


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableData, match="No such file"):
        read(tmp_path / "none.json")
    (tmp_path / "bad.json").write_bytes(b"{")
    with pytest.raises(UnreadableData, match="JSON"):
        read(tmp_path / "bad.json")
