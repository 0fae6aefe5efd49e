"""How contexts are scored: what they must hold, in which order, and what confidence tells."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, QueryTime
from ricordo.messages.vocabulary import Analyser, Intent
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.daily import Answered, auroc, figures, read

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


def test_what_is_stale_may_follow_and_not_lead() -> None:
    assert answered("now in Bari, before in Lodi", ["Bari"], stale="Lodi").right
    assert not answered("before in Lodi, now in Bari", ["Bari"], stale="Lodi").right


def test_figures_are_shares_by_group() -> None:
    first = [
        answered("a", ["a"], sure=0.9),
        answered("a", ["b"], sure=0.8),
        answered("a", ["a"], group="self", sure=0.9),
        answered("a", group="never", sure=0.1),
    ]
    found = figures(first, [first[0]])
    assert found == {"quiz": 0.5, "self": 1.0, "quiz_after_its_questions": 1.0, "never_auroc": 1.0}
    assert auroc([], [1.0]) == 0.5
    assert auroc([0.5], [0.5]) == 0.5


def test_a_folder_without_lives_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableData, match="questions"):
        read(tmp_path, NOW)
    (tmp_path / "x.questions.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableData, match="x"):
        read(tmp_path, NOW)
    message = {"id": "1", "user_id": "u", "conversation_id": "c", "role": "user", "content": "Hi, I'm Ann."}
    message["timestamp"] = "2026-01-01T00:00:00Z"
    (tmp_path / "x.jsonl").write_text(json.dumps(message), encoding="utf-8")
    assert read(tmp_path, NOW)[0].messages[0].content == "Hi, I'm Ann."
