"""What every `FactLedger` promises of a write and of a question; `FoldingContract` has the law of folds."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Fact
from ricordo.memory.facts.projection import FactDelta, VersionConflict
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

MINE = FactQuestion(user_id="u-1")
ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=1000)


async def _recorded(stores: Stores, count: int = 8, user_id: str = "u-1") -> None:
    await stores.record(
        *(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n), user_id=user_id) for n in range(count))
    )


async def _facts(stores: Stores, question: FactQuestion = MINE) -> Sequence[Fact]:
    return await stores.ledger.facts(stores.tenant, question)


def _said(facts: Sequence[Fact]) -> list[tuple[str, str, str]]:
    return [(one.subject, one.predicate, one.object) for one in facts]


async def test_what_was_said_can_be_loaded_with_who_said_it(stores: Stores) -> None:
    await stores.record(
        new_message(
            tenant=stores.tenant,
            role="assistant",
            speaker="Bot",
            language="it",
            content="ciao",
            timezone="Europe/Rome",
        ),
        new_message("m-2", tenant=stores.tenant, timestamp=at(1)),
    )
    ids = [stores.id("m-2"), uuid4(), stores.id("m-1")]
    second, first = await stores.ledger.load(stores.tenant, ids)
    assert (first.role, first.speaker, first.language, first.content) == (
        "assistant",
        "Bot",
        "it",
        "ciao",
    )
    assert (second.message_id, second.user_id, second.said_at) == ("m-2", "u-1", at(1))
    assert first.timezone == second.timezone == "Europe/Rome"


async def test_facts_their_projection_and_the_stage_come_together(stores: Stores) -> None:
    await _recorded(stores)
    projection = Projection()
    supported, progress = await learn(
        stores,
        tell(stores, "m-0", said("lives_in", "Rome", minute=0), said("has_pet", "Max", position=9)),
        tell(stores, "m-1"),
        projection=projection,
    )
    (learned,) = projection.learned
    assert supported == {"m-0": learned.facts}
    assert [one.message_id for one in progress] == ["m-0", "m-1"]
    assert all(one.extracted is not None for one in progress)
    assert sorted(_said(await _facts(stores))) == [
        ("user", "has_pet", "Max"),
        ("user", "lives_in", "Rome"),
    ]
    assert sorted(learned.facts, key=str) == sorted(await _facts(stores), key=str)


async def test_a_repeat_changes_nothing_and_returns_the_same(stores: Stores) -> None:
    await _recorded(stores)
    told = [tell(stores, f"m-{n}", said("likes", "tea", minute=n)) for n in range(3)]
    first = await learn(stores, *told)
    before = await _facts(stores, ALL)
    assert await learn(stores, *told, *told) == first
    assert await _facts(stores, ALL) == before


async def test_a_projection_hears_of_what_has_changed_only(stores: Stores) -> None:
    await _recorded(stores)
    tea, rome = said("likes", "tea"), said("lives_in", "Rome", position=5)
    await learn(stores, tell(stores, "m-0", tea, rome))
    told = tell(stores, "m-1", said("likes", "tea", minute=1), said("likes", "coffee", minute=1, position=5))
    projection = Projection()
    supported, progress = await learn(stores, told, projection=projection)
    (learned,) = projection.learned
    assert [(fact.object, fact.confidence) for fact in learned.facts] == [("coffee", 1), ("tea", 2)]
    assert supported == {"m-1": learned.facts}
    assert await learn(stores, told, projection=projection) == (supported, progress)
    assert projection.learned == [learned], "a repeat has nothing to tell"
    supported, _ = await learn(
        stores, tell(stores, "m-2", said("lives_in", "Milan", minute=2)), projection=projection
    )
    (moved,) = projection.learned[1:]
    assert {fact.object for fact in moved.facts} == {"Milan", "Rome"}
    assert [fact.object for fact in supported["m-2"]] == ["Milan"]


async def test_what_the_projection_refuses_is_not_written(stores: Stores) -> None:
    """The error comes out as it was: a graph that is away is not a PostgreSQL that is away."""
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("lives_in", "Rome")))
    before = await _facts(stores, ALL)
    for error in (OSError("the graph is away"), TimeoutError("slow"), LookupError("odd")):
        with pytest.raises(type(error), match=str(error)):
            await learn(
                stores,
                tell(stores, "m-1", said("lives_in", "Milan", minute=1)),
                projection=Projection(failing=error),
            )
        assert await _facts(stores, ALL) == before
        progress = await stores.progress("m-1")
        assert progress is not None
        assert progress.extracted is None
    await learn(stores, tell(stores, "m-1", said("lives_in", "Milan", minute=1)))
    assert _said(await _facts(stores)) == [("user", "lives_in", "Milan")]


async def test_a_projection_is_told_from_where_to_where_it_goes(stores: Stores) -> None:
    await _recorded(stores)
    given: list[FactDelta] = []
    refused = VersionConflict("the projection is elsewhere")

    async def project(learned: FactDelta) -> None:
        given.append(learned)
        if len(given) == 2:
            raise refused

    rome = tell(stores, "m-0", said("lives_in", "Rome"), said("likes", "tea", position=5))
    milan = tell(stores, "m-1", said("lives_in", "Milan", minute=1))
    await stores.ledger.record(stores.tenant, [rome], project, STORED)
    with pytest.raises(VersionConflict) as raised:
        await stores.ledger.record(stores.tenant, [milan], project, STORED)
    assert raised.value is refused
    assert {fact.object for fact in await _facts(stores, ALL)} == {"Rome", "tea"}
    await stores.ledger.record(stores.tenant, [milan], project, STORED)
    first, out_of_step, again = given
    assert first.step.before is None
    assert (again.facts, again.gone) == (out_of_step.facts, out_of_step.gone)
    assert again.step.before == out_of_step.step.before == first.step.after
    assert again.step.after not in (None, again.step.before)


async def test_another_reading_of_a_message_replaces_what_it_had_said(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("lives_in", "Rome"), said("has_pet", "Max", position=5)))
    projection = Projection()
    await learn(stores, tell(stores, "m-0", said("likes", "Rome")), projection=projection)
    assert _said(await _facts(stores, ALL)) == [("user", "likes", "Rome")]
    assert len(projection.learned[0].gone) == 2
    assert await learn(stores, tell(stores, "m-0")) == ({}, [await stores.progress("m-0")])
    assert await _facts(stores, ALL) == []
    names = (await stores.recollection.profile(stores.tenant, "u-1")).names
    assert not {"Rome", "Max"}.intersection(names)


async def test_what_messages_state_can_be_read_back(stores: Stores) -> None:
    await _recorded(stores)
    first = tell(
        stores,
        "m-0",
        said("lives_in", "Rome", polarity="past", position=3, valid_from=at(-5)),
        said("works_as", "nurse", subject="Nora", position=20),
    )
    other = tell(stores, "m-2", said("likes", "Tea", minute=2), user_id="u-1")
    nothing = replace(tell(stores, "m-1"), said_at=at(1))
    await learn(stores, first, nothing, other)
    ids = [stores.id(f"m-{n}") for n in range(4)]
    kept = await stores.ledger.evidence_of_memories(stores.tenant, [*ids, uuid4()])
    assert kept == {one.memory_id: one for one in (first, nothing, other)}, "nobody has read the fourth"
    assert await learn(stores, *kept.values()) == await learn(stores, first, nothing, other)
    assert await stores.ledger.evidence_of_memories(stores.tenant, []) == {}


async def test_a_forgotten_message_states_nothing(stores: Stores) -> None:
    await _recorded(stores, 1)
    _, progress = await learn(stores, tell(stores, "m-7", said("lives_in", "Rome")))
    assert list(progress) == []
    assert await _facts(stores, ALL) == []


async def test_an_entity_is_found_by_any_spelling_and_the_user_is_none(stores: Stores) -> None:
    await _recorded(stores)
    friends = [said("friend", name, minute=n) for n, name in enumerate(("Zoë", "Zoë", "ZOE"))]
    await learn(stores, *(tell(stores, f"m-{n}", one) for n, one in enumerate(friends)))
    await learn(stores, tell(stores, "m-4", said("friend", "user", minute=4, subject="Zoë")))
    for name in ("Zoë", " zoe ", "ZOE"):
        found = await stores.ledger.entity(stores.tenant, "u-1", name)
        assert found is not None
        assert (found.name, found.aliases, found.mentions) == ("Zoë", ("ZOE",), 4)
    for name in ("user", " USER ", "Zo", "", "…", "'; --"):
        assert await stores.ledger.entity(stores.tenant, "u-1", name) is None
    assert await stores.ledger.entity(stores.tenant, "u-2", "Zoë") is None


async def test_as_of_asks_the_past_and_history_shows_all_of_it(stores: Stores) -> None:
    await _recorded(stores)
    for n, city in enumerate(("Rome", "Milan", "Turin")):
        await learn(stores, tell(stores, f"m-{n}", said("lives_in", city, minute=n)))
    for instant, city in ((at(0), "Rome"), (at(0.9), "Rome"), (at(1), "Milan"), (at(99), "Turin")):
        found = await _facts(stores, FactQuestion(user_id="u-1", as_of=instant))
        assert [one.object for one in found] == [city]
    assert await _facts(stores, FactQuestion(user_id="u-1", as_of=at(-1))) == []
    assert [one.object for one in await _facts(stores)] == ["Turin"]
    history = await _facts(stores, FactQuestion(user_id="u-1", history=True))
    assert {one.object for one in history} == {"Rome", "Milan", "Turin"}
    assert sum(one.contradictions for one in history) == 2


async def test_at_no_instant_two_cities_were_lived_in(stores: Stores) -> None:
    await _recorded(stores)
    past = said("lives_in", "Paris", minute=1, polarity="past", valid_from=at(-9), valid_to=at(-5))
    await learn(stores, tell(stores, "m-0", said("lives_in", "Rome", valid_from=at(-20))))
    await learn(stores, tell(stores, "m-1", past))
    for minute, city in ((-21, []), (-10, ["Rome"]), (-9, ["Paris"]), (-5, ["Rome"]), (2, ["Rome"])):
        question = FactQuestion(user_id="u-1", predicate="lives_in", as_of=at(minute))
        assert [one.object for one in await _facts(stores, question)] == city
    meanwhile = FactQuestion(user_id="u-1", entity="Rome", as_of=at(-7))
    assert await _facts(stores, meanwhile) == []


async def test_what_never_held_but_was_said_is_part_of_the_history_only(stores: Stores) -> None:
    await _recorded(stores)
    firm = [tell(stores, f"m-{n}", said("lives_in", "Rome", minute=n)) for n in range(5)]
    await learn(stores, *firm, tell(stores, "m-6", said("lives_in", "Milan", minute=6)))
    assert [one.object for one in await _facts(stores)] == ["Rome"]
    assert [one.object for one in await _facts(stores, FactQuestion(user_id="u-1", as_of=at(6)))] == ["Rome"]
    history = await _facts(stores, FactQuestion(user_id="u-1", history=True))
    assert {(one.object, one.disputed) for one in history} == {("Rome", True), ("Milan", True)}


async def test_questions_narrow_and_sort(stores: Stores) -> None:
    await _recorded(stores)
    for n in range(4):
        statements = [said("likes", "tea", minute=n)]
        statements += [said("friend", "Bea", minute=n, position=1)] if n < 2 else []
        statements += [said("lives_in", "Turin", minute=n, subject="bea", position=2)] if n < 3 else []
        await learn(stores, tell(stores, f"m-{n}", *statements))
    assert [(one.confidence, one.last_reinforced) for one in await _facts(stores)] == [
        (4, at(3)),
        (3, at(2)),
        (2, at(1)),
    ]
    about = await _facts(stores, FactQuestion(user_id="u-1", entity="BEA "))
    assert {one.predicate for one in about} == {"friend", "lives_in"}
    by_predicate = await _facts(stores, FactQuestion(user_id="u-1", predicate="friend"))
    assert _said(by_predicate) == [("user", "friend", "Bea")]
    firm = await _facts(stores, FactQuestion(user_id="u-1", min_confidence=3.5))
    assert [one.object for one in firm] == ["tea"]
    assert len(await _facts(stores, FactQuestion(user_id="u-1", limit=2))) == 2
    assert await _facts(stores, FactQuestion(user_id="u-2")) == []
    assert await stores.ledger.facts(stores.elsewhere().tenant, MINE) == []


async def test_facts_surface_when_firm_or_named(stores: Stores) -> None:
    await _recorded(stores)
    for n in range(3):
        await learn(stores, tell(stores, f"m-{n}", said("likes", "tea", minute=n)))
    await learn(stores, tell(stores, "m-3", said("has_pet", "Max", minute=3)))
    await learn(stores, tell(stores, "m-4", said("lives_in", "Rome", minute=4)))
    await learn(stores, tell(stores, "m-5", said("lives_in", "Milan", minute=5)))

    async def surfacing(*names: str, limit: int = 10) -> list[str]:
        found = await stores.ledger.surfacing(stores.tenant, "u-1", names=names, threshold=3, limit=limit)
        return [one.object for one in found]

    assert await surfacing() == ["tea"]
    assert await surfacing("MÁX", "nobody", "", "user") == ["Max", "tea"]
    assert await surfacing("Rome", "Milan") == ["Milan", "tea"]
    assert await surfacing("Max", limit=1) == ["Max"]


async def test_facts_about_the_user_are_found_by_predicate(stores: Stores) -> None:
    await _recorded(stores)
    await learn(stores, tell(stores, "m-0", said("likes", "tea"), said("has_pet", "Max")))
    await learn(stores, tell(stores, "m-1", said("likes", "chess", subject="Bea", minute=1)))
    await learn(stores, tell(stores, "m-2", said("lives_in", "Rome", minute=2)))
    await learn(stores, tell(stores, "m-3", said("lives_in", "Milan", minute=3)))

    async def about(*predicates: str, user: str = "u-1", limit: int = 10) -> list[str]:
        found = await stores.ledger.about_user(stores.tenant, user, predicates=predicates, limit=limit)
        return [one.object for one in found]

    assert await about("likes") == ["tea"]
    assert await about("lives_in") == ["Milan"]
    assert await about("likes", "has_pet", "name") == ["tea", "Max"]
    assert await about("name", "has_pet", "likes") == ["Max", "tea"]
    assert await about() == []
    assert await about("likes", user="u-2") == []
    assert len(await about("likes", "has_pet", "lives_in", limit=2)) == 2


async def test_entities_count_the_messages_that_name_them(stores: Stores) -> None:
    await _recorded(stores)
    await learn(
        stores,
        tell(stores, "m-0", said("friend", "Bea"), said("likes", "chess", subject="bea", position=4)),
        tell(stores, "m-1", said("friend", "Aldo", minute=1)),
        tell(stores, "m-2", said("friend", "Bea", minute=2)),
    )
    assert (await stores.recollection.profile(stores.tenant, "u-1")).names[:2] == ("Bea", "Aldo")


async def test_users_learned_about_at_once_in_opposite_order_do_not_lock_each_other(stores: Stores) -> None:
    await stores.record(
        *(
            new_message(f"m-{user}-{n}", tenant=stores.tenant, user_id=f"u-{user}", timestamp=at(n))
            for user in range(4)
            for n in range(4)
        )
    )
    told = [
        tell(stores, f"m-{user}-{n}", said("likes", "tea", minute=n), user_id=f"u-{user}")
        for user in range(4)
        for n in range(4)
    ]
    await asyncio.gather(
        *(learn(stores, *told[start::2][::order]) for start in (0, 1) for order in (1, -1)),
        *(learn(stores, *told[start::3]) for start in range(3)),
    )
    for user in range(4):
        (fact,) = await _facts(stores, FactQuestion(user_id=f"u-{user}"))
        assert (fact.confidence, len(fact.message_ids)) == (4, 4)
