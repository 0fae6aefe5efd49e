"""What every `FactLedger` promises of a user's word: it settles what messages left open."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.memory.facts import Assertion, Fact
from ricordo.store.database import RequestConflict
from ricordo.store.fact_assertions import FactAssertion, FactEnded, UnknownFact
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=1000)
NOW = FactQuestion(user_id="u-1", min_confidence=0)
ODD = (
    'O\'Brien "Bob"; drop table facts',
    "`}) DETACH DELETE n //",
    "{x: $tenant}",
    "\\u0000 \\ %s {0}",
    "è\u0301 🅪 مرحبا 漢字",
    "\U0001d54f" * 250,
)


async def _lived(stores: Stores, *cities: str, user_id: str = "u-1") -> Sequence[Fact]:
    """Record a message for each city, an hour apart, and return the facts, the current ones first."""
    names = [f"{user_id}-{n}" for n in range(len(cities))]
    await stores.record(
        *(
            new_message(one, tenant=stores.tenant, timestamp=at(n), user_id=user_id)
            for n, one in enumerate(names)
        )
    )
    for n, (name, city) in enumerate(zip(names, cities, strict=True)):
        await learn(stores, tell(stores, name, said("lives_in", city, minute=n), user_id=user_id))
    return await _facts(stores)


async def _facts(stores: Stores, question: FactQuestion = ALL) -> Sequence[Fact]:
    found = await stores.ledger.facts(stores.tenant, question)
    return sorted(found, key=lambda fact: (not fact.current, fact.object))


async def _current(stores: Stores) -> list[tuple[str, bool, bool]]:
    return [(one.object, one.verified, one.disputed) for one in await _facts(stores, NOW)]


async def _settle(
    stores: Stores,
    fact_id: UUID,
    word: Assertion,
    *,
    request: str = "request 1",
    user_id: str = "u-1",
    projection: Projection | None = None,
    ledger: FactLedger | None = None,
) -> Fact | None:
    curation = FactAssertion(user_id=user_id, fact_id=fact_id, request_id=request, word=word)
    return await (ledger or stores.ledger).apply_assertion(
        stores.tenant, curation, projection or Projection(), STORED
    )


async def test_messages_dispute_what_was_confirmed_and_do_not_overturn_it(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    projection = Projection()
    confirmed = await _settle(stores, rome.id, Assertion(), projection=projection)
    assert confirmed is not None
    assert (confirmed.id, confirmed.verified, confirmed.confidence) == (rome.id, True, 1)
    assert [one.facts for one in projection.learned] == [(confirmed,)]
    late = STORED.replace(year=STORED.year + 1)
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=late) for n in range(5)))
    milan = said("lives_in", "Milan", minute=(late - at(0)).total_seconds() / 60)
    await learn(stores, *(tell(stores, f"m-{n}", milan) for n in range(5)))
    assert await _current(stores) == [("Rome", True, True)]


async def test_a_confirmation_is_taken_back(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    await _settle(stores, rome.id, Assertion())
    assert await _settle(stores, rome.id, Assertion(verified=False), request="request 2") is None
    assert await _facts(stores) == [rome]
    assert await _settle(stores, rome.id, Assertion(verified=False), request="request 3") is None
    assert await _facts(stores) == [rome], "nothing is left to take back"


async def test_what_is_disputed_holds_once_it_is_confirmed(stores: Stores) -> None:
    await _lived(stores, *["Rome"] * 6, "Milan")
    rome, milan = await _facts(stores)
    assert (rome.disputed, milan.disputed, milan.current) == (True, True, False)
    stands = await _settle(stores, milan.id, Assertion())
    assert stands is not None
    assert (stands.id, stands.verified, stands.current, stands.confidence) == (milan.id, True, True, 1)
    assert await _current(stores) == [("Milan", True, False)]
    assert [one.object for one in await _facts(stores)] == ["Milan", "Rome"]


async def test_what_is_corrected_was_never_so_and_stays_on_record(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    projection = Projection()
    stands = await _settle(stores, rome.id, Assertion(object="Lecce"), projection=projection)
    assert stands is not None
    assert (stands.object, stands.verified, stands.current) == ("Lecce", True, True)
    assert stands.valid_from == rome.valid_from, "it was so all the time"
    new, old = await _facts(stores)
    assert new == stands
    assert (old.id, old.object, old.valid_from) == (rome.id, "Rome", old.valid_to)
    assert set(projection.learned[0].facts) == {new, old}
    assert await _current(stores) == [("Lecce", True, False)]


async def test_a_correction_is_taken_back_by_another_one_and_all_is_as_it_was(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome", "Rome", "Rome")
    stands, ids = rome, set()
    for n, city in enumerate(("Lecce", "Rome", "Lecce", "Bari", "Rome")):
        corrected = await _settle(stores, stands.id, Assertion(object=city), request=f"request {n}")
        assert corrected is not None
        stands = corrected
        ids.add((stands.object, stands.id))
        assert (stands.verified, stands.valid_from) == (True, rome.valid_from)
        assert await _current(stores) == [(city, True, False)]
    assert stands == replace(rome, verified=True)
    assert len(ids) == len(await _facts(stores)) == 3, "each value keeps its id"
    again = await _settle(stores, rome.id, Assertion(object="Lecce"), request="request 0")
    assert again is not None
    assert (again.object, again.current) == ("Lecce", False)


async def test_what_was_corrected_by_mistake_is_confirmed_under_its_id(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome", "Rome")
    lecce = await _settle(stores, rome.id, Assertion(object="Lecce"))
    assert lecce is not None
    stands = await _settle(stores, rome.id, Assertion(), request="request 2")
    assert stands == replace(rome, verified=True)
    new, old = await _facts(stores)
    assert (new, old.id, old.valid_to) == (stands, lecce.id, old.valid_from)
    assert await _settle(stores, rome.id, Assertion(verified=False), request="request 3") is None
    assert await _current(stores) == [("Lecce", True, False)], "as if it had not been confirmed"


async def test_what_is_corrected_to_what_somebody_said_is_what_they_said(stores: Stores) -> None:
    await _lived(stores, *["Rome"] * 6, "Milan")
    rome, milan = await _facts(stores)
    stands = await _settle(stores, rome.id, Assertion(object="Milan"))
    assert stands is not None
    assert (stands.id, stands.confidence, stands.verified) == (milan.id, 1, True)
    assert stands.valid_from == rome.valid_from
    assert len(await _facts(stores)) == 2


async def test_any_id_of_a_value_names_that_value(stores: Stores) -> None:
    """What was said before and comes late makes the period that was confirmed the second of its value."""
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(3)))
    await learn(stores, tell(stores, "m-2", said("lives_in", "Rome", minute=2)))
    (rome,) = await _facts(stores)
    await _settle(stores, rome.id, Assertion())
    for late in ("Rome", "Milan"):
        n = ("Rome", "Milan").index(late)
        await learn(stores, tell(stores, f"m-{n}", said("lives_in", late, minute=n)))
    second, milan, first = await _facts(stores)
    assert (first.id, first.current, second.verified) == (rome.id, False, True)
    await _settle(stores, first.id, Assertion(verified=False), request="request 2")
    assert await _current(stores) == [("Rome", False, False)]
    confirmed = await _settle(stores, first.id, Assertion(), request="request 3")
    assert confirmed == second
    with pytest.raises(FactEnded):
        await _settle(stores, milan.id, Assertion(object="Bari"), request="request 4")
    stands = await _settle(stores, first.id, Assertion(object="Lecce"), request="request 5")
    assert stands is not None
    assert stands.valid_from == second.valid_from
    assert await _current(stores) == [("Lecce", True, False)]


async def test_a_value_among_many_is_corrected_alone(stores: Stores) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    told = tell(stores, "m-1", said("likes", "the tea"), said("likes", "cake", position=9))
    await learn(stores, told)
    tea = next(one for one in await _facts(stores) if one.object == "the tea")
    stands = await _settle(stores, tea.id, Assertion(object="tea"))
    assert stands is not None
    assert await _current(stores) == [("cake", False, False), ("tea", True, False)]
    with pytest.raises(FactEnded) as ended:
        await _settle(stores, tea.id, Assertion(object="tee"), request="request 2")
    assert ended.value.instead is None, "it may like many"
    undone = await _settle(stores, stands.id, Assertion(object="the tea"), request="request 3")
    assert undone == replace(tea, verified=True)


async def test_another_spelling_is_a_correction_and_the_same_one_a_confirmation(stores: Stores) -> None:
    (rome,) = await _lived(stores, "rome", "rome")
    for _ in range(2):
        stands = await _settle(stores, rome.id, Assertion(object="Rome"))
        assert stands == replace(rome, object="Rome", verified=True)
        assert await _facts(stores) == [stands]
    same = await _settle(stores, rome.id, Assertion(object="Rome"), request="request 2")
    assert [same] == await _facts(stores)


async def test_a_repeat_changes_nothing_and_returns_the_same(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    word = Assertion(object="Lecce")
    first = await _settle(stores, rome.id, word)
    before = await _facts(stores)
    projection = Projection()
    assert await _settle(stores, rome.id, word, projection=projection) == first
    again = _settle(stores, rome.id, word, ledger=stores.another_ledger(), projection=projection)
    assert await again == first
    assert await _facts(stores) == before
    assert projection.learned == []
    assert first is not None
    assert await _settle(stores, first.id, Assertion(object="Bari"), request="request 2") != first
    late = await _settle(stores, rome.id, word)
    assert late is not None
    assert (late.id, late.current) == (first.id, False)
    assert await _current(stores) == [("Bari", True, False)]


async def test_a_repeat_counts_as_before_although_the_id_is_another_one_since(stores: Stores) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    told = (said("friend", "Nicola"), said("lives_in", "Bari", subject="Nico"))
    await learn(stores, tell(stores, "m-1", *told))
    bari = next(one for one in await _facts(stores) if one.object == "Bari")
    lecce = await _settle(stores, bari.id, Assertion(object="Lecce"))
    names, project = ("Nico", "Nicola"), Projection()
    await stores.ledger.decide(stores.tenant, "u-1", names, project, same=True, by="user")
    before = await _facts(stores)
    again = await _settle(stores, bari.id, Assertion(object="Lecce"))
    assert again is not None
    assert lecce is not None
    assert again == replace(lecce, id=again.id, subject="Nicola")
    with pytest.raises(RequestConflict):
        await _settle(stores, bari.id, Assertion(object="Rome"))
    with pytest.raises(UnknownFact):
        await _settle(stores, bari.id, Assertion(object="Lecce"), request="request 2")
    assert await _facts(stores) == before
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    with pytest.raises(UnknownFact):
        await _settle(stores, bari.id, Assertion(object="Lecce"))


async def test_two_of_one_request_at_once_are_one(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    ledgers = [stores.ledger, stores.another_ledger(), stores.another_ledger()]
    settled = [_settle(stores, rome.id, Assertion(object="Lecce"), ledger=one) for one in ledgers]
    assert len(set(await asyncio.gather(*settled))) == 1
    assert len(await _facts(stores)) == 2


async def test_one_request_settles_one_thing(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    await _settle(stores, rome.id, Assertion(object="Lecce"))
    before = await _facts(stores)
    for word in (Assertion(), Assertion(object="Bari")):
        with pytest.raises(RequestConflict):
            await _settle(stores, rome.id, word)
    assert await _facts(stores) == before


async def test_one_request_settles_it_of_one_subject(stores: Stores) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    told = [said("lives_in", "Rome", subject=name, position=n) for n, name in enumerate(("Anna", "Bruno"))]
    await learn(stores, tell(stores, "m-1", *told))
    anna, bruno = sorted(await _facts(stores), key=lambda fact: fact.subject)
    for word in (Assertion(), Assertion(object="Lecce")):
        request = f"request of {word.object}"
        first = await _settle(stores, anna.id, word, request=request)
        with pytest.raises(RequestConflict):
            await _settle(stores, bruno.id, word, request=request)
        assert await _settle(stores, anna.id, word, request=request) == first
    assert bruno in await _facts(stores)


async def test_nobody_settles_what_is_not_known_of_them(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    elsewhere = stores.elsewhere()
    for where, user_id, fact_id in (
        (stores, "u-1", uuid4()),
        (stores, "u-2", rome.id),
        (elsewhere, "u-1", rome.id),
    ):
        with pytest.raises(UnknownFact):
            await _settle(where, fact_id, Assertion(object="Lecce"), user_id=user_id)
    assert await _facts(stores) == [rome]


async def test_who_is_forgotten_has_no_word(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    with pytest.raises(UnknownFact):
        await _settle(stores, rome.id, Assertion())


async def test_what_was_superseded_is_confirmed_but_not_corrected(stores: Stores) -> None:
    milan, rome = await _lived(stores, "Rome", "Milan")
    with pytest.raises(FactEnded) as ended:
        await _settle(stores, rome.id, Assertion(object="Lecce"))
    assert ended.value.instead == milan.id
    assert await _facts(stores) == [milan, rome]
    await _settle(stores, rome.id, Assertion(), request="request 2")
    assert await _current(stores) == [("Rome", True, False)]


async def test_what_the_projection_refuses_is_not_written(stores: Stores) -> None:
    (rome,) = await _lived(stores, "Rome")
    for error in (OSError("the graph is away"), TimeoutError("slow")):
        with pytest.raises(type(error), match=str(error)):
            await _settle(stores, rome.id, Assertion(object="Lecce"), projection=Projection(failing=error))
        assert await _facts(stores) == [rome]
    await _settle(stores, rome.id, Assertion(object="Bari"))
    assert await _current(stores) == [("Bari", True, False)]


async def test_a_word_counts_against_what_is_dated_ahead_of_it(stores: Stores) -> None:
    ahead = (STORED.replace(year=STORED.year + 9) - at(0)).total_seconds() / 60
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(ahead)))
    await learn(stores, tell(stores, "m-1", said("lives_in", "Rome", minute=ahead)))
    (rome,) = await _facts(stores)
    await _settle(stores, rome.id, Assertion(object="Lecce"))
    assert await _current(stores) == [("Lecce", True, False)]


async def test_what_comes_late_finds_its_place_before_a_word(stores: Stores) -> None:
    milan, _ = await _lived(stores, "Rome", "Milan")
    await _settle(stores, milan.id, Assertion())
    for late in (stores.ledger, stores.another_ledger()):
        await stores.record(new_message("m-late", tenant=stores.tenant, timestamp=at(0.5)))
        told = tell(stores, "m-late", said("lives_in", "Turin", minute=0.5))
        await learn(stores, told, ledger=late)
        assert await _current(stores) == [("Milan", True, False)]
        assert [one.object for one in await _facts(stores)] == ["Milan", "Rome", "Turin"]


@pytest.mark.parametrize("value", ODD)
async def test_odd_values_are_values_and_nothing_else(stores: Stores, value: str) -> None:
    (rome,) = await _lived(stores, "Rome")
    stands = await _settle(stores, rome.id, Assertion(object=value))
    assert stands is not None
    assert stands.object == value
    assert await _current(stores) == [(value, True, False)]
