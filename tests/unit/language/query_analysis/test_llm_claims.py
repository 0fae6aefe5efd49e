"""What a language model says of a question, and whom a question is about by ties to the user."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.query_parser import QueryClaim, analyse
from ricordo.language.query_analysis.relatives import asked_relative

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)


def ask(query: str, claim: QueryClaim | None = None) -> QueryAnalysis:
    return analyse(query, now=NOW, zone=ROME, claim=claim)


def test_a_model_sees_what_the_rules_do_not() -> None:
    query = "the allotment, where are we with it?"
    assert ask(query).intent == "general"
    seen = ask(query, QueryClaim("topic", topics=("allotment",)))
    assert (seen.intent, seen.topics, seen.analyser) == ("topic", ("allotment",), "llm")


def test_a_name_that_begins_a_sentence_is_found_with_its_help() -> None:
    assert ask("Rex dove dorme?").entities == ()
    seen = ask("Rex dove dorme?", QueryClaim("entity", entities=("rex",)))
    assert (seen.intent, seen.entities) == ("entity", ("Rex",))


@pytest.mark.parametrize("claimed", table(__file__, "of_what_the_rules_see"))
def test_what_the_rules_see_is_not_unseen(claimed: dict[str, Any]) -> None:
    claim = QueryClaim(**claimed)
    plain, seen = ask("Cosa abbiamo fatto ieri?"), ask("Cosa abbiamo fatto ieri?", claim)
    assert (seen.intent, seen.time, seen.entities, seen.topics) == ("temporal", plain.time, (), ())
    assert seen.emotion_filter is None


@pytest.mark.parametrize(("query", "claimed"), table(__file__, "not_in_the_question"))
def test_what_stands_not_in_the_question_does_not_count(query: str, claimed: dict[str, Any]) -> None:
    seen = ask(query, QueryClaim(**claimed))
    assert (seen.time, seen.entities, seen.topics, seen.emotion_filter) == (None, (), (), None)
    assert (seen.intent, seen.memory_types) == ("general", ())


@given(
    query=st.text(max_size=60) | st.sampled_from(["Cosa ha detto Anna ieri?", "how do I do it", "di X"]),
    claim=st.builds(
        QueryClaim,
        intent=st.sampled_from(["temporal", "entity", "emotional", "topic", "procedural", "general"]),
        time=st.text(max_size=20) | st.just("ieri"),
        entities=st.lists(st.text(max_size=10) | st.just("Anna"), max_size=4).map(tuple),
        topics=st.lists(st.text(max_size=10), max_size=4).map(tuple),
        emotion=st.sampled_from(["positive", "negative", "neutral", None]),
    ),
)
def test_any_claim_is_borne_out_or_dropped(query: str, claim: QueryClaim) -> None:
    seen = ask(query, claim)
    assert all(name.casefold() in query.casefold() for name in seen.entities)
    assert seen.emotion_filter is None or seen.intent == "emotional"
    if seen.time is not None:
        assert seen.time.start < seen.time.end
        assert seen.intent == "temporal" or not seen.time.strict


@pytest.mark.parametrize(("language", "question", "nouns", "predicates", "besides"), table(__file__, "asked"))
def test_ties_and_what_is_asked_are_read(
    language: str, question: str, nouns: tuple[str, ...], predicates: str, besides: str
) -> None:
    asked = asked_relative(question, language)
    assert asked is not None
    assert tuple(tie.noun for tie in asked.ties) == nouns
    assert asked.requested.names == tuple(predicates.split())
    assert asked.requested.besides == frozenset(besides.split())


@pytest.mark.parametrize(("language", "question"), table(__file__, "unasked"))
def test_questions_about_the_user_or_several_name_nobody(language: str, question: str) -> None:
    assert asked_relative(question, language) is None


def test_they_are_known_by_other_nouns_and_in_other_languages() -> None:
    mother = asked_relative("Where was my mother born?", "en")
    assert mother is not None
    assert mother.is_spoken_of("Mamma è a Napoli")
    assert mother.is_spoken_of("Mum called.")
    assert not mother.is_spoken_of("My father called.")
    assert not mother.is_spoken_of("The key is at my parents'.")
    assert "?has_parent/f/mamma" in mother.stored_ties()
    assert "has_parent/m/dad" not in mother.stored_ties()
    dog = asked_relative("What does my dog eat?", "en")
    assert dog is not None
    assert dog.is_spoken_of("Our labrador eats anything.")
    boss = asked_relative("Where does my boss live?", "en")
    assert boss is not None
    assert not boss.is_spoken_of("My neighbour lives in Reading.")
