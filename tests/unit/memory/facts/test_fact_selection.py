"""Which facts are shown beside memories."""

from datetime import UTC, datetime, timedelta

from ricordo.language.facts.evidence import Evidence
from ricordo.language.text import stem
from ricordo.memory.facts.fact_model import Fact, core_profile, select_facts
from ricordo.memory.facts.folding import fold

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
    return [fact.object for fact in select_facts(facts, named_entities=names, limit=limit)]


def test_confident_facts_are_shown_and_faint_ones_are_not() -> None:
    assert shown([*known("tea", 3), *known("jazz", 2)]) == ["tea"]


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


def test_what_is_asked_for_comes_in_the_order_in_which_it_is_asked_for() -> None:
    rows = [
        *known("tea", 5),
        *known("noise", 1, predicate="dislikes"),
        *known("Oslo", 9, predicate="visited"),
    ]
    facts = fold(rows, tenant="t", user_id="u")
    for order, wanted in (
        ("dislikes likes", ["noise", "tea", "Oslo"]),
        ("likes dislikes", ["tea", "noise", "Oslo"]),
    ):
        assert [one.object for one in select_facts(facts, predicates=order.split())] == wanted
    ties = [
        *known("Ida", 2, subject="Nora", predicate="has_child"),
        *known("Piet", 1, subject="Nora", predicate="partner"),
    ]
    named = select_facts(
        fold(ties, tenant="t", user_id="u"), named_entities=["Nora"], predicates=["partner", "has_child"]
    )
    assert [one.object for one in named] == ["Piet", "Ida"]


def test_a_fact_about_what_the_question_names_comes_first_however_unsure() -> None:
    rows = [*known("tea", 5), *known("iced coffee", 1, predicate="dislikes"), *known("figs", 1)]
    facts = fold(rows, tenant="t", user_id="u")
    shown = select_facts(
        facts, predicates=["likes"], besides=frozenset({stem("coffee", "en")}), language="en"
    )
    assert [one.object for one in shown] == ["iced coffee", "tea", "figs"]


def test_the_core_is_what_is_sure_in_the_order_of_the_profile() -> None:
    rows = [
        *known("tea", 2),
        *known("jazz", 1),
        *known("Rome", 1, predicate="lives_in"),
        *known("Ada", 1, predicate="name"),
        *known("Rex", 1, predicate="has_pet"),
        *known("chess", 9, predicate="plays"),
    ]
    assert [one.object for one in core_profile(fold(rows, tenant="t", user_id="u"))] == ["Ada", "Rome", "tea"]
