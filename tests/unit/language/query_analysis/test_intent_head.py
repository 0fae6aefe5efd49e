"""The fitted head: it learns, it is what was fitted, and it says how sure it is."""

import hashlib
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.query_analysis.intent_head import INTENTS, IntentHead, load_intent_head
from ricordo.language.query_analysis.query_parser import parse_query
from ricordo.language.query_analysis.question_sentence import ParsedQuestion
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.question_evaluation import NOW, read_questions
from ricordo_lab.evaluation.softmax_heads import fit_question_head

DEVELOPMENT = Path(__file__).parent / "development.tsv"


def reading(query: str) -> ParsedQuestion:
    return parse_query(query, NOW, ZoneInfo("Europe/Rome"), "en", frozenset())[0]


def test_the_head_that_is_shipped_was_fitted_on_the_development_questions() -> None:
    assert load_intent_head().fitted_on == hashlib.sha256(DEVELOPMENT.read_bytes()).hexdigest()


@given(st.text())
def test_probabilities_are_of_all_intents_and_add_up(query: str) -> None:
    odds = load_intent_head().probabilities(reading(query))
    assert tuple(odds) == INTENTS
    assert sum(odds.values()) == pytest.approx(1, abs=1e-5)


def test_a_head_learns_the_order_of_words_and_not_only_words(tmp_path: Path) -> None:
    header, *lines = DEVELOPMENT.read_text(encoding="utf-8").splitlines()
    some = [line for line in lines if line.startswith("en")][::2]
    file, out = tmp_path / "questions.tsv", tmp_path / "head.npz"
    file.write_text("\n".join([header, *some]) + "\n", encoding="utf-8")
    assert main(["fit-questions", "--data", str(file), "--out", str(out)]) == 0
    head = fit_question_head(read_questions(file))
    kept = IntentHead.restored(out.read_bytes())
    assert kept.fitted_on == hashlib.sha256(file.read_bytes()).hexdigest()
    questions = list(map(reading, ("How do I mend a zip?", "Do I mend a zip how?")))
    assert [kept.probabilities(one) for one in questions] == [head.probabilities(one) for one in questions]
    likely = [head.probabilities(one)["procedural"] for one in questions]
    assert likely[0] > likely[1]
