"""What is denied states nothing, and speaks against what is known."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.document import Document
from ricordo.language.facts.kinship import PRESUMED
from ricordo.memory.facts import Evidence, Fact, Polarity, entities, extract, fold
from ricordo.memory.facts.folding import resolved

START = datetime(2026, 1, 1, tzinfo=UTC)

TABLE = Path(__file__).with_name("denials.toml")


def denied(content: str) -> list[list[str]]:
    found = extract(Document(content), presumed=True, denied=True)
    return [[one.predicate, one.object] for one in found if one.polarity == "denied"]


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "denied"))
def test_denial_is_evidence_against_a_fact_and_states_nothing(
    language: str, expected: dict[str, list[list[str]]]
) -> None:
    for text, pairs in expected.items():
        assert [pair for pair in pairs if pair not in denied(text)] == [], text
        assert not {value for _, value in pairs} & {one.object for one in extract(Document(text))}, text


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "nothing_denied"))
def test_partial_or_imagined_denial_is_evidence_against_nothing(
    language: str, texts: dict[str, None]
) -> None:
    assert {text: denied(text) for text in texts} == {text: [] for text in texts}


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "over_since"))
def test_denial_says_since_when_a_fact_is_over(language: str, expected: dict[str, str]) -> None:
    for text, day in expected.items():
        found = extract(Document(text), presumed=True, denied=True, at=START)
        (home,) = [one for one in found if one.predicate == "lives_in"]
        until = None if not day else datetime.fromisoformat(day).replace(tzinfo=UTC)
        assert (home.polarity, home.valid_from, home.valid_to) == ("denied", None, until), text


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "broke_up_with"))
def test_who_broke_up_had_a_partner(language: str, expected: dict[str, str]) -> None:
    for text, partner in expected.items():
        found = [(one.predicate, one.object, one.polarity) for one in extract(Document(text))]
        assert found == [("partner", partner, "past")], text


def said(predicate: str, value: str, day: int, polarity: Polarity = "holds", *, tie: str = "") -> Evidence:
    at = START + timedelta(days=day)
    return Evidence("user", predicate, value, f"m-{day}", at, polarity, object_tie=tie)


def folded(*rows: Evidence) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


@pytest.mark.parametrize(
    ("messages", "denials", "stands"), [(1, 1, False), (4, 1, False), (5, 1, True), (6, 2, False)]
)
def test_a_lone_denial_disputes_a_firm_fact_and_a_second_ends_it(
    messages: int, denials: int, *, stands: bool
) -> None:
    rows = [said("allergic_to", "nuts", day) for day in range(messages)]
    rows += [said("allergic_to", "nuts", 10 + day, "denied") for day in range(denials)]
    (fact,) = folded(*rows)
    assert (fact.current, fact.disputed, fact.contradictions) == (stands, stands, denials)
    assert fact.confidence == messages


def dated(content: str, day: int) -> list[Evidence]:
    """Return what a message that is said on a day states and denies."""
    at = START + timedelta(days=day)
    found = extract(Document(content), presumed=True, denied=True, at=at)
    return [one.evidence(f"m-{day}", at) for one in found]


@pytest.mark.parametrize(
    ("said", "denied", "until"),
    [
        ("I live in Rome.", "I haven't lived in Rome since 2019.", 2019),
        ("Vivo a Roma.", "Non vivo a Roma dal 2019.", 2019),
        ("I live in Rome.", "I left Rome in 2018.", 2019),
        ("I work at Acme.", "I haven't worked at Acme for two years.", 2024),
        ("I've lived in Rome since 2024.", "I left Rome in 2018.", None),
    ],
)
def test_a_denial_ends_what_was_said_before_unless_that_began_later(
    said: str, denied: str, until: int | None
) -> None:
    (fact,) = folded(*dated(said, 0), *dated(denied, 5))
    assert (None if fact.valid_to is None else fact.valid_to.year) == until


@pytest.mark.parametrize(
    ("first", "then", "now"),
    table(__file__, "what_began_long_ago_was_over_when_something_else_is_said_to_hold"),
)
def test_what_began_long_ago_was_over_when_something_else_is_said_to_hold(
    first: str, then: str, now: str
) -> None:
    (fact,) = [one for one in folded(*dated(first, 200), *dated(then, 205)) if one.current]
    assert fact.object == now
    assert not fact.disputed


def test_what_began_long_ago_holds_where_nothing_else_is_known() -> None:
    (fact,) = folded(*dated("In 1999 I moved to Leeds.", 0))
    assert (fact.current, fact.valid_from) == (True, datetime(1999, 1, 1, tzinfo=UTC))


def test_a_denial_alone_leaves_no_fact_and_no_entity() -> None:
    rows = [said("partner", "Ada", 0, "denied", tie=PRESUMED), said("lives_in", "Rome", 1, "denied")]
    assert folded(*rows) == ()
    assert entities(resolved(rows)) == ()


def test_what_is_denied_of_another_value_says_nothing_of_the_one_that_holds() -> None:
    (fact,) = folded(said("lives_in", "Milan", 0), said("lives_in", "Rome", 1, "denied"))
    assert fact.current
    assert not fact.contradictions


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_whoever_is_denied_is_found_among_those_the_user_knows(order: Sequence[int]) -> None:
    rows = [
        said("has_pet", "Admiral", 0, tie="has_pet//dog"),
        said("has_pet", "admiral", 3, "denied", tie=PRESUMED),
        said("partner", "admiral", 3, "denied", tie=PRESUMED),
    ]
    (fact,) = folded(*(rows[nth] for nth in order))
    assert (fact.predicate, fact.object, fact.current) == ("has_pet", "Admiral", False)
