"""A slot is folded by itself, and tells what each message does to it, whenever it came."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.entity_names import entities
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.fact_model import MessageContribution
from ricordo.memory.facts.folding import by_slot, fold, fold_slots, resolved

START = datetime(2026, 1, 1, tzinfo=UTC)


def _placed(row: Evidence) -> Evidence:
    return replace(row, at=START + timedelta(days=int(row.message_id[2:]) * 3 // 4))


ROWS = st.builds(
    Evidence,
    subject=st.sampled_from(("user", "user", "user", "Nora", "nora", "User", "")),
    predicate=st.sampled_from(("lives_in", "lives_in", "lives_in", "likes", "dislikes", "friend", "none")),
    object=st.sampled_from(("Rome", "rome", "Milan", "Nora", "user", " ")),
    message_id=st.integers(0, 19).map("m-{}".format),
    at=st.just(START),
    polarity=st.sampled_from(("holds", "holds", "holds", "began", "past", "denied")),
    kind=st.sampled_from(("said",) * 9 + ("verified", "unverified", "rejected")),
    valid_from=st.sampled_from((None, None, None, START - timedelta(days=9), START + timedelta(days=4))),
    valid_to=st.sampled_from((None, None, None, None, START + timedelta(days=2))),
    position=st.integers(0, 2),
).map(_placed)


WORDS = st.builds(
    Evidence,
    subject=st.sampled_from(("user", "user", "Nora")),
    predicate=st.sampled_from(("lives_in", "lives_in", "likes")),
    object=st.sampled_from(("Rome", "Milan", "Turin")),
    message_id=st.integers(0, 19).map("m-{}".format),
    at=st.just(START),
    polarity=st.sampled_from(("holds", "holds", "denied")),
    kind=st.sampled_from(("said", "said", "verified", "unverified", "rejected", "restored")),
    valid_from=st.sampled_from((None, None, START - timedelta(days=9), START + timedelta(days=4))),
).map(_placed)
"""Mostly what the user says, and takes back; what is `restored` was rejected at some instant."""
CORRECTIONS = st.builds(
    lambda row, right: [replace(row, kind="rejected"), replace(row, object=right, kind="verified")],
    WORDS,
    st.sampled_from(("Rome", "Milan", "Turin")),
)
SETTLED = st.lists(
    st.one_of(
        st.lists(WORDS, min_size=1, max_size=2),
        CORRECTIONS,
        st.builds(
            lambda row, day: [replace(row, kind="restored", valid_to=START + timedelta(days=day))],
            WORDS,
            st.integers(0, 14),
        ),
    ),
    max_size=20,
).map(lambda found: [row for rows in found for row in rows])


EVIDENCE = st.one_of(st.lists(ROWS, max_size=50), SETTLED)


@given(EVIDENCE, st.randoms(use_true_random=False))
def test_slots_that_are_folded_apart_are_the_fold_of_all(
    evidence: Sequence[Evidence], chance: Random
) -> None:
    slots = by_slot(chance.sample(evidence, len(evidence)))
    names = {one.key: one.name for one in entities(resolved(evidence))}
    apart = [fold_slots({key: rows}, names, tenant="acme", user_id="u-1") for key, rows in slots.items()]
    facts = [fact for one in apart for fact in one.facts]
    assert len(set(facts)) == len(facts)
    assert set(facts) == set(fold(evidence, tenant="acme", user_id="u-1"))


@given(EVIDENCE)
def test_what_a_message_does_is_seen_in_the_facts(evidence: Sequence[Evidence]) -> None:
    kinds: dict[str, set[str]] = {}
    for row in evidence:
        kinds.setdefault(row.message_id, set()).add(row.kind)
    folded = fold_slots(by_slot(evidence), {}, tenant="acme", user_id="u-1", asked=kinds)
    for message_id, said in kinds.items():
        if "verified" in said:  # what a user confirms is told, too
            continue
        supported = tuple(fact for fact in folded.facts if message_id in fact.message_ids)
        found = folded.contributions.get(message_id, MessageContribution())
        assert found.supported == supported
        first = tuple(fact for fact in supported if fact.message_ids[0] == message_id)
        assert set(found.new) <= set(first)
        if all(row.kind != "verified" for row in evidence):
            assert found.new == first
        assert set(found.new).isdisjoint(found.reinforced)
        assert all(not fact.current for fact in found.superseded)
        assert {fact for fact in supported if fact.disputed} <= set(found.disputed)
        assert all(fact.disputed for fact in found.disputed)


def contribution(message_id: str, rows: Iterable[Evidence]) -> tuple[tuple[str, ...], ...]:
    """Return which values a message adds, says again, ends and disputes, where `rows` are all there is."""
    folded = fold_slots(by_slot(rows), {}, tenant="acme", user_id="u-1", asked=[message_id])
    found = folded.contributions.get(message_id, MessageContribution())
    parts = (found.new, found.reinforced, found.superseded, found.disputed)
    return tuple(tuple(sorted(fact.object for fact in part)) for part in parts)


def read(said: str) -> Evidence:
    """Return the evidence of `value day word...`, the words a predicate, a polarity or a kind."""
    value, day, *words = said.split()
    row = Evidence("user", "lives_in", value, f"m-{day}", START + timedelta(days=int(day)))
    for word in words:
        name = "kind" if word == "verified" else "polarity" if word in ("past", "denied") else "predicate"
        change: Any = {name: word}
        row = replace(row, **change)
    return row


@pytest.mark.parametrize(("message_id", "said", "expected"), table(__file__, "contributions"))
def test_what_a_message_does(
    message_id: str, said: tuple[str, ...], expected: tuple[tuple[str, ...], ...]
) -> None:
    assert contribution(message_id, map(read, said)) == expected


@pytest.mark.parametrize("message_id", ["m-0", "m-1", "m-2", "m-3"])
def test_it_is_the_same_in_whatever_order_they_come(message_id: str) -> None:
    rows = map(read, ("Rome 0", "Milan 1", "Turin 2", "Milan 3"))
    assert len({contribution(message_id, order) for order in permutations(rows)}) == 1
