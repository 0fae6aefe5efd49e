"""How the reading of times is scored on a file of specification cases; the cases here are our own."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ricordo_lab.evaluation.temporal_evaluation import score_temporal

NOW = "2026-02-04T15:30:00"


def local(day: str) -> datetime:
    return datetime.fromisoformat(day)


def case(text: str, *results: dict[str, Any], file: str = "DateParser.json") -> dict[str, Any]:
    return {
        "file": file,
        "Input": text,
        "Context": {"ReferenceDateTime": NOW},
        "Results": [{"Start": text.index(result["Text"]), **result} for result in results],
    }


def parsed(text: str, kind: str, **past: str) -> dict[str, Any]:
    """A result in the shape of the parsers: two readings, the past one wanted."""
    future = dict.fromkeys(past, "2030-01-01")
    return {"Text": text, "Type": kind, "Value": {"FutureResolution": future, "PastResolution": past}}


def resolved(text: str, kind: str, *values: dict[str, str]) -> dict[str, Any]:
    """A result in the shape of the models: a list of values, the past one first."""
    return {"Text": text, "TypeName": f"datetimeV2.{kind}", "Resolution": {"values": list(values)}}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return tmp_path / "cases.json"


def write(path: Path, *written: dict[str, Any]) -> Path:
    path.write_text(json.dumps(written), encoding="utf-8")
    return path


def test_days_and_ranges_count_when_both_bounds_are_right(cases: Path) -> None:
    write(
        cases,
        case("we met yesterday", parsed("yesterday", "date", date="2026-02-03")),
        case("we met in May", parsed("in May", "daterange", startDate="2025-05-01", endDate="2025-06-01")),
        case(
            "we meet on Friday", resolved("Friday", "date", {"value": "2026-01-30"}, {"value": "2026-02-06"})
        ),
        case("last week", resolved("last week", "daterange", {"start": "2026-01-26", "end": "2026-02-03"})),
    )
    score = score_temporal(cases, "en")
    assert (score.cases, score.exact) == ({"date": 2, "daterange": 2}, {"date": 2, "daterange": 1})
    assert (score.share("date"), score.share("daterange")) == (1.0, 0.5)
    (miss,) = score.misses
    assert miss["text"] == "last week"
    assert miss["expected"] == (local("2026-01-26"), local("2026-02-03"))
    assert miss["read"] == (local("2026-01-26"), local("2026-02-02"))


def test_a_time_found_where_there_is_none_is_a_false_positive(cases: Path) -> None:
    write(
        cases,
        case("I may go"),
        case("for three days", parsed("three days", "duration", duration="P3D")),
        case("yesterday"),
        case("at 5pm yesterday", parsed("at 5pm yesterday", "datetime", dateTime="2026-02-03T17:00:00")),
    )
    score = score_temporal(cases, "en")
    assert score.timeless == 3
    assert [(miss["text"], miss["expected"]) for miss in score.false_positives] == [("yesterday", None)]
    assert score.share("date") == 0.0
