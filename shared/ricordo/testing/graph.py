# ruff: noqa: D102 - a test's name says what it proves
"""What every graph of facts must do: subclass `FactGraphContract` and give it a `graph` fixture."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from ricordo.graph.port import FactGraph, Survey
from ricordo.memory.facts import Evidence, Fact, fold
from ricordo.memory.facts.fact_model import ProjectionVersion, VersionConflict

START = datetime(2026, 1, 1, 12, 30, 15, 123456, tzinfo=UTC)

ODD_NAMES = (
    "O'Brien",
    'Max "the cat"',
    "{tenant: 'x'}",
    "`Rex`",
    "X]->() DETACH DELETE n //",
    "$tenant",
    "Zoë 🐶",
    "back\\slash",
    "tab\tand\nline",
    "bell\x07",
    "Ada\u202eada",
    "carriage\r\x01\x1b[31m\x7f\x85\u2028return",
    "'; MATCH (n) DETACH DELETE n; //",
    "' OR 1 = 1 OR '",
    "\\u0027 \\' \\",
    "/* no comment */",
    "$facts[0].properties",
    "${tenant} {{user}} %s",
    "👨\u200d👩\u200d👧\u200d👦 and 🇮🇹",
    "a" * 2_000,
    "".join(chr(0x4E00 + n) for n in range(10_000)),
    "🐶" * 9_999 + "x",
)
"""Names that would break a query in which values are spliced, or an index of their letters."""


def known(
    *statements: tuple[str, str, str], user_id: str = "u-1", tenant: str, times: int = 1
) -> tuple[Fact, ...]:
    """Return the facts of statements made in turn, a day apart, each `times` times."""
    rows = [
        Evidence(*statement, f"m-{nth}-{again}", START + timedelta(days=nth, minutes=again))
        for nth, statement in enumerate(statements)
        for again in range(times)
    ]
    return fold(rows, tenant=tenant, user_id=user_id)


def by_id(facts: Sequence[Fact]) -> list[Fact]:
    """Return facts in the order of an export."""
    return sorted(facts, key=lambda fact: str(fact.id))


class FactGraphContract:
    """Tests of the port `FactGraph`; each works in a tenant of its own."""

    @pytest.fixture
    def tenant(self) -> str:
        """Name a tenant that no other test uses."""
        return f"t-{uuid4().hex[:12]}"

    async def test_what_was_projected_comes_back_whole(self, graph: FactGraph, tenant: str) -> None:
        facts = known(
            ("user", "lives_in", "Rome"),
            ("user", "lives_in", "Milan"),
            ("user", "has_sibling", "Nora"),
            ("Nora", "lives_in", "Dublin"),
            tenant=tenant,
            times=2,
        )
        await graph.project(tenant, "u-1", facts)
        assert list(await graph.export(tenant, "u-1")) == by_id(facts)

    async def test_projecting_again_changes_nothing(self, graph: FactGraph, tenant: str) -> None:
        facts = known(("user", "likes", "tea"), ("user", "speaks", "Dutch"), tenant=tenant)
        for _ in range(3):
            await graph.project(tenant, "u-1", facts)
        assert list(await graph.export(tenant, "u-1")) == by_id(facts)

    async def test_a_later_state_replaces_the_earlier_one(self, graph: FactGraph, tenant: str) -> None:
        await graph.project(tenant, "u-1", known(("user", "lives_in", "Rome"), tenant=tenant))
        now = known(("user", "lives_in", "Rome"), ("user", "lives_in", "Milan"), tenant=tenant, times=2)
        await graph.project(tenant, "u-1", now)
        assert list(await graph.export(tenant, "u-1")) == by_id(now)
        assert [fact.object for fact in now if fact.current] == ["Milan"]

    async def test_an_end_that_is_taken_back_is_removed(self, graph: FactGraph, tenant: str) -> None:
        both = known(("user", "lives_in", "Rome"), ("user", "lives_in", "Milan"), tenant=tenant)
        await graph.project(tenant, "u-1", both)
        rome = known(("user", "lives_in", "Rome"), tenant=tenant)
        milan = next(fact.id for fact in both if fact.object == "Milan")
        await graph.project(tenant, "u-1", rome, gone=[milan])
        assert list(await graph.export(tenant, "u-1")) == list(rome)

    async def test_gone_facts_leave_no_trace(self, graph: FactGraph, tenant: str) -> None:
        facts = known(("user", "has_sibling", "Nora"), ("Nora", "lives_in", "Dublin"), tenant=tenant)
        await graph.project(tenant, "u-1", facts)
        await graph.project(tenant, "u-1", (), gone=[fact.id for fact in facts])
        assert await graph.export(tenant, "u-1") == []
        assert await graph.neighbours(tenant, "u-1", "Nora", depth=2) == []
        await graph.project(tenant, "u-1", (), gone=[facts[0].id, uuid4()])

    async def test_who_loses_a_fact_and_has_another_stays(self, graph: FactGraph, tenant: str) -> None:
        facts = known(
            ("user", "has_sibling", "Nora"),
            ("Nora", "lives_in", "Dublin"),
            ("Nora", "likes", "tea"),
            ("user", "likes", "tea"),
            tenant=tenant,
        )
        await graph.project(tenant, "u-1", facts)
        gone = [fact for fact in facts if fact.subject == "Nora"]
        await graph.project(tenant, "u-1", (), gone=[fact.id for fact in gone])
        assert list(await graph.export(tenant, "u-1")) == by_id([one for one in facts if one not in gone])
        assert [one.name for one in await graph.neighbours(tenant, "u-1", "user")] == ["Nora", "tea"]
        assert await graph.neighbours(tenant, "u-1", "Dublin") == []

    async def test_one_that_is_gone_and_known_is_written_anew(self, graph: FactGraph, tenant: str) -> None:
        facts = known(("user", "has_sibling", "Nora"), ("Nora", "lives_in", "Dublin"), tenant=tenant)
        for _ in range(2):
            await graph.project(tenant, "u-1", facts, gone=[facts[0].id])
            assert list(await graph.export(tenant, "u-1")) == by_id(facts)

    async def test_a_step_leads_from_where_the_graph_stands(self, graph: FactGraph, tenant: str) -> None:
        rome, milan = (known(("user", "likes", city), tenant=tenant) for city in ("Rome", "Milan"))
        first, second, third = uuid4(), uuid4(), uuid4()
        for _ in range(2):  # the second time as after an answer that was lost
            await graph.project(tenant, "u-1", rome, step=ProjectionVersion(None, first))
        for step in (
            ProjectionVersion(None, second),
            ProjectionVersion(second, third),
            ProjectionVersion(third, None),
        ):
            with pytest.raises(VersionConflict):
                await graph.project(tenant, "u-1", milan, gone=[rome[0].id], step=step)
        assert list(await graph.export(tenant, "u-1")) == list(rome)
        await graph.project(tenant, "u-1", milan)  # without a step it is not asked where it stands
        await graph.project(tenant, "u-1", (), step=ProjectionVersion(first, second))
        assert list(await graph.export(tenant, "u-1")) == by_id([*rome, *milan])
        await graph.project(tenant, "u-2", rome, step=ProjectionVersion(None, second))
        await graph.erase(tenant, "u-1")
        await graph.project(tenant, "u-1", milan, step=ProjectionVersion(None, third))
        assert list(await graph.export(tenant, "u-1")) == list(milan)

    async def test_a_survey_tells_which_facts_there_are(self, graph: FactGraph, tenant: str) -> None:
        facts = known(*(("user", "friend", name) for name in ODD_NAMES), tenant=tenant)
        await graph.project(tenant, "u-1", facts)
        assert await graph.survey(tenant, "u-1") == Survey(frozenset(fact.id for fact in facts))
        assert await graph.survey(tenant, "u-2") == Survey(frozenset())
        await graph.sweep(tenant, "u-1", ["user", "nobody", "$tenant"])
        assert await graph.owners(tenant) == {(tenant, "u-1")}
        assert list(await graph.export(tenant, "u-1")) == by_id(facts)

    async def test_the_state_is_noted_unless_another_was_meanwhile(
        self, graph: FactGraph, tenant: str
    ) -> None:
        first, second, third = uuid4(), uuid4(), uuid4()
        assert await graph.state(tenant, "u-1") is None
        for before, after, then in (
            (None, first, first),
            (first, second, second),
            (first, third, second),
            (None, third, second),
            (second, None, None),
        ):
            await graph.stand(tenant, "u-1", before=before, after=after)
            assert await graph.state(tenant, "u-1") == then
            assert await graph.state(tenant, "u-2") is None
            assert await graph.owners(tenant) == ({(tenant, "u-1")} if then else set())
        assert await graph.owners(tenant) == set()

    async def test_owners_are_whose_facts_there_are(self, graph: FactGraph, tenant: str) -> None:
        other = f"{tenant}-b"
        for where, user_id in ((tenant, "u-1"), (tenant, "u'2`{}"), (other, "u-1")):
            await graph.project(
                where, user_id, known(("user", "likes", "tea"), tenant=where, user_id=user_id)
            )
        assert set(await graph.owners(tenant)) == {(tenant, "u-1"), (tenant, "u'2`{}")}
        assert {(tenant, "u-1"), (other, "u-1")} <= set(await graph.owners())
        await graph.erase(tenant, "u-1")
        assert set(await graph.owners(tenant)) == {(tenant, "u'2`{}")}

    async def test_neighbours_to_depth_two(self, graph: FactGraph, tenant: str) -> None:
        facts = known(
            ("user", "has_sibling", "Nora"),
            ("Nora", "has_pet", "Biscuit"),
            ("Nora", "likes", "Biscuit"),
            ("Biscuit", "friend", "Rex"),
            ("user", "lives_in", "Rome"),
            ("user", "lives_in", "Milan"),
            tenant=tenant,
        )
        await graph.project(tenant, "u-1", facts)
        near = await graph.neighbours(tenant, "u-1", "nora")
        assert [(one.name, one.distance, one.predicates) for one in near] == [
            ("Biscuit", 1, ("has_pet", "likes")),
            ("user", 1, ("has_sibling",)),
        ]
        far = await graph.neighbours(tenant, "u-1", "Nora", depth=2)
        assert [(one.name, one.distance) for one in far] == [
            ("Biscuit", 1),
            ("user", 1),
            ("Milan", 2),
            ("Rex", 2),
        ]
        assert [one.name for one in await graph.neighbours(tenant, "u-1", "Nora", depth=2, limit=3)] == [
            "Biscuit",
            "user",
            "Milan",
        ]
        apart = await graph.neighbours(tenant, "u-1", "Nora", depth=2, past_user=False)
        assert [(one.name, one.distance) for one in apart] == [("Biscuit", 1), ("user", 1), ("Rex", 2)]
        assert await graph.neighbours(tenant, "u-1", "nobody", depth=2) == []

    @pytest.mark.parametrize("depth", [0, 3, -1])
    async def test_other_depths_are_refused(self, graph: FactGraph, tenant: str, depth: int) -> None:
        with pytest.raises(ValueError, match="depth"):
            await graph.neighbours(tenant, "u-1", "Nora", depth=depth)

    async def test_users_and_tenants_do_not_see_each_other(self, graph: FactGraph, tenant: str) -> None:
        other = f"{tenant}-b"
        for where, user_id, city in (
            (tenant, "u-1", "Rome"),
            (tenant, "u-2", "Oslo"),
            (other, "u-1", "Bonn"),
        ):
            statements = (("user", "friend", "Marco"), ("Marco", "lives_in", city))
            await graph.project(where, user_id, known(*statements, tenant=where, user_id=user_id))
        assert [one.name for one in await graph.neighbours(tenant, "u-2", "Marco", depth=2)] == [
            "Oslo",
            "user",
        ]
        rome = next(fact.id for fact in await graph.export(tenant, "u-1") if fact.object == "Rome")
        await graph.project(other, "u-1", (), gone=[rome])
        assert await graph.erase(tenant, "u-2") == 2
        assert {fact.object for fact in await graph.export(tenant, "u-1")} == {"Marco", "Rome"}
        assert {fact.object for fact in await graph.export(other, "u-1")} == {"Marco", "Bonn"}

    async def test_erasing_removes_all_and_counts_it(self, graph: FactGraph, tenant: str) -> None:
        await graph.project(
            tenant, "u-1", known(("user", "lives_in", "Rome"), ("user", "lives_in", "Oslo"), tenant=tenant)
        )
        assert await graph.erase(tenant, "u-1") == 2
        assert await graph.erase(tenant, "u-1") == 0
        assert await graph.export(tenant, "u-1") == []

    async def test_odd_names_are_values_and_nothing_else(self, graph: FactGraph, tenant: str) -> None:
        statements = [("user", "friend", name) for name in ODD_NAMES]
        statements += [(name, "likes", name[::-1]) for name in ODD_NAMES]
        facts = known(*statements, tenant=tenant, user_id="u'1`{}")
        await graph.project(tenant, "u'1`{}", facts)
        assert list(await graph.export(tenant, "u'1`{}")) == by_id(facts)
        for name in ODD_NAMES:
            assert await graph.neighbours(tenant, "u'1`{}", name)
        await graph.project(tenant, "u'1`{}", (), gone=[fact.id for fact in facts])
        assert await graph.owners(tenant) == set()

    async def test_two_hundred_facts_at_once(self, graph: FactGraph, tenant: str) -> None:
        facts = known(*(("user", "likes", f"thing {n}") for n in range(200)), tenant=tenant)
        await graph.project(tenant, "u-1", facts)
        assert list(await graph.export(tenant, "u-1")) == by_id(facts)

    async def test_workers_that_write_at_once_lose_nothing(self, graph: FactGraph, tenant: str) -> None:
        users = [f"u-{n}" for n in range(4)]
        facts = {
            user_id: known(
                *(("user", "likes", f"thing {n}") for n in range(15)), tenant=tenant, user_id=user_id
            )
            for user_id in users
        }
        await asyncio.gather(*(graph.project(tenant, user_id, facts[user_id]) for user_id in users * 3))
        for user_id in users:
            assert list(await graph.export(tenant, user_id)) == by_id(facts[user_id])

    async def test_preparing_twice_is_harmless(self, graph: FactGraph) -> None:
        await asyncio.gather(graph.prepare(), graph.prepare())
        assert await graph.health()
