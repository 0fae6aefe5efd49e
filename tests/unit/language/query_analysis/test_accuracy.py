"""How well questions are understood that no pattern was written for, and that the figures say so."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ricordo.language.query_analysis import QueryAnalysis
from ricordo_lab.evaluation.question_evaluation import (
    DECIDERS,
    read_questions,
    score_questions,
    understanding,
)

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
