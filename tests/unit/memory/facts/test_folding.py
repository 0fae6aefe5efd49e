"""Facts are a pure fold over evidence: confidence, history, contradiction, and indifference to order."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_OID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.evidence import Evidence, Kind, Polarity
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.folding import fold

START = datetime(2026, 1, 1, tzinfo=UTC)


def said(
    predicate: str,
    value: str,
    day: int,
    *,
    subject: str = "user",
    message: str = "",
    polarity: Polarity = "holds",
    kind: Kind = "said",
) -> Evidence:
    at = START + timedelta(days=day)
    return Evidence(subject, predicate, value, message or f"m-{day}", at, polarity=polarity, kind=kind)


def folded(*rows: Evidence) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


def only(facts: Sequence[Fact], value: str) -> Fact:
    (found,) = [fact for fact in facts if fact.object == value]
    return found


def current(facts: Sequence[Fact]) -> list[str]:
    return [fact.object for fact in facts if fact.current]


def test_confidence_counts_distinct_messages_up_to_ten() -> None:
    rows = [said("likes", "tea", day) for day in range(12)]
    (fact,) = folded(*rows, *rows)
    assert fact.confidence == 10
    assert len(fact.message_ids) == 12
    assert (fact.first_seen, fact.last_reinforced) == (rows[0].at, rows[-1].at)


def test_a_message_that_claims_two_instants_was_said_at_the_first() -> None:
    twice = [said("likes", "tea", 3, message="m"), said("likes", "coffee", 1, message="m")]
    assert {fact.first_seen for fact in folded(*twice)} == {START + timedelta(days=1)}


def test_a_functional_predicate_holds_one_value_and_keeps_its_history() -> None:
    facts = folded(said("lives_in", "Rome", 0), said("lives_in", "Milan", 9))
    rome, milan = only(facts, "Rome"), only(facts, "Milan")
    assert rome.valid_to == milan.valid_from == START + timedelta(days=9)
    assert rome.contradictions == 1
    assert current(facts) == ["Milan"]


@pytest.mark.parametrize(("liked", "then", "stands"), table(__file__, "a_mood_is_no_change_of_taste"))
def test_a_mood_is_no_change_of_taste(
    liked: int, then: list[tuple[str, Polarity]], stands: tuple[tuple[str, bool], ...]
) -> None:
    likes = [said("likes", "tea", day) for day in range(liked)]
    later = [
        said(predicate, "tea", 10 + day, polarity=polarity) for day, (predicate, polarity) in enumerate(then)
    ]
    facts = folded(*likes, *later)
    assert [(fact.predicate, fact.disputed) for fact in facts if fact.current] == list(stands)


def test_a_lone_contradiction_disputes_a_firm_fact_and_a_second_overturns_it() -> None:
    firm = [said("lives_in", "Rome", day) for day in range(5)]
    disputed = folded(*firm, said("lives_in", "Milan", 10))
    assert current(disputed) == ["Rome"]
    assert only(disputed, "Rome").disputed
    assert only(disputed, "Milan").disputed
    overturned = folded(*firm, said("lives_in", "Milan", 10), said("lives_in", "Milan", 20))
    assert current(overturned) == ["Milan"]
    assert only(overturned, "Milan").confidence == 2
    assert only(overturned, "Rome").valid_to == START + timedelta(days=10)
    assert not any(fact.disputed for fact in overturned)


def test_the_same_message_twice_is_still_a_lone_contradiction() -> None:
    rows = [said("lives_in", "Rome", day) for day in range(5)]
    rows += [said("lives_in", "Rome", 10, polarity="past"), said("lives_in", "Milan", 10)]
    assert current(folded(*rows)) == ["Rome"]


def test_saying_a_disputed_fact_again_settles_the_dispute() -> None:
    rows = [said("lives_in", "Rome", day) for day in range(5)]
    facts = folded(
        *rows, said("lives_in", "Milan", 10), said("lives_in", "Rome", 11), said("lives_in", "Milan", 12)
    )
    rome = only(facts, "Rome")
    assert rome.current
    assert rome.disputed
    assert rome.contradictions == 2
    settled = folded(*rows, said("lives_in", "Milan", 10), said("lives_in", "Rome", 11))
    assert not any(fact.disputed for fact in settled)
    assert current(settled) == ["Rome"]


def test_a_verified_fact_is_not_overturned_by_messages() -> None:
    rows = [said("lives_in", "Rome", 0), said("lives_in", "Rome", 1, message="v", kind="verified")]
    facts = folded(*rows, *(said("lives_in", "Milan", day) for day in range(2, 9)))
    rome = only(facts, "Rome")
    assert rome.current
    assert rome.verified
    assert rome.disputed
    assert rome.contradictions == 7


def test_ids_are_the_same_in_every_run_and_differ_between_users_and_tenants() -> None:
    row = said("likes", "tea", 0)
    ids = {fold([row], tenant=t, user_id=u)[0].id for t in ("a", "b") for u in ("x", "y")}
    assert len(ids) == 4
    assert folded(row)[0].id == uuid5(NAMESPACE_OID, "acme/u-1/user/likes/tea")


@pytest.mark.parametrize("value", ["", "  ", "\x00"])
def test_blank_values_and_unknown_predicates_are_no_facts(value: str) -> None:
    assert folded(said("likes", value, 0)) == ()
    assert folded(said("LIKES]->() DETACH DELETE n //", "tea", 0)) == ()


rows = st.builds(
    Evidence,
    subject=st.sampled_from(["user", "Nora", "nora", "Max"]),
    predicate=st.sampled_from(["lives_in", "likes", "dislikes", "speaks", "age", "nonsense", *PREDICATES]),
    object=st.sampled_from(["Rome", "rome", "Milan", "Zoë", "zoe", "34", " "]),
    message_id=st.sampled_from([f"m-{n}" for n in range(8)]),
    at=st.integers(0, 12).map(lambda day: START + timedelta(days=day)),
    polarity=st.sampled_from(["holds", "holds", "holds", "began", "past", "denied"]),
    kind=st.sampled_from(["said", "said", "said", "said", "verified", "unverified", "rejected"]),
    valid_from=st.none() | st.integers(-9, 9).map(lambda day: START + timedelta(days=day)),
)


@given(st.lists(rows, max_size=25), st.randoms(use_true_random=False), st.integers(1, 3))
def test_order_and_repetition_do_not_matter(evidence: list[Evidence], random: object, times: int) -> None:
    shuffled = evidence * times
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands out a random.Random
    assert folded(*shuffled) == folded(*evidence)


@given(st.lists(rows, max_size=30))
def test_laws_of_every_fold(evidence: list[Evidence]) -> None:
    facts = folded(*evidence)
    assert len({fact.id for fact in facts}) == len(facts)
    held: set[tuple[str, str]] = set()
    for fact in facts:
        assert 0 <= fact.confidence <= 10
        assert fact.confidence == min(10, len(set(fact.message_ids)))
        assert fact.first_seen <= fact.last_reinforced
        if fact.valid_from is not None and fact.valid_to is not None:
            assert fact.valid_from <= fact.valid_to
        if fact.current and PREDICATES[fact.predicate].single_valued:
            assert (fact.subject, fact.predicate) not in held
            held.add((fact.subject, fact.predicate))
