"""Which facts are shown beside memories."""

from datetime import UTC, datetime, timedelta

from ricordo.domain.facts import Evidence, Fact, fold, surface

START = datetime(2026, 1, 1, tzinfo=UTC)


def known(
    value: str, times: int, *, subject: str = "user", predicate: str = "likes", day: int = 0
) -> list[Evidence]:
    return [
        Evidence(subject, predicate, value, f"{value}-{n}", START + timedelta(days=day, minutes=n))
        for n in range(times)
    ]


def shown(rows: list[Evidence], *names: str, limit: int = 10) -> list[str]:
    facts: tuple[Fact, ...] = fold(rows, tenant="t", user_id="u")
    return [fact.object for fact in surface(facts, named_entities=names, limit=limit)]


def test_confident_facts_are_shown_and_faint_ones_are_not() -> None:
    assert shown([*known("tea", 3), *known("jazz", 2)]) == ["tea"]


def test_a_verified_fact_is_shown_whatever_its_confidence() -> None:
    row = Evidence("user", "likes", "jazz", "v-1", START, kind="verified")
    assert shown([row]) == ["jazz"]


def test_a_named_entity_brings_its_facts() -> None:
    rows = [
        *known("Dublin", 1, subject="Nora", predicate="lives_in"),
        *known("Nora", 1, predicate="has_sibling"),
    ]
    assert shown(rows) == []
    assert sorted(shown(rows, "NORA")) == ["Dublin", "Nora"]


def test_most_confident_first_then_most_recent_at_most_limit() -> None:
    rows = [*known("tea", 4), *known("jazz", 3, day=1), *known("chess", 3, day=2)]
    assert shown(rows) == ["tea", "chess", "jazz"]
    assert shown(rows, limit=2) == ["tea", "chess"]
    assert shown(rows, limit=0) == []


def test_what_no_longer_holds_is_not_shown() -> None:
    rows = [*known("Rome", 4, predicate="lives_in"), *known("Milan", 2, predicate="lives_in", day=9)]
    assert shown(rows, "Rome") == []
    assert shown(rows, "Milan") == ["Milan"]
