"""Facts are a pure fold over evidence, slot by slot, in any order: confidence, history, contradiction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations
from random import Random
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_fold import entities, fold, resolved
from tests.fixtures.reference_formulas import facts_as_of
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES, SINGLE_VALUED
from ricordo.memory.facts.fact_model import Fact, MessageContribution
from ricordo.memory.facts.folding import by_slot, fold_slots
from ricordo.memory.facts.user_assertions import UserAssertion, assertion_evidence

START = datetime(2026, 1, 1, tzinfo=UTC)


def year(number: int, month: int = 1) -> datetime:
    return datetime(number, month, 1, tzinfo=UTC)


def said(value: str, day: int, predicate: str = "lives_in", **fields: Any) -> Evidence:  # noqa: ANN401
    """Return what a message of that day says of the user."""
    usual: dict[str, Any] = {"message_id": f"m-{day}", "at": START + timedelta(days=day)}
    return Evidence("user", predicate, value, **(usual | fields))


def folded(*rows: Evidence) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


def read(line: str) -> Evidence:
    """Return the evidence of `value day word...`: a predicate, polarity or kind, or a field and its value."""
    value, day, *words = line.split()
    fields: dict[str, Any] = {}
    for word in words:
        name, _, given_ = word.rpartition("=")
        if name in ("valid_from", "valid_to"):
            fields[name] = year(*map(int, given_.split("-")))
        elif word == "verified":
            fields["kind"] = word
        else:
            fields[name or ("polarity" if word in ("past", "denied") else "predicate")] = given_
    return said(value, int(day), **fields)


def told(lines: Sequence[str]) -> list[Evidence]:
    """Return the evidence of lines; `confirm`, `correct` or `retract value day right` is the user's word."""
    rows: list[Evidence] = []
    for line in lines:
        word, value, *rest = line.split()
        if word not in ("confirm", "correct", "retract"):
            rows.append(read(line))
            continue
        now = START + timedelta(days=int(rest[0]))
        of_it = [one for one in folded(*rows) if one.object == value]
        fact = max(of_it, key=lambda one: (one.current, one.disputed))
        say = UserAssertion(verified=word != "retract", object=rest[1] if word == "correct" else None)
        rows += assertion_evidence(fact, say, message_id=f"r-{rest[0]}", now=now, last_said=None)
    return rows


def shown(fact: Fact) -> str:
    """Return a fact as the table has it: of when, by how many messages, the last of them, and its faults."""
    words = ["" if fact.predicate == "lives_in" else fact.predicate, fact.object]
    words.append("..".join(f"{one:%Y-%m-%d}" if one else "" for one in (fact.valid_from, fact.valid_to)))
    words += [
        f"x{fact.confidence} {fact.last_reinforced:%m-%d}",
        f"-{fact.contradictions}" if fact.contradictions else "",
    ]
    words += ["disputed"] * fact.disputed + ["verified"] * fact.verified
    return " ".join(filter(None, words))


@pytest.mark.parametrize(("lines", "facts"), table(__file__, "histories"))
def test_what_is_said_is_a_history(lines: tuple[str, ...], facts: tuple[str, ...]) -> None:
    assert sorted(map(shown, folded(*told(lines)))) == sorted(facts)


@pytest.mark.parametrize(("lines", "others"), table(__file__, "alike"))
def test_what_is_taken_back_was_never_said(lines: tuple[str, ...], others: tuple[str, ...]) -> None:
    assert folded(*told(lines)) == folded(*told(others))


def test_ids_are_the_same_in_every_run_and_differ_between_users_and_tenants() -> None:
    row = said("tea", 0, "likes")
    ids = {fold([row], tenant=t, user_id=u)[0].id for t in ("a", "b") for u in ("x", "y")}
    assert len(ids) == 4
    assert folded(row)[0].id == uuid5(NAMESPACE_OID, "acme/u-1/user/likes/tea")


@pytest.mark.parametrize("value", ["", "  ", "\x00"])
def test_blank_values_and_unknown_predicates_are_no_facts(value: str) -> None:
    assert folded(said(value, 0, "likes")) == ()
    assert folded(said("tea", 0, "LIKES]->() DETACH DELETE n //")) == ()


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


@dataclass(frozen=True)
class Stay:
    """Where somebody lived from when to when, None for until now, and how it is told."""

    city: str
    begin: datetime
    end: datetime | None
    told: tuple[Evidence, ...]


@st.composite
def lives(draw: st.DrawFn) -> list[Stay]:
    """Draw a life: consistent, and told in any order, each stay in one of the ways in which people do."""
    years = sorted(draw(st.sets(st.integers(1980, 2024), min_size=1, max_size=6)))
    days = draw(st.permutations(range(len(years))))
    stays: list[Stay] = []
    for nth, (first, day) in enumerate(zip(years, days, strict=True)):
        city, begin = f"City {nth}", year(first)
        end = year(years[nth + 1]) if nth + 1 < len(years) else None
        # "Until 2015" goes on to the end of that year, in which the next stay may begin.
        until = end if end is None or draw(st.booleans()) else end.replace(year=end.year + 1)
        both = said(city, day, valid_from=begin, valid_to=until, polarity="past")
        ways = [both] if end is not None else []
        if end is None or draw(st.booleans()):
            ways = [said(city, day, valid_from=begin)]
        stays.append(Stay(city, begin, end, tuple(ways)))
    return stays


@given(lives(), st.randoms(use_true_random=False))
def test_a_life_told_in_any_order_is_its_history(stays: Sequence[Stay], chance: Random) -> None:
    rows = [row for stay in stays for row in stay.told]
    chance.shuffle(rows)
    facts = folded(*rows)
    assert {fact.object: (fact.valid_from, fact.valid_to) for fact in facts} == {
        stay.city: (stay.begin, stay.end) for stay in stays
    }
    periods = sorted((fact.valid_from, fact.valid_to) for fact in facts if fact.valid_from and fact.valid_to)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(periods))
    for stay in stays:
        assert [fact.object for fact in facts_as_of(facts, stay.begin)] == [stay.city]
        if stay.end is not None:
            assert stay.city not in [fact.object for fact in facts_as_of(facts, stay.end)]


TIMES = st.none() | st.integers(2000, 2030).map(year)
ROWS = st.builds(
    said,
    st.sampled_from(("Rome", "Milan", "Turin")),
    st.integers(0, 30),
    valid_from=TIMES,
    valid_to=TIMES,
    polarity=st.sampled_from(("holds", "holds", "past")),
    predicate=st.sampled_from(("lives_in", "lives_in", "knows")),
)


@given(st.lists(ROWS, max_size=12))
def test_at_any_instant_at_most_one_value_of_what_has_one(rows: Sequence[Evidence]) -> None:
    facts = folded(*rows)
    for number in range(1999, 2032):
        held = [
            fact.predicate if fact.predicate in SINGLE_VALUED else (fact.predicate, fact.object)
            for fact in facts_as_of(facts, year(number, 6))
        ]
        assert len(held) == len(set(held))


def _placed(row: Evidence) -> Evidence:
    return replace(row, at=START + timedelta(days=int(row.message_id[2:]) * 3 // 4))


SLOT_ROWS = st.builds(
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


EVIDENCE = st.one_of(st.lists(SLOT_ROWS, max_size=50), SETTLED)


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


@pytest.mark.parametrize(("message_id", "said", "expected"), table(__file__, "contributions"))
def test_what_a_message_does(
    message_id: str, said: tuple[str, ...], expected: tuple[tuple[str, ...], ...]
) -> None:
    assert {contribution(message_id, order) for order in permutations(map(read, said))} == {expected}
