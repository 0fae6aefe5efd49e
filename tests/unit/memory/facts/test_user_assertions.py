"""Confirmations, corrections and rejections by the user, and what taking them back restores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_formulas import facts_as_of
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.facts.evidence import Evidence, order
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.folding import fold
from ricordo.memory.facts.user_assertions import (
    ImpossibleValue,
    Rejection,
    UserAssertion,
    assertion_evidence,
    clean_value,
    drop_rejected,
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


@pytest.mark.parametrize(("changes", "words", "covered"), table(__file__, "readings"))
def test_the_same_reading_is_covered_however_it_is_cut_and_another_is_not(
    changes: dict[str, str], words: str, *, covered: bool
) -> None:
    assert REJECTED.covers(replace(ROW, **changes), words) is covered  # type: ignore[arg-type]  # any field's


def test_what_is_left_does_not_depend_on_the_order_of_rejections() -> None:
    rows = (ROW, replace(ROW, object="bread"), replace(ROW, predicate="owns", object="a mill"))
    words = (WORDS, WORDS, "I own a mill")
    rejections = (REJECTED, replace(REJECTED, predicate="owns", object="mill", quote="own a mill"))
    for some in permutations((*rejections, *rejections)):
        assert drop_rejected(rows, words, some) == ((rows[1],), (WORDS,))
    assert drop_rejected(rows, words, ()) == (rows, words)


NOW = START + timedelta(days=30)
LATE = NOW + timedelta(days=365)


def test_a_confirmation_is_evidence_of_its_kind_and_supports_nothing() -> None:
    rows = [said("Rome", 0)]
    (fact,) = folded(rows)
    (row,) = assertion_evidence(fact, UserAssertion(), message_id="request 1", now=NOW, last_said=START)
    assert (row.kind, row.object, row.at, row.message_id) == ("verified", "Rome", NOW, "request 1")
    (confirmed,) = folded([*rows, row])
    assert confirmed.verified
    assert (confirmed.confidence, confirmed.message_ids) == (1, ("m-0",))
    assert confirmed.last_reinforced == fact.last_reinforced
    (row,) = assertion_evidence(
        fact, UserAssertion(verified=False), message_id="request 1", now=NOW, last_said=None
    )
    assert row.kind == "unverified"


def test_what_was_put_aside_comes_back_with_what_was_said_of_it_since() -> None:
    rows = [said("Rome", day) for day in range(2)]
    (rome,) = folded(rows)
    rows = word(rows, "Rome", 10, UserAssertion(object="Lecce"))
    for day, city in enumerate(("Rome", "Bari", "Rome"), 11):
        rows.append(said(city, day))
    facts = folded(rows)
    lecce = next(one for one in facts if one.object == "Lecce")
    assert (lecce.disputed, lecce.contradictions) == (True, 3)
    rows = word(rows, "Lecce", 20, UserAssertion(object="Rome"))
    facts = folded(rows)
    assert [one.object for one in facts] == ["Bari", "Lecce", "Rome"]
    stands = facts[-1]
    assert (stands.id, stands.valid_from, stands.current) == (rome.id, rome.valid_from, True)
    assert (stands.confidence, stands.message_ids) == (4, ("m-0", "m-1", "m-11", "m-13"))


def lone_voices(many: int) -> list[Evidence]:
    """Return what puts Rome aside for Milan, and then as many lone voices for Rome, each settled by Milan."""
    rows = [said("rome", 0)]
    rows = word(rows, "rome", 30, UserAssertion(object="Milan"))
    for nth in range(many):
        for step, city in enumerate(("Rome", "Milan")):
            at = NOW + timedelta(days=1, hours=2 * nth + step)
            rows.append(Evidence("user", "lives_in", city, f"{city}-{nth}", at))
    return rows


def confirmed_after(rows: list[Evidence], later: int = 0) -> Fact:
    """Return Rome as it stands after the user's word, and some messages that say it since."""
    word = Evidence("user", "lives_in", "ROME", "request 2", LATE, kind="verified")
    since = [
        Evidence("user", "lives_in", "Rome", f"late-{n}", LATE + timedelta(hours=1 + n)) for n in range(later)
    ]
    facts = folded([*rows, word, *since])
    return next(one for one in facts if one.current)


@pytest.mark.parametrize("many", [1, 9, 10, 30, 99, 100, 250])
def test_what_comes_back_names_the_latest_hundred_messages(many: int) -> None:
    rome = confirmed_after(lone_voices(many))
    ids = ("m-0", *(f"Rome-{nth}" for nth in range(many)))
    assert (rome.message_ids, rome.confidence) == (ids[-100:], min(10, many + 1))
    more = confirmed_after(lone_voices(many), later=12)
    assert more.message_ids == (*ids, *(f"late-{n}" for n in range(12)))[-100:]


@pytest.mark.parametrize(("text", "kept"), [*table(__file__, "values"), ("x" * 256, "x" * 256)])
def test_a_value_keeps_all_but_control_characters_and_spacing(text: str, kept: str) -> None:
    assert clean_value(text) == kept


@pytest.mark.parametrize("text", ["", "  ", "\x07", "\u0301", "\u200b", "\ufdfa" * 256])
def test_a_value_that_nothing_tells_from_others_is_refused(text: str) -> None:
    with pytest.raises(ImpossibleValue, match=r"^must"):
        clean_value(text)
