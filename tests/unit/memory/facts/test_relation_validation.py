"""What a language model says of a message counts as far as the message has it, asserts it and names whom."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.relation_validation import (
    Passage,
    RecognisedEntity,
    Relation,
    RelationFault,
    ValidatedStatements,
    validate_relations,
)
from ricordo.memory.llm_validation import LlmMessage

AT = datetime(2026, 5, 4, 10, tzinfo=UTC)

Claim = tuple[str, str, str, str] | tuple[str, str, str, str, str]


def validated(
    text: str,
    *claims: Claim,
    language: str = "en",
    entities: tuple[RecognisedEntity, ...] = (),
    rules: tuple[Statement, ...] = (),
) -> ValidatedStatements:
    """Return what comes of claims about a text of which the rules have read `rules`."""
    passage = Passage(LlmMessage(text, language), entities)
    return validate_relations(passage, [Relation(*claim) for claim in claims], rules, at=AT, zone=UTC)


def added(text: str, *claims: Claim, language: str = "en") -> list[tuple[str, str, str, str]]:
    found = validated(text, *claims, language=language)
    assert found.faults == ()
    assert found.added == len(claims)
    return [(one.subject, one.predicate, one.object, one.polarity) for one in found.statements]


RELATIONS: dict[str, list[list[Any]]] = tomllib.loads(
    Path(__file__).with_name("relations.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("claimed", "expected"), RELATIONS["borne_out"])
def test_what_the_message_bears_out_is_added(claimed: list[str], expected: list[str]) -> None:
    language, text, subject, predicate, value, quote = claimed
    claim = (
        subject,
        predicate,
        value,
        quote.removesuffix(" (past)"),
        "past" if quote.endswith(" (past)") else "holds",
    )
    subject, value, polarity = expected
    assert added(text, claim, language=language) == [(subject, predicate, value, polarity)]


@pytest.mark.parametrize(("claimed", "fault"), RELATIONS["dropped"])
def test_what_the_message_does_not_bear_out_is_dropped(claimed: list[str], fault: str) -> None:
    language, text, subject, predicate, value, quote = claimed
    found = validated(text, (subject, predicate, value, quote), language=language)
    assert (found.statements, found.added, found.faults) == ((), 0, (RelationFault[fault],))


def test_overlong_parts_are_dropped() -> None:
    assert validated("a " * 400, ("user", "likes", "a", "a " * 400)).faults == (RelationFault.QUOTE,)
    assert validated("x" * 300, ("x" * 300, "likes", "x", "x" * 300)).faults == (RelationFault.SUBJECT,)


def ruled(
    text: str, predicate: str, value: str, polarity: Polarity = "holds", subject: str = "user"
) -> tuple[Statement, ...]:
    """Return what the rules have read of a text, quoting all of it."""
    return (Statement(subject, predicate, value, text, (0, len(text)), polarity=polarity),)


@pytest.mark.parametrize(("rules", "claim"), table(__file__, "where_the_rules_read_otherwise_they_are_right"))
def test_where_the_rules_read_otherwise_they_are_right(
    rules: tuple[str, str] | tuple[str, str, Polarity], claim: Claim
) -> None:
    text = "I live in Rome, near Ostia."
    stated = ruled(text, *rules)
    found = validated(text, claim, rules=stated)
    assert (found.statements, found.added, found.faults) == (stated, 0, (RelationFault.CONTESTED,))


@pytest.mark.parametrize(
    ("text", "predicate", "value"), table(__file__, "an_ending_that_is_denied_is_learned_from_a_model")
)
def test_an_ending_that_is_denied_is_learned_from_a_model(text: str, predicate: str, value: str) -> None:
    denied = ruled(text, predicate, value, "denied")
    past = validated(text, ("user", predicate, value, text, "past"), rules=denied)
    assert [(one.polarity, one.object) for one in past.statements] == [("past", value)]
    still = validated(text, ("user", predicate, value, text), rules=denied)
    assert still.faults == (RelationFault.CONTESTED,)


def test_what_the_rules_have_read_is_not_said_again() -> None:
    text = "Ho un cane che si chiama Max e adoro la pizza con le cipolle."
    rules = (*ruled(text, "has_pet", "Max"), *ruled(text, "likes", "pizza con le cipolle"))
    claims: list[Claim] = [
        ("user", "has_pet", "max", "un cane che si chiama Max"),
        ("User", "likes", "la pizza", "adoro la pizza"),
    ]
    found = validated(text, *claims, language="it", rules=rules)
    assert (found.statements, found.added, found.faults) == (rules, 0, ())


def test_statements_come_in_the_order_of_the_text() -> None:
    text = "Nora went and wed Tom. I live in Rome. Ada got hooked on chess."
    found = validated(
        text,
        ("Ada", "likes", "chess", "Ada got hooked on chess"),
        ("Nora", "partner", "Tom", "Nora went and wed Tom"),
        rules=(Statement("user", "lives_in", "Rome", "I live in Rome", (23, 37)),),
    )
    assert [one.object for one in found.statements] == ["Tom", "Rome", "chess"]
    assert all(text[slice(*one.span)] == one.quote for one in found.statements)


def test_who_is_tied_to_the_user_stays_so() -> None:
    text, tie = "My sister Nora got hooked on chess.", "has_sibling/f/sister"
    known = Statement("user", "has_sibling", "Nora", "My sister Nora", (0, 14), object_tie=tie)
    found = validated(text, ("Nora", "likes", "chess", "Nora got hooked on chess"), rules=(known,))
    (chess,) = (one for one in found.statements if one.object == "chess")
    assert chess.subject_tie == tie


def test_names_that_look_like_code_are_names() -> None:
    text = "Luca'}) DETACH DELETE n // ha messo radici a Pisa"
    found = validated(
        text,
        ("Luca", "lives_in", "Pisa", "ha messo radici a Pisa"),
        ("Luca'}) DETACH DELETE n //", "lives_in", "Pisa", "ha messo radici a Pisa"),
        language="it",
    )
    assert [(one.subject, one.object) for one in found.statements] == [("Luca", "Pisa")]
    assert found.faults == (RelationFault.SUBJECT,)


def test_only_so_many_claims_are_looked_at() -> None:
    found = validated("Nora wed Tom.", *[("Nora", "MARRIED_TO", "Tom", "Nora wed Tom")] * 100)
    assert len(found.faults) < 20


TEXTS = st.one_of(
    st.text(max_size=80), st.sampled_from([claimed[1] for part in RELATIONS.values() for claimed, _ in part])
)
WORDS = ["user", "Nora", "Tom", "Roma", "wed Tom", "(?<x", "'"]
PARTS = st.one_of(st.text(max_size=40), st.sampled_from(WORDS))
PREDICATE = st.one_of(PARTS, st.sampled_from(sorted(PREDICATES)))
CLAIMS = st.lists(st.tuples(PARTS, PREDICATE, PARTS, PARTS, st.booleans()))


@given(TEXTS, st.sampled_from(["it", "en", "de", ""]), CLAIMS)
def test_whatever_is_said_no_more_comes_of_it_than_the_message_has(
    text: str, language: str, claims: list[Claim]
) -> None:
    found = validated(text, *claims, language=language)
    assert len(found.statements) == found.added
    for one in found.statements:
        assert one.predicate in PREDICATES
        assert text[slice(*one.span)] == one.quote != ""
        assert one.subject == "user" or one.subject in text
