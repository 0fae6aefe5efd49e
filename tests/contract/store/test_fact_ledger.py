"""What a ledger promises of a write and of a question; `test_folding_laws` has the law of what it holds."""

import random
from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from functools import partial
from itertools import product
from typing import Final
from uuid import uuid4

import asyncpg
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import ALL, claim, extracted, facts, learn, tell_in_turn
from tests.contract.store.stores import STORED, Stores
from tests.fixtures.growth import rows_touched
from tests.fixtures.reference_formulas import facts_as_of
from tests.support.factories import at

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.fact_model import Fact, MessageContribution
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion

NAMES: Final = ("Nora", "Bea", "Rex")
PLACES: Final = ("Rome", "Oslo", "Turin")
THINGS: Final = {
    "lives_in": PLACES,
    "likes": ("tea", "jazz", *PLACES),
    "friend": NAMES,
    "works_at": ("Bonsol", "Tarno"),
}
MESSAGES: Final = 40


async def test_a_redelivery_contributes_the_same(stores: Stores) -> None:
    """What a message contributes follows from the state, and not from the call."""
    cities = ("Rome", "Rome", "Milan", "Milan", "Turin")
    await stores.say(*(f"m-{n}" for n in range(len(cities) + 1)))

    async def contributed(n: int) -> MessageContribution:
        claims = [claim("lives_in", cities[n], minute=n)] if n < len(cities) else []
        told = extracted(stores, f"m-{n}", *claims)
        found, _ = await stores.ledger.record(stores.tenant, [told], STORED)
        return found.get(f"m-{n}", MessageContribution())

    superseded = []
    for n in range(len(cities) + 1):
        first = await contributed(n)
        superseded.append([fact.object for fact in first.superseded])
        assert await contributed(n) == first
    assert superseded == [[], [], ["Rome"], [], ["Milan"], []]
    assert await contributed(len(cities)) == MessageContribution()


async def test_an_entity_is_found_by_any_spelling_and_the_user_is_none(stores: Stores) -> None:
    friends = (claim("friend", name) for name in ("Zoë", "Zoë", "ZOE"))
    await tell_in_turn(stores, *friends, claim("friend", "user", subject="Zoë"))
    for name in ("Zoë", " zoe ", "ZOE"):
        found = await stores.ledger.entity(stores.tenant, "u-1", name)
        assert found is not None
        assert (found.name, found.aliases, found.mentions) == ("Zoë", ("ZOE",), 4)
    for user, name in product(("u-1",), ("user", " USER ", "Zo", "", "…", "'; --")):
        assert await stores.ledger.entity(stores.tenant, user, name) is None
    assert await stores.ledger.entity(stores.tenant, "u-2", "Zoë") is None


async def test_facts_about_the_user_come_in_the_order_of_the_predicates(stores: Stores) -> None:
    told = [*[("likes", "tea")] * 3, ("has_pet", "Max"), ("lives_in", "Rome"), ("lives_in", "Milan")]
    await tell_in_turn(stores, *(claim(*one) for one in told))

    async def about(*predicates: str, user: str = "u-1", limit: int = 10) -> list[str]:
        found = await stores.ledger.about_user(stores.tenant, user, predicates=predicates, limit=limit)
        return [one.object for one in found]

    assert await about("lives_in") == ["Milan"]
    assert await about("likes", "has_pet", "name") == ["tea", "Max"]
    assert await about("name", "has_pet", "likes") == ["Max", "tea"]
    assert await about() == await about("likes", user="u-2") == []
    assert len(await about("likes", "has_pet", "lives_in", limit=2)) == 2


async def _lived(stores: Stores) -> None:
    """Have a user tell of some people, and of what was before and what will be no more."""
    draw = random.Random(0)
    names = [f"m-{n}" for n in range(MESSAGES)]
    await stores.say(*names)
    for n, name in enumerate(names):
        claims = []
        for position in range(draw.randrange(4)):
            predicate = draw.choice(sorted(THINGS))
            one = claim(
                predicate,
                draw.choice(THINGS[predicate]),
                minute=n,
                subject=draw.choice((USER, *NAMES)),
                position=position,
                polarity=draw.choice(("holds", "holds", "holds", "holds", "past", "denied")),
                valid_from=at(draw.uniform(-MESSAGES, n)) if draw.random() < 0.3 else None,
                valid_to=at(draw.uniform(n, 2 * MESSAGES)) if draw.random() < 0.1 else None,
            )
            claims.append(one)
        await learn(stores, extracted(stores, name, *claims))


def _expected(found: Sequence[Fact], question: FactQuestion) -> list[Fact]:
    found = [fact for fact in found if fact.confidence >= question.min_confidence or fact.verified]
    if question.as_of is not None and not question.history:
        found = list(facts_as_of(found, question.as_of))
    elif not question.history:
        found = [fact for fact in found if fact.current]
    if question.predicate is not None:
        found = [fact for fact in found if fact.predicate == question.predicate]
    if question.entity is not None:
        key = normalise(question.entity)
        found = [fact for fact in found if key in (normalise(fact.subject), normalise(fact.object))]
    found.sort(key=lambda fact: (-fact.confidence, -fact.last_reinforced.timestamp(), fact.id))
    return found[: question.limit]


async def test_a_question_is_answered_as_if_all_facts_were_looked_at(stores: Stores) -> None:
    await _lived(stores)
    everything = await stores.ledger.facts(stores.tenant, ALL)
    for entity, predicate, least, (instant, history), limit in product(
        (None, USER, "nora", "Rome", "nobody"),
        (None, "likes", "lives_in", "age"),
        (0, 1.5, 3),
        ((None, False), (None, True), (at(-MESSAGES / 2), False), (at(MESSAGES / 2), False)),
        (2, 50),
    ):
        question = FactQuestion(
            user_id="u-1",
            entity=entity,
            predicate=predicate,
            min_confidence=least,
            as_of=instant,
            history=history,
            limit=limit,
        )
        found = await stores.ledger.facts(stores.tenant, question)
        assert list(found) == _expected(everything, question), question


NORA = claim(
    "knows",
    "Marco",
    subject="Nora",
    polarity="past",
    valid_from=at(-50),
    valid_to=at(-40),
    position=7,
    ties=("has_friend//", "has_sibling/m/brother"),
)
"""A value in every field of evidence that a message gives."""


async def test_what_messages_state_is_read_back_whole(stores: Stores) -> None:
    resolved = {"subject_as", "object_as", "kind"}  # found later, or said by an assertion
    defaults = {one.name: one.default for one in fields(Evidence) if one.default is not MISSING}
    assert {name for name, value in defaults.items() if getattr(NORA, name) == value} == resolved
    await stores.say(*(f"m-{n}" for n in range(4)))
    other = extracted(stores, "m-2", claim("likes", "Tea", minute=2))
    nothing = replace(extracted(stores, "m-1"), said_at=at(1))
    ids = [stores.id(f"m-{n}") for n in range(4)]
    plain = claim("likes", "tea", subject="Ada", position=90)
    for claims in ((NORA, plain), (plain, NORA), (replace(NORA, valid_to=None),)):
        first = extracted(stores, "m-0", *claims)
        before = await learn(stores, first, nothing, other)
        kept = await stores.ledger.evidence_of_memories(stores.tenant, [*ids, uuid4()])
        assert kept == {one.memory_id: one for one in (first, nothing, other)}, "nobody has read the fourth"
        assert await learn(stores, *kept.values()) == before
    assert await stores.ledger.evidence_of_memories(stores.tenant, []) == {}
    _, progress = await learn(stores, extracted(stores, "forgotten", claim("lives_in", "Oslo")))
    assert list(progress) == []
    assert "Oslo" not in {one.object for one in await facts(stores)}


async def test_a_batch_reads_what_it_touches_and_no_more_when_more_is_known(
    dsns: Dsns, stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with Database.connect(dsns.worker, size=1) as database:
        ledger, touched = FactLedger(database), []
        for start in range(0, 400, 40):
            names = [f"m-{n}" for n in range(start, start + 40)]
            await stores.say(*names)
            evidence = [
                extracted(
                    stores,
                    name,
                    claim("likes", f"{name} tea"),
                    claim("friend", f"{name[2:]}a", position=9),
                    claim("likes", "tea", subject=f"{name[2:]}a", position=19),
                )
                for name in names
            ]
            await connection.execute("analyze facts, fact_evidence, entities, mentions")
            work = learn(stores, *evidence, ledger=ledger)
            tables = ("facts", "fact_evidence")
            touched.append(await rows_touched(database, connection, tables, work))
    assert max(touched[-3:]) <= 1.2 * max(touched[1:4])
    assert min(touched) >= 40, "what is written is counted"


async def test_a_question_asks_for_facts_of_those_whom_it_names_or_of_the_user(stores: Stores) -> None:
    told = (
        claim("lives_in", "Rome", subject="Dr Anna Rossi"),
        claim("lives_in", "Oslo", subject="Ugo Bianchi"),
        claim("lives_in", "Pisa", subject="Ada Bianchi"),
        claim("lives_in", "Milan"),
    )
    for n, fact in enumerate(told):
        await stores.record(stores.message(f"m-{n}", minute=n))
        await learn(stores, extracted(stores, f"m-{n}", replace(fact, at=at(n))))

    async def asked(*names: str, relatives: Sequence[str] = ()) -> tuple[list[str], list[str]]:
        ask = partial(stores.recalls.facts_of_question, stores.tenant, "u-1", threshold=3, limit=9)
        found = await ask(names=names, relatives=relatives, predicates=["lives_in"])
        return list(found.bearers), [one.object for one in found.requested]

    assert await asked() == ([], ["Milan"])
    assert await asked("Rossi") == (["dr anna rossi"], ["Rome"])
    assert await asked("Bianchi") == (["bianchi"], ["Pisa", "Oslo"]), "there are two of that name"
    assert await asked("Nobody", relatives=["Ugo Bianchi"]) == (["nobody"], ["Oslo"])


async def test_messages_tell_facts_that_lead_on_by_whom_these_share(stores: Stores) -> None:
    told = (
        claim("has_sibling", "Anna"),
        claim("works_as", "nurse", subject="Anna"),
        claim("lives_in", "Rome", subject="Anna"),
        claim("lives_in", "Oslo", subject="Anna"),
        claim("likes", "tea"),
        claim("has_pet", "Rex", subject="Ugo"),
        claim("likes", "snow", subject="Rex"),
    )
    await tell_in_turn(stores, *told)

    async def connected(*messages: str, leading: int = 1, limit: int = 10, user: str = "u-1") -> set[str]:
        found = await stores.recalls.connected_facts(stores.tenant, user, messages, leading, limit)
        return {one.object for one in found}

    assert await connected("m-0") == {"Anna", "nurse", "Oslo"}, "what was superseded leads nowhere"
    assert await connected("m-2") == set(), "it tells what holds no more"
    assert await connected("m-4", "m-0") == {"tea", "Anna"}, "only the first leads on"
    assert await connected("m-4", "m-0", leading=2) == {"tea", "Anna", "nurse", "Oslo"}
    assert await connected("m-0", leading=0) == {"Anna"}
    assert len(await connected("m-0", limit=1)) <= 2
    assert await connected("m-5") == {"Rex", "snow"}
    assert await connected("m-0", user="u-2") == await connected("nobody") == await connected() == set()
