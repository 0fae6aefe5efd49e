"""Confirmations, corrections and rejections by the user, and what taking them back restores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_fold import fold
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.facts.evidence import Evidence, order
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.user_assertions import (
    ImpossiblePeriod,
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


def word(rows: Sequence[Evidence], city: str, day: int, say: UserAssertion) -> list[Evidence]:
    """Return the evidence, and what the user says of a city by what is known."""
    of_city = [one for one in folded(rows) if one.object == city]
    fact = max(of_city, key=lambda one: (one.current, one.disputed))
    now = START + timedelta(days=day)
    return [*rows, *assertion_evidence(fact, say, message_id=f"r-{day}", now=now, last_said=None)]


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


def dated(rows: Sequence[Evidence], city: str, day: int, **times: int | None) -> list[Evidence]:
    """Return the evidence, and that the user states times of a city, in days."""
    instants = {name: None if at is None else START + timedelta(days=at) for name, at in times.items()}
    return word(rows, city, day, UserAssertion(times=instants))


def times_of(rows: Sequence[Evidence], city: str) -> list[tuple[int | None, int | None]]:
    """Return the times of a city, in days."""
    periods = [(one.valid_from, one.valid_to) for one in folded(rows) if one.object == city]
    return [(_day(begin), _day(end)) for begin, end in sorted(periods, key=str)]


def _day(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - START).days


def test_times_of_the_user_win_over_what_messages_say_before_and_after() -> None:
    since = replace(said("Rome", 40), valid_from=START - timedelta(days=300))
    for rows in ([said("Rome", 0)], [said("Rome", 0), said("Rome", 9)]):
        began = dated(rows, "Rome", 20, valid_from=-100)
        assert times_of([*began, since], "Rome") == [(-100, None)]
        assert times_of([*began, said("Milan", 50)], "Rome") == [(-100, None)], "it is disputed"
        over = dated(rows, "Rome", 20, valid_to=5)
        moved = replace(said("Milan", 40), valid_from=START + timedelta(days=2))
        assert times_of([*over, moved], "Rome") == [(0, 5)]
        assert times_of([*over, replace(since, polarity="past")], "Rome") == [(-300, 5)], "not its beginning"
        assert times_of(dated(rows, "Rome", 20, valid_to=-5), "Rome") == [(None, -5)], "it was said later"
        both = dated(over, "Rome", 21, valid_from=-9, valid_to=7)
        assert times_of(both, "Rome") == [(-9, 7)], "the last word counts"
        for said_so in (began, over, both):
            assert all(one.verified for one in folded(said_so))
            taken_back = word(said_so, "Rome", 30, UserAssertion(verified=False))
            assert folded(taken_back) == folded(rows)


def test_what_was_superseded_holds_again_under_its_id_and_a_correction_has_its_own_times() -> None:
    rows = [said("Rome", 0), said("Milan", 5)]
    (rome,) = [one for one in folded(rows) if one.object == "Rome"]
    (again,) = [one for one in folded(dated(rows, "Rome", 20, valid_to=None)) if one.current]
    assert (again.id, again.valid_from, again.verified) == (rome.id, rome.valid_from, True)
    times = {"valid_from": START - timedelta(days=90), "valid_to": START - timedelta(days=30)}
    corrected = word(rows, "Milan", 20, UserAssertion(object="Bari", times=times))
    assert times_of(corrected, "Bari") == [(-90, -30)]
    assert times_of(corrected, "Milan") == [(5, 5)]
    with pytest.raises(ImpossiblePeriod, match="must be before valid_to"):
        dated(rows, "Rome", 20, valid_from=6)


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


@pytest.mark.parametrize("many", [9, 10, 100, 250])
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
