"""What questions ask for, in Italian and English, by the table `questions.toml`."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.query_analysis.query_parser import analyse
from ricordo.language.query_analysis.requested_predicates import answer_examples, requested_predicates
from ricordo.language.query_analysis.search_terms import (
    QuestionForm,
    asks_for,
    is_only_a_name,
    is_only_time,
    match_speakers,
    question_parts,
    without_speaker_names,
)
from ricordo.language.text import stem

RULES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("questions.toml").read_text(encoding="utf-8")
)
ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)


def understood(query: str, now: datetime = NOW, known: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what the table may tell of a question."""
    found = analyse(query, now=now, zone=ROME, known_names=known)
    time = found.time
    days = {
        name: "" if time is None else f"{instant.astimezone(ROME):%Y-%m-%d}"
        for name, instant in (
            [] if time is None else [("start", time.start), ("end", time.end), ("through", time.through)]
        )
    }
    return {
        "intent": found.intent,
        "language": found.language,
        "analyser": found.analyser,
        "entities": list(found.entities),
        "topics": list(found.topics),
        "types": list(found.memory_types),
        "emotion": found.emotion_filter or "",
        "archive": found.archive,
        "left": found.semantic_query,
        "timed": time is not None,
        "strict": time is not None and time.strict,
        "ahead": time is not None and time.ahead,
        "only_a_name": is_only_a_name(found),
        "only_a_time": is_only_time(found),
        "for_a_time": asks_for("time", query),
        "predicate": next(iter(requested_predicates(query, found.language).names), ""),
        **days,
    }


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str) -> None:
    rule = RULES[name]
    now = datetime.fromisoformat(rule["now"]).replace(tzinfo=ROME) if "now" in rule else NOW
    queries = rule.get("each") or {query: {} for query in rule["queries"]}
    expected = {query: rule.get("expect", {}) | own for query, own in queries.items()}
    found = {query: understood(query, now, tuple(rule.get("known", ()))) for query in queries}
    assert {
        query: {field: found[query][field] for field in fields} for query, fields in expected.items()
    } == expected


def test_language_may_be_given_or_unknown() -> None:
    def times(query: str, language: str) -> bool:
        return analyse(query, now=NOW, zone=ROME, language=language).time is not None

    assert times("ieri", "it-IT")
    assert not times("ieri", "en")
    assert analyse("yesterday", now=NOW, zone=ROME, language="fr").language == "fr"
    assert not times("yesterday", "fr")


@pytest.mark.parametrize("piece", ["!", "ieri ", "parlami di ", "Come si fa ", "A", "\n", "\x00\ud800"])
def test_long_query_is_analysed_by_its_beginning(piece: str) -> None:
    assert analyse((piece * 32_768)[:32_768], now=NOW, zone=ROME).semantic_query


def test_speaker_is_not_searched_for_by_name() -> None:
    assert without_speaker_names("What did Anna's sister paint", ["Anna"]) == "What did sister paint"
    assert without_speaker_names("cosa ha detto anna di Annalisa", ["Anna"]) == "cosa ha detto di Annalisa"
    assert without_speaker_names("Anna", ["Anna"]) == "Anna"
    assert without_speaker_names("a.b and axb", ["a.b"]) == "and axb"


def test_speaker_is_known_by_a_part_of_the_name() -> None:
    speakers = ["Anna Rossi", "Jean-Luc", " "]
    assert match_speakers(["anna", "Paolo", "Jean"], speakers) == {"anna": frozenset({"anna rossi"})}
    assert match_speakers([], speakers) == {}


@pytest.mark.parametrize(("query", "language"), table(__file__, "no_predicate"))
def test_other_questions_ask_for_no_predicate(query: str, language: str) -> None:
    assert not requested_predicates(query, language).names


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_predicate_of_the_table_exists_and_has_sentences(language: str) -> None:
    for name in read_table("predicate_questions", language)["predicates"]:
        assert name in PREDICATES
        told = answer_examples(name, language)
        assert told is not None
        assert len(told.sentences) > 1
        assert told.words
    assert answer_examples("name", "fr") is None


@pytest.mark.parametrize(("query", "language", "besides"), table(__file__, "besides_its_predicate"))
def test_what_a_question_says_besides_its_predicate(query: str, language: str, besides: str) -> None:
    found = requested_predicates(query, language)
    assert found.besides == {stem(word, language) for word in besides.split()}
    asked = replace(found, bare=0.9)
    assert asked.without_searchable_words(found.besides).bare == (0.0 if besides else 0.9)
    assert asked.without_searchable_words({"elsewhere"}).bare == 0.9


@pytest.mark.parametrize(("question", "parts"), table(__file__, "parts"))
def test_a_query_may_hold_questions_one_after_the_other(question: str, parts: Sequence[str]) -> None:
    assert question_parts(question) == [*parts]


@given(question=st.text(max_size=80))
def test_no_word_of_a_question_is_lost_but_what_joins_its_parts(question: str) -> None:
    parts = question_parts(question)
    assert sum(map(len, parts)) <= len(question)
    assert all(part in question for part in parts)


@pytest.mark.parametrize(("what", "question", "does"), table(__file__, "forms"))
def test_what_is_asked_for_is_known_by_the_form(what: QuestionForm, question: str, *, does: bool) -> None:
    assert asks_for(what, question) == does
