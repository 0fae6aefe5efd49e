"""Evaluations: measures, formats of data sets, and what the command prints."""

import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.conversations import conversation
from tests.fixtures.sentence_tables import table

import ricordo_lab
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation import answer_evaluation, locomo, two_step_evaluation
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.ratings import read
from ricordo_lab.evaluation.retrieval_measures import CUTOFFS, measure
from ricordo_lab.evaluation.temporal_evaluation import TemporalScore, score_temporal

TWO_STEPS = Path(ricordo_lab.__file__).parent / "corpus" / "two_steps.jsonl"
ids = st.lists(st.integers(0, 80).map(str), unique=True, max_size=60)


def test_by_hand() -> None:
    found = ["x", "a", "x2", "x3", "x4", "b"]
    measured = measure(found, {"a", "b", "lost"})
    assert measured.fraction[:2] == pytest.approx((1 / 3, 2 / 3))
    assert (set(measured.any), set(measured.all)) == ({1}, {0})
    gained = 1 / math.log2(3) + 1 / math.log2(7)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert measured.ndcg == pytest.approx(gained / best)


@given(ids, st.sets(st.integers(0, 80).map(str), min_size=1))
def test_figures_are_shares_and_grow_with_the_cutoff(found: list[str], evidence: set[str]) -> None:
    measured = measure(found, evidence)
    for figures in (measured.fraction, measured.any, measured.all):
        assert len(figures) == len(CUTOFFS)
        assert list(figures) == sorted(figures)
        assert 0 <= figures[0] <= figures[-1] <= 1
    assert all(
        whole <= part <= some
        for whole, part, some in zip(measured.all, measured.fraction, measured.any, strict=True)
    )
    assert 0 <= measured.ndcg <= 1 + 1e-12


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_turns_and_questions_are_read(tmp_path: Path) -> None:
    (found,) = locomo.read(write(tmp_path / "one.json", [conversation("c-1")]))
    assert [turn.id for turn in found.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert found.turns[2].session == 2
    assert found.turns[2].text == "My sister gave me a kayak. a red kayak on a lake"
    assert found.turns[0].at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert found.turns[1].at > found.turns[0].at
    assert [(one.category, sorted(one.evidence)) for one in found.questions] == [
        (4, ["D2:1"]),
        (1, ["D1:1", "D2:1"]),
    ]


@pytest.mark.parametrize(("content", "says"), table(__file__, "other_shapes"))
def test_another_shape_is_named(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(UnreadableData, match=says):
        locomo.read(write(tmp_path / "bad.json", content))


def test_a_folder_without_lives_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableData, match="questions"):
        next(answer_evaluation.read_lives(tmp_path, None))
    (tmp_path / "x.questions.jsonl").write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableData, match="x"):
        next(answer_evaluation.read_lives(tmp_path, None))


def test_the_lives_of_the_project_are_complete() -> None:
    lives = list(answer_evaluation.read_lives(TWO_STEPS.parent / "lives", None))
    assert [len(life.messages) for life in lives if life.name.startswith("l")] == [60] * 10
    assert sum(question.chat is not None for life in lives for question in life.questions) == 160
    for life in lives:
        known = {message.id for message in life.messages}
        assert all(known.issuperset(question.evidence) for question in life.questions)
        told = [question for question in life.questions if question.kind != answer_evaluation.NEVER]
        assert all(question.accept for question in told), life.name


@pytest.mark.parametrize(("words", "code", "says"), table(__file__, "wrong"))
def test_what_is_wrong_is_said(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, says: str
) -> None:
    assert main(words) == code
    out, err = capfd.readouterr()
    assert says in out + err


def test_lives_with_questions_of_two_steps_are_read(tmp_path: Path) -> None:
    of: dict[str, object] = {"life": "a", "language": "en"}
    question_line = of | {"kind": "question", "text": "What does my boss do?", "evidence": [1], "bridge": [0]}
    lines = [
        of | {"kind": "message", "at": "2026-01-05T20:10", "text": "My boss is Ugo."},
        of | {"kind": "message", "at": "2026-01-06T20:10", "text": "Ugo sails."},
        question_line,
    ]
    path = tmp_path / "lives.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    [life], [question] = two_step_evaluation.read(path)
    assert [(turn.id, turn.text) for turn in life.turns] == [("0", "My boss is Ugo."), ("1", "Ugo sails.")]
    assert len({turn.session for turn in life.turns}) == 2
    answered = question._replace(found=["0", "2", "3", "4", "5", "1"])
    assert (answered.share(answered.evidence, 5), answered.share(answered.evidence, 10)) == (0, 1)
    assert answered.share(answered.bridge, 5) == 1
    for broken in ("{", "[]", '{"life": "a"}', json.dumps(question_line | {"bridge": []})):
        path.write_text(broken)
        with pytest.raises(UnreadableData):
            two_step_evaluation.read(path)
    with pytest.raises(UnreadableData):
        two_step_evaluation.read(tmp_path / "missing.jsonl")


def test_the_two_step_lives_of_the_project_are_complete() -> None:
    lives, questions = two_step_evaluation.read(TWO_STEPS)
    assert [len(life.turns) for life in lives] == [30] * 8
    assert len(questions) == 40
    places = {str(place) for place in range(30)}
    assert all(one.evidence | one.bridge <= places for one in questions)


RATED = """id,split,V,A,D,text
1,dev,4.5,4,3.5,"I am so happy, thanks!"
2,dev,1.5,4,2,I am sad and afraid
3,dev,3,3,3,The bus is late
"""
LABELLED = "I am so happy!\t17\ta\nThis is disgusting\t11\tb\nIt rains\t27\tc\nHappy and sad\t17,25\td\n"


def _file(folder: Path, content: str) -> Path:
    path = folder / "rated"
    path.write_text(content, encoding="utf-8")
    return path


def test_axes_and_labels_are_read(tmp_path: Path) -> None:
    on_axes = read(_file(tmp_path, RATED))
    assert on_axes.on_axes
    assert on_axes.texts[0] == "I am so happy, thanks!"
    assert on_axes.rated[1].tolist() == [1.5, 4.0, 2.0]
    labelled = read(_file(tmp_path, LABELLED))
    assert not labelled.on_axes
    assert np.flatnonzero(labelled.rated[3]).tolist() == [17, 25]


def test_the_command_measures_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, RATED)
    assert main(("emotion", "--data", str(path), "--json")) == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[0])["valence"] > 0.9
    assert main(("emotion", "--data", str(path))) == 0
    assert "\ncalibration\n" in capfd.readouterr().out
    assert main(("emotion", "--data", str(tmp_path / "none"))) == 1
    assert "cannot be read" in capfd.readouterr().err


def local(day: str) -> datetime:
    return datetime.fromisoformat(day)


def case(text: str, *results: dict[str, Any], file: str = "DateParser.json") -> dict[str, Any]:
    return {
        "file": file,
        "Input": text,
        "Context": {"ReferenceDateTime": "2026-02-04T15:30:00"},
        "Results": [{"Start": text.index(result["Text"]), **result} for result in results],
    }


def parsed(text: str, kind: str, **past: str) -> dict[str, Any]:
    """A result in the shape of the parsers: two readings, the past one wanted."""
    future = dict.fromkeys(past, "2030-01-01")
    return {"Text": text, "Type": kind, "Value": {"FutureResolution": future, "PastResolution": past}}


def resolved(text: str, kind: str, *values: dict[str, str]) -> dict[str, Any]:
    """A result in the shape of the models: a list of values, the past one first."""
    return {"Text": text, "TypeName": f"datetimeV2.{kind}", "Resolution": {"values": list(values)}}


def scored(folder: Path, *cases: dict[str, Any]) -> TemporalScore:
    return score_temporal(write(folder / "cases.json", cases), "en")


def test_days_and_ranges_count_when_both_bounds_are_right(tmp_path: Path) -> None:
    score = scored(
        tmp_path,
        case("we met yesterday", parsed("yesterday", "date", date="2026-02-03")),
        case("we met in May", parsed("in May", "daterange", startDate="2025-05-01", endDate="2025-06-01")),
        case(
            "we meet on Friday", resolved("Friday", "date", {"value": "2026-01-30"}, {"value": "2026-02-06"})
        ),
        case("last week", resolved("last week", "daterange", {"start": "2026-01-26", "end": "2026-02-03"})),
    )
    assert (score.cases, score.exact) == ({"date": 2, "daterange": 2}, {"date": 2, "daterange": 1})
    assert (score.share("date"), score.share("daterange")) == (1.0, 0.5)
    (miss,) = score.misses
    assert miss["text"] == "last week"
    assert miss["expected"] == (local("2026-01-26"), local("2026-02-03"))
    assert miss["read"] == (local("2026-01-26"), local("2026-02-02"))


def test_a_time_found_where_there_is_none_is_a_false_positive(tmp_path: Path) -> None:
    score = scored(
        tmp_path,
        case("I may go"),
        case("for three days", parsed("three days", "duration", duration="P3D")),
        case("yesterday"),
        case("at 5pm yesterday", parsed("at 5pm yesterday", "datetime", dateTime="2026-02-03T17:00:00")),
    )
    assert score.timeless == 3
    assert [(miss["text"], miss["expected"]) for miss in score.false_positives] == [("yesterday", None)]
    assert score.share("date") == 0.0
