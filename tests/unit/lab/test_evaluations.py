"""Evaluations: measures, formats of data sets, and what the command prints."""

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.conversations import conversation

import ricordo_lab
from ricordo.messages.enumerations import Analyser, Intent
from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, QueryTime
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation import daily_evaluation, locomo, two_step_evaluation
from ricordo_lab.evaluation.daily_evaluation import Answered
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.retrieval_measures import CUTOFFS, measure

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
        locomo.read(write(tmp_path / "bad.json", content))


NOW = datetime(2026, 5, 1, tzinfo=UTC)


def answered(
    text: str, *need: list[str], stale: str = "", group: str = "quiz", sure: float = 0.5
) -> Answered:
    analysis = Analysis(
        intent=Intent.GENERAL, time=QueryTime(), semantic_query="q", analyser=Analyser.RULES, language="en"
    )
    reply = ContextReply(recall_id=uuid4(), analysis=analysis, context=text, tokens=1, confidence=sure)
    return Answered({"id": "q", "group": group, "question": "?", "need": need, "not_above": stale}, reply)


def test_all_pieces_of_an_alternative_must_stand_there() -> None:
    assert answered("the cat is red, the dog is blue", ["cat is red", "dog"]).right
    assert answered("the dog", ["cat"], ["dog"]).right
    assert not answered("the cat", ["cat", "dog"]).right


def test_a_folder_without_lives_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableData, match="questions"):
        daily_evaluation.read(tmp_path, NOW)
    (tmp_path / "x.questions.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableData, match="x"):
        daily_evaluation.read(tmp_path, NOW)
    message = {"id": "1", "user_id": "u", "conversation_id": "c", "role": "user", "content": "Hi, I'm Ann."}
    message["timestamp"] = "2026-01-01T00:00:00Z"
    (tmp_path / "x.jsonl").write_text(json.dumps(message), encoding="utf-8")
    assert daily_evaluation.read(tmp_path, NOW)[0].messages[0].content == "Hi, I'm Ann."


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 2, "NAME"),
        (("retrieval",), 2, "--data"),
        (("charm", "--data", "x"), 2, "invalid choice"),
        (("fit", "--data", "none.json"), 1, "none.json cannot be read"),
        (("questions", "--data", "none.tsv"), 1, "none.tsv cannot be read"),
        (("--help",), 0, "retrieval"),
    ],
)
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
