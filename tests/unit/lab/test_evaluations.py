"""Evaluations: measures, formats of data sets, and what the command prints."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.conversations import conversation
from tests.fixtures.sentence_tables import table

from ricordo_lab.console import UnreadableData, UnsuitableData
from ricordo_lab.evaluation import answer_evaluation, locomo
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.ratings import read
from ricordo_lab.evaluation.recall_data import read_conversations
from ricordo_lab.evaluation.retrieval_measures import CUTOFFS, measure
from ricordo_lab.peers.comparison import LIVES

ids = st.lists(st.integers(0, 80).map(str), unique=True, max_size=60)


def test_by_hand() -> None:
    found = ["x", "a", "x2", "x3", "x4", "b"]
    measured = measure(found, {"a", "b", "lost"})
    assert (measured.at(5), measured.at(10)) == pytest.approx((1 / 3, 2 / 3))
    assert (set(measured.any[1:]), set(measured.all)) == ({1}, {0})
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


@pytest.mark.parametrize(
    ("folder", "lives", "messages", "questions", "in_chats"),
    [("lives", 10, 60, 500, 160), ("languages", 12, 10, 120, 0), ("two_steps", 8, 30, 40, 0)],
)
def test_the_lives_of_the_project_are_complete(
    folder: str, lives: int, messages: int, questions: int, in_chats: int
) -> None:
    found = read_conversations(LIVES.parent / folder)
    assert [len(life.turns) for life in found] == [messages] * lives
    assert sum(len(life.questions) for life in found) == questions
    whole = list(answer_evaluation.read_lives(LIVES.parent / folder, None))
    assert sum(question.chat is not None for life in whole for question in life.questions) == in_chats
    for life in whole:
        known = {message.id for message in life.messages}
        assert all(known.issuperset(question.evidence) for question in life.questions)
        told = [question for question in life.questions if question.kind != answer_evaluation.NEVER]
        assert all(question.accept or question.evidence for question in told), life.name


@pytest.mark.parametrize(("words", "code", "says"), table(__file__, "wrong"))
def test_what_is_wrong_is_said(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, says: str
) -> None:
    assert main(words) == code
    out, err = capfd.readouterr()
    assert says in out + err


RATED = """id,split,V,A,D,text
1,dev,4.5,4,3.5,"I am so happy, thanks!"
2,dev,1.5,4,2,I am sad and afraid
3,dev,3,3,3,The bus is late
"""


def _file(folder: Path, content: str) -> Path:
    path = folder / "rated"
    path.write_text(content, encoding="utf-8")
    return path


def test_ratings_are_read(tmp_path: Path) -> None:
    ratings = read(_file(tmp_path, RATED))
    assert ratings.texts[0] == "I am so happy, thanks!"
    assert ratings.rated[1].tolist() == [1.5, 4.0, 2.0]
    for broken in ("text,V\na,1\n", RATED.replace("1.5", "9"), "text,V,A,D\n"):
        with pytest.raises(UnsuitableData):
            read(_file(tmp_path, broken))


def test_the_command_measures_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, RATED)
    assert main(("emotion", "--data", str(path), "--json")) == 0
    out = capfd.readouterr().out
    assert json.loads(out.splitlines()[0])["valence"] > 0.9
    assert main(("emotion", "--data", str(path))) == 0
    assert "\ncalibration\n" in capfd.readouterr().out
    assert main(("emotion", "--data", str(tmp_path / "none"))) == 1
    assert "cannot be read" in capfd.readouterr().err
