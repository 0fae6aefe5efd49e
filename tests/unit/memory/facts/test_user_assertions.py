"""The user's word on a fact, as evidence."""

from datetime import UTC, datetime, timedelta

import pytest

from ricordo.memory.facts import (
    Evidence,
    Fact,
    ImpossibleValue,
    UserAssertion,
    assertion_evidence,
    clean_value,
    fold,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=30)
LATE = NOW + timedelta(days=365)


def known(*cities: str, **fields: str) -> list[Evidence]:
    return [
        Evidence("user", fields.get("predicate", "lives_in"), city, f"m-{n}", START + timedelta(days=n))
        for n, city in enumerate(cities)
    ]


def after(
    rows: list[Evidence], fact: Fact, word: UserAssertion, last_said: datetime | None = None
) -> tuple[Fact, ...]:
    word_rows = assertion_evidence(fact, word, message_id="request 1", now=NOW, last_said=last_said)
    return fold([*rows, *word_rows], tenant="acme", user_id="u-1")


def test_a_confirmation_is_evidence_of_its_kind_and_supports_nothing() -> None:
    rows = known("Rome")
    (fact,) = fold(rows, tenant="acme", user_id="u-1")
    (row,) = assertion_evidence(fact, UserAssertion(), message_id="request 1", now=NOW, last_said=START)
    assert (row.kind, row.object, row.at, row.message_id) == ("verified", "Rome", NOW, "request 1")
    (confirmed,) = after(rows, fact, UserAssertion())
    assert confirmed.verified
    assert (confirmed.confidence, confirmed.message_ids) == (1, ("m-0",))
    assert confirmed.last_reinforced == fact.last_reinforced
    (row,) = assertion_evidence(
        fact, UserAssertion(verified=False), message_id="request 1", now=NOW, last_said=None
    )
    assert row.kind == "unverified"


def test_a_correction_rejects_what_was_and_confirms_what_is() -> None:
    rows = known("Rome")
    (fact,) = fold(rows, tenant="acme", user_id="u-1")
    new, old = sorted(after(rows, fact, UserAssertion(object="Lecce")), key=lambda one: one.object)
    assert (new.object, new.verified, new.current, new.valid_from) == ("Lecce", True, True, START)
    assert (old.object, old.verified, old.valid_to) == ("Rome", False, old.valid_from)


def test_what_was_put_aside_comes_back_with_what_was_said_of_it_since() -> None:
    rows = known("Rome", "Rome")
    (rome,) = fold(rows, tenant="acme", user_id="u-1")

    def say(fact: Fact, city: str, request: str, day: int) -> None:
        rows.extend(
            assertion_evidence(
                fact,
                UserAssertion(object=city),
                message_id=request,
                now=START + timedelta(days=day),
                last_said=None,
            )
        )

    say(rome, "Lecce", "request 1", 10)
    for day, city in enumerate(("Rome", "Bari", "Rome"), 11):
        rows.append(Evidence("user", "lives_in", city, f"m-{day}", START + timedelta(days=day)))
    facts = fold(rows, tenant="acme", user_id="u-1")
    lecce = next(one for one in facts if one.object == "Lecce")
    assert (lecce.disputed, lecce.contradictions) == (True, 3)
    say(lecce, "Rome", "request 2", 20)
    facts = fold(rows, tenant="acme", user_id="u-1")
    assert [one.object for one in facts] == ["Bari", "Lecce", "Rome"]
    stands = facts[-1]
    assert (stands.id, stands.valid_from, stands.current) == (rome.id, rome.valid_from, True)
    assert (stands.confidence, stands.message_ids) == (4, ("m-0", "m-1", "m-11", "m-13"))


def lone_voices(many: int) -> list[Evidence]:
    """Return what puts Rome aside for Milan, and then as many lone voices for Rome, each settled by Milan."""
    rows = known("rome")
    (rome,) = fold(rows, tenant="acme", user_id="u-1")
    rows += assertion_evidence(
        rome, UserAssertion(object="Milan"), message_id="request 1", now=NOW, last_said=None
    )
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
    facts = fold([*rows, word, *since], tenant="acme", user_id="u-1")
    return next(one for one in facts if one.current)


@pytest.mark.parametrize("many", [1, 9, 10, 30, 99, 100, 250])
def test_what_comes_back_names_the_latest_hundred_messages(many: int) -> None:
    rome = confirmed_after(lone_voices(many))
    ids = ("m-0", *(f"Rome-{nth}" for nth in range(many)))
    assert (rome.message_ids, rome.confidence) == (ids[-100:], min(10, many + 1))
    more = confirmed_after(lone_voices(many), later=12)
    assert more.message_ids == (*ids, *(f"late-{n}" for n in range(12)))[-100:]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  San   Donà\t di\nPiave ", "San Donà di Piave"),
        ("a\x1b[31mb", "a [31mb"),
        ('"quotes" {braces} `ticks`', '"quotes" {braces} `ticks`'),
        ("…", "…"),
        ("x" * 256, "x" * 256),
    ],
)
def test_a_value_keeps_all_but_control_characters_and_spacing(text: str, kept: str) -> None:
    assert clean_value(text) == kept


@pytest.mark.parametrize("text", ["", "  ", "\x07", "\u0301", "\u200b", "\ufdfa" * 256])
def test_a_value_that_nothing_tells_from_others_is_refused(text: str) -> None:
    with pytest.raises(ImpossibleValue, match=r"^must"):
        clean_value(text)
