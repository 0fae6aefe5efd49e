"""How well questions are understood, by rules and by the fitted head, and that the figures say so."""

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.data_files import LANGUAGES
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.intents import masked
from ricordo.language.query_analysis.query_parser import parse_query
from ricordo.language.text_head import TextHead, load_head
from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.evaluation.question_evaluation import (
    DECIDERS,
    NOW,
    read_questions,
    score_questions,
    understanding,
)
from ricordo_lab.evaluation.softmax_heads import fit_intents

HERE = Path(__file__).parent
DEVELOPMENT = read_questions(HERE / "development.tsv")
HELD_OUT = read_questions(HERE / "held_out.tsv")


def test_both_sets_hold_both_languages_and_all_intents_and_share_no_question() -> None:
    for questions in (DEVELOPMENT, HELD_OUT):
        languages = Counter(one.language for one in questions)
        assert languages["it"] == pytest.approx(languages["en"], rel=0.1)
        assert len({one.intents[0] for one in questions}) == 6
    asked = [one.query.casefold() for one in (*DEVELOPMENT, *HELD_OUT)]
    assert len(set(asked)) == len(asked)


def test_questions_that_nothing_was_tuned_to_are_understood() -> None:
    score = score_questions(HELD_OUT)
    assert score.intent >= 0.92
    assert score.entities >= 0.98
    assert score.emotion >= 0.95
    assert score.time >= 0.97
    assert score.lost <= 0.02


def test_what_was_understood_while_developing_still_is() -> None:
    score = score_questions(DEVELOPMENT)
    assert score.intent >= 0.98
    assert score.lost <= 0.01


def test_rules_and_head_together_understand_more_than_either() -> None:
    shares = {name: score_questions(HELD_OUT, understanding(decide)) for name, decide in DECIDERS.items()}
    assert shares["both"].intent > shares["rules"].intent > shares["head"].intent
    assert shares["both"].lost <= shares["rules"].lost + 0.01


def test_what_is_right_scores_full_and_what_is_wrong_is_named() -> None:
    questions = [one for one in DEVELOPMENT if one.query == "Cosa abbiamo fatto ieri con Davide?"]
    right = score_questions(questions)
    assert (right.intent, right.entities, right.time, right.emotion, right.lost) == (1, 1, 1, 1, 0)
    assert right.misses == ()

    def wrongly(query: str, known: object) -> QueryAnalysis:
        return replace(
            understanding()(query, ()),
            intent="emotional",
            emotion_filter="positive",
            entities=("Anna",),
            time=None,
        )

    wrong = score_questions(questions, wrongly)
    assert (wrong.intent, wrong.entities, wrong.time, wrong.emotion, wrong.lost) == (0, 0, 0, 0, 1)
    assert {miss["what"] for miss in wrong.misses} == {"intent", "entities", "time", "emotion"}


FITTED_ON = Path(__file__).parent / "development.tsv"


def text(query: str) -> str:
    return masked(parse_query(query, NOW, ZoneInfo("Europe/Rome"), "en", frozenset())[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_heads_that_are_shipped_were_fitted_on_the_development_questions(language: str) -> None:
    shipped = load_head("ricordo.language.query_analysis", "intents", language)
    assert shipped is not None
    assert shipped.fitted_on == hashlib.sha256(FITTED_ON.read_bytes()).hexdigest()
    assert len(shipped.labels) == 6


def test_what_times_and_names_are_does_not_count() -> None:
    assert text("What did Anna do last week?") == text("What did Marco do yesterday?")


@given(st.text())
def test_any_text_is_masked(query: str) -> None:
    assert len(text(query)) <= len(query)


def test_a_head_learns_the_order_of_words_and_not_only_words(tmp_path: Path) -> None:
    header, *lines = FITTED_ON.read_text(encoding="utf-8").splitlines()
    some = [line for line in lines if line.startswith("en")][::2]
    file = tmp_path / "questions.tsv"
    file.write_text("\n".join([header, *some]) + "\n", encoding="utf-8")
    assert main(["fit-questions", "--data", str(file), "--out", str(tmp_path)]) == 0
    head = fit_intents(read_questions(file), "en")
    kept = TextHead.restored((tmp_path / "intents_en.npz").read_bytes())
    assert kept.fitted_on == hashlib.sha256(file.read_bytes()).hexdigest()
    questions = list(map(text, ("How do I mend a zip?", "Do I mend a zip how?")))
    for one in questions:
        assert kept.probabilities(one) == pytest.approx(head.probabilities(one), abs=1e-3)
    likely = [head.probabilities(one)["procedural"] for one in questions]
    assert likely[0] > likely[1]
