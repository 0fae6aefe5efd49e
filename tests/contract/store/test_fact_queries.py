"""What every `FactLedger` answers: the same as who would look at all facts one by one."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import pytest
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import Stores

from ricordo.memory.facts import USER, Fact, facts_as_of, normalise
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

NAMES: Final = ("Nora", "Bea", "Rex")
PLACES: Final = ("Rome", "Oslo", "Turin")
THINGS: Final = {
    "lives_in": PLACES,
    "likes": ("tea", "jazz", *PLACES),
    "friend": NAMES,
    "works_at": ("Bonsol", "Tarno"),
}
ALL: Final = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=1_000)
MESSAGES: Final = 60


async def _lived(stores: Stores, seed: int) -> None:
    """Have a user tell of some people, and of what was before and what will be no more."""
    draw = random.Random(seed)
    names = [f"m-{n}" for n in range(MESSAGES)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    for n, name in enumerate(names):
        statements = []
        for position in range(draw.randrange(4)):
            predicate = draw.choice(sorted(THINGS))
            since = at(draw.uniform(-MESSAGES, n)) if draw.random() < 0.3 else None
            until = at(draw.uniform(n, 2 * MESSAGES)) if draw.random() < 0.1 else None
            one = said(
                predicate,
                draw.choice(THINGS[predicate]),
                minute=n,
                subject=draw.choice((USER, *NAMES)),
                position=position,
                polarity=draw.choice(("holds", "holds", "holds", "holds", "past", "denied")),
                valid_from=since,
            )
            statements.append(replace(one, valid_to=until))
        await learn(stores, tell(stores, name, *statements))


def _expected(facts: Sequence[Fact], question: FactQuestion) -> list[Fact]:
    """Return what a question is answered, from all facts."""
    found = [fact for fact in facts if fact.confidence >= question.min_confidence or fact.verified]
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


@pytest.mark.parametrize("seed", range(3))
async def test_it_is_as_if_all_facts_were_looked_at(stores: Stores, seed: int) -> None:
    await _lived(stores, seed)
    facts = await stores.ledger.facts(stores.tenant, ALL)
    asked = product(
        (None, USER, "nora", "Rome", "nobody"),
        (None, "likes", "lives_in", "age"),
        (0, 1, 1.5, 3),
        ((None, False), (None, True), (at(-MESSAGES / 2), False), (at(MESSAGES / 2), False)),
        (2, 50),
    )
    for entity, predicate, least, (instant, history), limit in asked:
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
        assert list(found) == _expected(facts, question), question
