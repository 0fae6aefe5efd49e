"""What the user says of facts counts once, outweighs messages, and goes with its user.

How an assertion folds is proved by the unit tests of `ricordo.memory.facts`.
"""

import asyncio
from dataclasses import replace
from itertools import permutations
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import (
    CURRENT,
    assert_fact,
    by_object,
    changes,
    claim,
    extracted,
    facts,
    learn,
    tell,
    tell_in_turn,
    version,
)
from tests.contract.store.stores import Stores
from tests.contract.store.test_erasure import A_CONVERSATION, A_MESSAGE, A_USER, forget
from tests.support.factories import at

from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.user_assertions import UserAssertion
from ricordo.store.erasure import ErasureRequest
from ricordo.store.fact_assertions import FactEnded, UnknownFact
from ricordo.store.idempotency import RequestConflict

LECCE, CONFIRMED, RETRACTED = UserAssertion(object="Lecce"), UserAssertion(), UserAssertion(verified=False)
REJECTED = UserAssertion(rejected=True)


async def _lived(stores: Stores, *cities: str) -> list[Fact]:
    """Record a message for each city, a minute apart, and return the facts, the current ones first."""
    await tell_in_turn(stores, *(claim("lives_in", city) for city in cities))
    return list(await facts(stores))


async def _current(stores: Stores) -> list[tuple[str, bool, bool]]:
    return [(one.object, one.verified, one.disputed) for one in await facts(stores, CURRENT)]


async def test_what_the_user_says_is_written_with_the_facts_that_it_changes(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    before = await version(stores)
    confirmed = await assert_fact(stores, rome.id, CONFIRMED)
    assert confirmed == replace(rome, verified=True)
    assert await changes(stores, before) == ({confirmed}, [])
    for request in ("request 2", "request 3"):
        assert await assert_fact(stores, rome.id, RETRACTED, request) is None
        assert await facts(stores) == [rome]
    before = await version(stores)
    lecce = await assert_fact(stores, rome.id, LECCE, "request 4")
    new, old = await facts(stores)
    assert (new, new.verified, new.valid_from) == (lecce, True, rome.valid_from)
    assert (old.id, old.object, old.valid_from) == (rome.id, "Rome", old.valid_to)
    assert await changes(stores, before) == ({new, old}, [])


@pytest.mark.parametrize("order", ["other named request", "named other request", "named request other"])
@pytest.mark.parametrize(
    ("wrong", "right", "tie", "others_tie"),
    [
        ("Callum", "Calum", "has_sibling/m/brother", "?has_sibling/f/sister"),
        ("Ignatius", "Iggy", "related_to/m/godson", "?related_to/f/sister-in-law"),
    ],
)
async def test_a_corrected_relative_stays_that_relative(  # noqa: PLR0917 - one row of a table
    stores: Stores, order: str, wrong: str, right: str, tie: str, others_tie: str
) -> None:
    predicate, other = tie.partition("/")[0], others_tie.rpartition("/")[2]
    told = {
        "other": claim("lives_in", "Glasgow", subject=other, ties=(others_tie, "")),
        "named": claim(predicate, wrong, minute=1, ties=("", tie)),
    }
    await stores.say(*told)
    for step in order.split():
        if step in told:
            await learn(stores, extracted(stores, step, told[step]))
        else:
            await assert_fact(stores, (await by_object(stores))[wrong].id, UserAssertion(object=right))
    found = {(one.subject, one.predicate, one.object) for one in await facts(stores) if one.current}
    assert found == {("user", predicate, right), (other, "lives_in", "Glasgow")}


async def test_corrections_in_a_row_and_their_retraction(stores: Stores) -> None:
    """Each value keeps its id, and a repeated request says what became of its value."""
    (rome,) = await _lived(stores, "Rome", "Rome", "Rome")
    current, ids = rome, set()
    for n, city in enumerate(("Lecce", "Rome", "Lecce", "Bari", "Rome")):
        corrected = await assert_fact(stores, current.id, UserAssertion(object=city), f"request {n}")
        assert corrected is not None
        current = corrected
        ids.add((current.object, current.id))
        assert await _current(stores) == [(city, True, False)]
    assert current == replace(rome, verified=True)
    assert len(ids) == len(await facts(stores)) == 3
    again = await assert_fact(stores, rome.id, LECCE, "request 0")
    assert again is not None
    assert (again.object, again.current) == ("Lecce", False)
    for _ in range(2):
        assert await assert_fact(stores, rome.id, RETRACTED, "request 9") is None
        assert await _current(stores) == [("Bari", True, False)]


async def test_a_correction_among_many_values_is_made_and_retracted_alone(stores: Stores) -> None:
    await tell(stores, "m-1", claim("likes", "the tea"), claim("likes", "cake", position=9))
    before = await by_object(stores)
    tea = await assert_fact(stores, before["the tea"].id, UserAssertion(object="tea"))
    assert tea is not None
    assert await _current(stores) == [("cake", False, False), ("tea", True, False)]
    with pytest.raises(FactEnded) as ended:
        await assert_fact(stores, before["the tea"].id, UserAssertion(object="tee"), "request 2")
    assert ended.value.instead is None, "a user may like many things"
    for _ in range(2):
        await assert_fact(stores, tea.id, RETRACTED, "request 3")
        assert await by_object(stores) == before


async def test_corrected_times_stay_whatever_comes_and_a_repeat_changes_nothing(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    until = UserAssertion(times={"valid_to": at(-90)})
    over = await assert_fact(stores, rome.id, until)
    assert over is not None
    assert (over.id, over.valid_from, over.valid_to, over.verified) == (rome.id, None, at(-90), True)
    known = await version(stores)
    assert await assert_fact(stores, rome.id, until) == over
    assert await version(stores) == known
    for conflict in (CONFIRMED, LECCE, UserAssertion(times={"valid_to": at(-91)})):
        with pytest.raises(RequestConflict):
            await assert_fact(stores, rome.id, conflict)
    await tell(stores, "m-9", claim("lives_in", "Rome", minute=1_000_000))
    first, second = sorted(await facts(stores), key=lambda fact: fact.current)
    assert (first.valid_to, second.current) == (at(-90), True), "they have moved back"
    with pytest.raises(FactEnded) as ended:
        await assert_fact(stores, first.id, UserAssertion(times={"valid_from": at(-99)}), "request 2")
    assert ended.value.instead == second.id
    with pytest.raises(UnknownFact):
        await assert_fact(stores, second.id, until, "request 3", user_id="u-2")


async def test_any_id_of_a_value_names_that_value(stores: Stores) -> None:
    """An earlier message that comes late makes the confirmed period the second of its value."""
    await stores.say("m-0", "m-1", "m-2")
    await learn(stores, extracted(stores, "m-2", claim("lives_in", "Rome", minute=2)))
    (rome,) = await facts(stores)
    await assert_fact(stores, rome.id, CONFIRMED)
    for n, late in enumerate(("Rome", "Milan")):
        await learn(stores, extracted(stores, f"m-{n}", claim("lives_in", late, minute=n)))
    second, milan, first = await facts(stores)
    assert (first.id, first.current, second.verified) == (rome.id, False, True)
    await assert_fact(stores, first.id, RETRACTED, "request 2")
    assert await _current(stores) == [("Rome", False, False)]
    assert await assert_fact(stores, first.id, CONFIRMED, "request 3") == second
    with pytest.raises(FactEnded):
        await assert_fact(stores, milan.id, UserAssertion(object="Bari"), "request 4")
    lecce = await assert_fact(stores, first.id, LECCE, "request 5")
    assert lecce is not None
    assert lecce.valid_from == second.valid_from


async def test_a_repeat_also_at_once_changes_nothing_and_returns_the_same(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    done = await asyncio.gather(*(assert_fact(stores, rome.id, LECCE) for _ in range(3)))
    assert len(set(done)) == 1
    before, known = await facts(stores), await version(stores)
    assert len(before) == 2
    assert await assert_fact(stores, rome.id, LECCE) == done[0]
    assert (await facts(stores), await version(stores)) == (before, known)
    for conflict in (CONFIRMED, UserAssertion(object="Bari")):
        with pytest.raises(RequestConflict):
            await assert_fact(stores, rome.id, conflict)
    assert await facts(stores) == before


async def test_a_request_about_one_subject_conflicts_with_another_subject(stores: Stores) -> None:
    told = [claim("lives_in", "Rome", subject=name, position=n) for n, name in enumerate(("Anna", "Bruno"))]
    await tell(stores, "m-1", *told)
    anna, bruno = sorted(await facts(stores), key=lambda fact: fact.subject)
    for assertion in (CONFIRMED, LECCE):
        request = f"request of {assertion.object}"
        first = await assert_fact(stores, anna.id, assertion, request)
        with pytest.raises(RequestConflict):
            await assert_fact(stores, bruno.id, assertion, request)
        assert await assert_fact(stores, anna.id, assertion, request) == first
    assert bruno in await facts(stores)


async def test_a_repeat_counts_as_before_although_the_subject_was_merged_since(stores: Stores) -> None:
    await tell(stores, "m-1", claim("friend", "Nicola"), claim("lives_in", "Bari", subject="Nico"))
    bari = (await by_object(stores))["Bari"]
    lecce = await assert_fact(stores, bari.id, LECCE)
    await stores.ledger.decide(stores.tenant, "u-1", ("Nico", "Nicola"), same=True, by="user")
    before = await facts(stores)
    again = await assert_fact(stores, bari.id, LECCE)
    assert lecce is not None
    assert again is not None
    assert again == replace(lecce, id=again.id, subject="Nicola")
    with pytest.raises(RequestConflict):
        await assert_fact(stores, bari.id, UserAssertion(object="Rome"))
    with pytest.raises(UnknownFact):
        await assert_fact(stores, bari.id, LECCE, "request 2")
    assert await facts(stores) == before
    await stores.put_tombstone("user", "u-1")
    with pytest.raises(UnknownFact):
        await assert_fact(stores, bari.id, LECCE)


async def test_unknown_and_forgotten_facts_are_refused(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    for where, user_id, fact_id in (
        (stores, "u-1", uuid4()),
        (stores, "u-2", rome.id),
        (stores.another_tenant(), "u-1", rome.id),
    ):
        with pytest.raises(UnknownFact):
            await assert_fact(where, fact_id, LECCE, user_id=user_id)
    assert await facts(stores) == [rome]
    await stores.put_tombstone("user", "u-1")
    with pytest.raises(UnknownFact):
        await assert_fact(stores, rome.id, CONFIRMED)


async def test_a_superseded_fact_is_confirmed_but_not_corrected(stores: Stores) -> None:
    milan, rome = await _lived(stores, "Rome", "Milan")
    with pytest.raises(FactEnded) as ended:
        await assert_fact(stores, rome.id, LECCE)
    assert ended.value.instead == milan.id
    assert await facts(stores) == [milan, rome]
    await assert_fact(stores, rome.id, CONFIRMED, "request 2")
    assert await _current(stores) == [("Rome", True, False)]


async def test_a_rejected_fact_is_not_read_again_from_the_same_words(stores: Stores) -> None:
    await stores.say("m-0", "m-1")
    told = extracted(stores, "m-0", claim("likes", "rain"), claim("likes", "snow", position=9))
    await learn(stores, told)
    rain, before = (await by_object(stores))["rain"], await version(stores)
    assert await assert_fact(stores, rain.id, REJECTED) is None
    assert await changes(stores, before) == (set(), [rain.id])
    for _ in range(2):
        supported, progress = await learn(stores, told)
        assert [one.object for one in supported["m-0"]] == ["snow"]
        assert progress[0].extracted is not None
        assert (await by_object(stores)).keys() == {"snow"}
    await learn(stores, extracted(stores, "m-1", claim("likes", "rain", minute=1)))
    assert await assert_fact(stores, rain.id, REJECTED) is None, "a repeat"
    again = (await by_object(stores))["rain"]
    assert (again.confidence, again.message_ids) == (1, ("m-1",))
    with pytest.raises(RequestConflict):
        await assert_fact(stores, (await by_object(stores))["snow"].id, REJECTED)


async def test_messages_and_a_rejection_give_the_same_facts_in_any_order(stores: Stores) -> None:
    known = []
    for order in permutations(range(3)):
        here = stores.another_tenant()
        await here.say("m-0", "m-1", "m-2")
        told = [
            extracted(here, "m-0", claim("lives_in", "Rome")),
            extracted(here, "m-1", claim("lives_in", "Lecce", minute=1), claim("likes", "rain", minute=1)),
            extracted(here, "m-2", claim("lives_in", "Rome", minute=2)),
        ]
        await learn(here, told[1])
        await assert_fact(here, (await by_object(here))["Lecce"].id, REJECTED)
        for n in order:
            await learn(here, told[n])
        known.append([replace(one, id=UUID(int=0)) for one in await facts(here)])
    assert [one.object for one in known[0]] == ["Rome", "rain"]
    assert all(one == known[0] for one in known)


async def test_a_rejection_takes_the_users_own_assertions_with_it(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    lecce = await assert_fact(stores, rome.id, LECCE, "request 0")
    assert lecce is not None
    for _ in range(2):
        assert await assert_fact(stores, lecce.id, REJECTED) is None
        assert await facts(stores) == [rome]
    await assert_fact(stores, rome.id, CONFIRMED, "request 2")
    assert await assert_fact(stores, rome.id, REJECTED, "request 3") is None
    assert await facts(stores) == []


@pytest.mark.parametrize("order", ["before", "assertion first", "erasure first"])
async def test_an_assertion_is_erased_with_its_user_also_at_once(stores: Stores, order: str) -> None:
    """No memory stands behind it that an erasure could follow."""
    (rome,) = await _lived(stores, "Rome")
    if order == "before":
        await assert_fact(stores, rome.id, LECCE)
        await forget(stores, A_USER)
        with pytest.raises(UnknownFact):
            await assert_fact(stores, rome.id, LECCE)
    else:
        work = [assert_fact(stores, rome.id, LECCE), forget(stores, A_USER)]
        done = await asyncio.gather(*(work[:: -1 if order[0] == "e" else 1]), return_exceptions=True)
        assert all(isinstance(one, Fact | UnknownFact | tuple) for one in done), done
    assert await stores.fetch("select count(*) from fact_evidence") == [(0,)]


@pytest.mark.parametrize("what", [A_MESSAGE, A_CONVERSATION], ids=lambda one: one.scope.value)
@pytest.mark.parametrize("assertions", [(CONFIRMED,), (LECCE,), (LECCE, CONFIRMED), (REJECTED,)], ids=len)
async def test_an_assertion_is_erased_with_the_last_message_that_states_its_fact(
    stores: Stores, assertions: tuple[UserAssertion, ...], what: ErasureRequest
) -> None:
    await tell(stores, "m-1", claim("lives_in", "Rome"))
    await tell(stores, "m-2", claim("lives_in", "Rome", minute=1))
    for n, assertion in enumerate(assertions):
        (current,) = await facts(stores, CURRENT)
        await assert_fact(stores, current.id, assertion, f"request {n}")
    await forget(stores, replace(A_MESSAGE, key="m-1"))
    stays = {CONFIRMED: [("Rome", True, False)], LECCE: [("Lecce", True, False)], REJECTED: []}
    assert await _current(stores) == stays[assertions[0]]
    await forget(stores, what)
    for table in ("facts", "fact_evidence", "rejections"):
        assert await stores.fetch(f"select count(*) from {table}") == [(0,)], table


async def test_a_message_is_absent_for_a_reason_or_may_be_there_by_now(stores: Stores) -> None:
    await stores.say("m-1", "m-2")
    await stores.record(stores.message("m-3", memorable=False), stores.message("m-4", user_id="u-2"))
    await forget(stores, replace(A_MESSAGE, key="m-2"))
    absent = {name: await stores.ledger.absence(stores.tenant, "u-1", f"m-{name}") for name in range(1, 6)}
    assert absent == {1: None, 2: "forgotten", 3: "history", 4: "foreign", 5: None}
