"""Confirmations, corrections and rejections by the user, and what taking them back restores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_formulas import facts_as_of
from tests.support.factories import at

from ricordo.language.facts.evidence import order
from ricordo.memory.facts import (
    Evidence,
    Fact,
    Rejection,
    UserAssertion,
    assertion_evidence,
    drop_rejected,
    fold,
)

START = datetime(2026, 1, 1, tzinfo=UTC)


def said(city: str, day: int, *, at: str = "", denied: bool = False) -> Evidence:
    row = Evidence("user", "lives_in", city, at or f"m-{day}", START + timedelta(days=day))
    return replace(row, polarity="denied") if denied else row


def folded(rows: Sequence[Evidence]) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


def current(rows: Sequence[Evidence]) -> list[tuple[str, bool, bool]]:
    return [(one.object, one.verified, one.disputed) for one in folded(rows) if one.current]


def word(rows: Sequence[Evidence], city: str, day: int, say: UserAssertion) -> list[Evidence]:
    """Return the evidence, and what the user says of a city by what is known."""
    of_city = [one for one in folded(rows) if one.object == city]
    fact = max(of_city, key=lambda one: (one.current, one.disputed))
    now = START + timedelta(days=day)
    return [*rows, *assertion_evidence(fact, say, message_id=f"r-{day}", now=now, last_said=None)]


CONFIRM, TAKE_BACK = UserAssertion(), UserAssertion(verified=False)


def test_what_was_confirmed_by_mistake_leaves_what_held() -> None:
    rows = [said("Rome", 0), said("Oslo", 31)]
    before = folded(rows)
    rows = word(rows, "Rome", 300, CONFIRM)
    assert current(rows) == [("Rome", True, False)]
    rows = word(rows, "Rome", 301, TAKE_BACK)
    assert folded(rows) == before


def test_a_correction_is_taken_back_whole() -> None:
    rows = word([said("Rome", 0)], "Rome", 10, UserAssertion(object="Turin"))
    assert folded(word(rows, "Rome", 11, TAKE_BACK)) == folded(rows), "of Rome nothing was said"
    assert folded(word(rows, "Turin", 11, TAKE_BACK)) == folded([said("Rome", 0)])


def test_what_was_corrected_never_held_also_when_what_ended_it_comes_late() -> None:
    rows = [*word([said("Rome", 0)], "Rome", 300, UserAssertion(object="Turin")), said("Oslo", 31)]
    facts = {one.object: one for one in folded(rows)}
    assert facts["Rome"].valid_from == facts["Rome"].valid_to == START
    assert [one.object for one in facts_as_of(facts.values(), START + timedelta(days=14))] == ["Turin"]
    assert current(rows) == [("Turin", True, False)]
    confirmed = word(rows, "Rome", 301, CONFIRM)
    (rome,) = (one for one in folded(confirmed) if one.current)
    (former,) = folded([said("Rome", 0)])
    assert rome == replace(former, verified=True, contradictions=1)
    assert folded(word(confirmed, "Rome", 302, TAKE_BACK)) == folded(rows)
    assert folded(word(rows, "Turin", 301, TAKE_BACK)) == folded([said("Rome", 0), said("Oslo", 31)])


def test_a_rejection_counts_where_what_is_restored_was_rejected_at_another_instant() -> None:
    rejected = replace(said("Rome", 10, at="r-10"), kind="rejected", valid_from=START)
    restored = replace(rejected, at=START + timedelta(days=20), message_id="r-20", kind="restored")
    rows = [said("Rome", 0), rejected]
    assert folded([*rows, replace(restored, valid_to=rejected.at)]) == folded(rows[:1])
    assert folded([*rows, replace(restored, valid_to=START)]) == folded(rows)
    late = replace(restored, at=START + timedelta(days=5), valid_to=rejected.at)
    assert folded([*rows, late]) == folded(rows)


DAYS = st.integers(0, 9)
CITIES = st.sampled_from(("Rome", "Oslo", "Bari"))


@st.composite
def requests(draw: st.DrawFn) -> list[Evidence]:
    """Return a message, or what a request of the user is, with a day for each."""
    day = draw(DAYS)
    city, kind = (
        draw(CITIES),
        draw(st.sampled_from(("say", "say", "deny", "confirm", "correct", "back", "back"))),
    )
    row = said(city, day, at=f"{kind}-{day}-{draw(DAYS)}", denied=kind == "deny")
    since = START + timedelta(days=draw(DAYS))
    match kind:
        case "say" | "deny":
            return [row]
        case "confirm":
            return [replace(row, kind="verified", valid_from=row.at)]
        case "correct":
            wrong = replace(row, object=draw(CITIES), kind="rejected", valid_from=since)
            return [wrong, replace(row, kind="verified", valid_from=since)]
        case _:
            return [replace(row, kind="unverified", valid_from=row.at)]


@given(st.lists(requests(), max_size=14, unique_by=lambda one: one[0].message_id))
def test_it_is_as_if_it_had_never_been_said(evidence: Sequence[Sequence[Evidence]]) -> None:
    backs = [one[0] for one in evidence if one[0].kind == "unverified"]

    def is_taken_back(rows: Sequence[Evidence]) -> bool:
        last = rows[-1]
        return last.kind == "verified" and any(
            back.object == last.object and order(last) < order(back) for back in backs
        )

    rows = [row for one in evidence for row in one]
    counting = [row for one in evidence for row in one if row.kind != "unverified" and not is_taken_back(one)]
    assert folded(rows) == folded(counting)
    assert {one.object for one in folded(rows)} <= {row.object for row in counting}


ROW = Evidence("user", "likes", "olives", "m-1", at(0))
WORDS = "I like olives and bread"
REJECTED = Rejection("m-1", "user", "likes", "olives", WORDS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW, WORDS),
        (replace(ROW, subject="User", object=" Olives!"), "  i LIKE olives and bread."),
        (replace(ROW, object="olives and bread"), WORDS),
        (ROW, "like olives"),
        (ROW, "Honestly, I like olives and bread a lot"),
        (replace(ROW, polarity="past"), WORDS),
    ],
)
def test_the_same_reading_is_covered_however_it_is_cut(row: Evidence, words: str) -> None:
    assert REJECTED.covers(row, words)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (replace(ROW, message_id="m-2"), WORDS),
        (replace(ROW, subject="Nora"), WORDS),
        (replace(ROW, predicate="owns"), WORDS),
        (replace(ROW, object="bread"), WORDS),
        (replace(ROW, object="olive"), WORDS),
        (replace(ROW, polarity="denied"), WORDS),
        (replace(ROW, kind="verified"), WORDS),
        (ROW, "I do like olives"),
    ],
)
def test_another_reading_is_not(row: Evidence, words: str) -> None:
    assert not REJECTED.covers(row, words)


def test_what_is_left_does_not_depend_on_the_order_of_rejections() -> None:
    rows = (ROW, replace(ROW, object="bread"), replace(ROW, predicate="owns", object="a mill"))
    words = (WORDS, WORDS, "I own a mill")
    rejections = (REJECTED, replace(REJECTED, predicate="owns", object="mill", quote="own a mill"))
    for some in permutations((*rejections, *rejections)):
        assert drop_rejected(rows, words, some) == ((rows[1],), (WORDS,))
    assert drop_rejected(rows, words, ()) == (rows, words)
