"""The law of every `FactLedger`: what it holds is the pure fold over all that was said, however it came."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import zip_longest

from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_erasure import forget
from tests.fixtures.examples import laws
from tests.fixtures.reference_fold import entities, fold, mentions_of, resolved
from tests.fixtures.reference_formulas import facts_as_of as held_at
from tests.support.factories import at

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver, other_names
from ricordo.memory.facts.fact_model import Fact, select_facts
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.messages.enumerations import ForgetScope
from ricordo.store.entity_store import NobodyKnown, UnknownNames
from ricordo.store.erasure import ErasureRequest
from ricordo.store.fact_queries import FactQuestion

LAWS = laws(15)
# Few names, many meetings: the same city, person and thing as value, subject and object.
NAMES = ("Bea", "bea ", "Bea R.", "Bea Rossi", "Rome", "Milan", "Max", "sister")
TIES = ("", "", "has_sibling/f/sister", "?has_sibling/f/sister", "knows/f/colleague", "has_pet//dog")
SAID = (
    "lives_in",
    "friend",
    "likes",
    "dislikes",
    "works_at",
    "has_pet",
    "has_sibling",
    "not_in_the_vocabulary",
)


@st.composite
def statements(draw: st.DrawFn) -> list[Evidence]:
    count = draw(st.integers(0, 3))
    minute = draw(st.integers(0, 9))
    return [
        claim(
            draw(st.sampled_from(SAID)),
            draw(st.sampled_from(NAMES)),
            minute=minute,
            subject=draw(st.sampled_from(("user", "user", "Bea", "BEA", "Rome", "sister"))),
            polarity=draw(st.sampled_from(("holds", "holds", "began", "past", "denied"))),
            position=position,
            valid_from=draw(st.sampled_from((None, None, at(-60), at(-30)))),
            valid_to=draw(st.sampled_from((None, None, None, at(-20)))),
            ties=(draw(st.sampled_from(TIES)), draw(st.sampled_from(TIES))),
        )
        for position in range(count)
    ]


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[list[list[Evidence]], list[list[int]]]:
    """Draw what messages state, and an order and batching in which it is learned, with repeats."""
    story = draw(st.lists(statements(), min_size=1, max_size=7))
    order = draw(st.permutations(range(len(story))))
    repeated = draw(st.lists(st.sampled_from(order), max_size=3))
    cuts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=10))
    batches, rest = [], [*order, *repeated]
    for size in cuts:
        batches.append(rest[:size])
        rest = rest[size:]
    return story, [batch for batch in (*batches, rest) if batch]


async def _utterances(stores: Stores, story: Sequence[Sequence[Evidence]]) -> list[ExtractedEvidence]:
    """Record the messages of a story, of two users by turns, and return what each states."""
    users = [f"u-{n % 3 // 2}" for n in range(len(story))]
    await stores.record(*(stores.message(f"m-{n}", minute=n, user_id=user) for n, user in enumerate(users)))
    return [
        extracted(stores, f"m-{n}", *evidence, user_id=user)
        for n, (evidence, user) in enumerate(zip(story, users, strict=True))
    ]


async def _holds_the_fold(stores: Stores, utterances: Sequence[ExtractedEvidence]) -> None:
    for user in ("u-0", "u-1"):
        evidence = [row for one in utterances if one.user_id == user for row in one.evidence]
        decisions = await _decisions(stores, user)
        facts = fold(evidence, tenant=stores.tenant, user_id=user, decisions=decisions)
        assert await _asked(stores, user, history=True) == set(facts)
        assert await _asked(stores, user) == {one for one in facts if one.current}
        for instant in (at(-61), at(-60), at(-25), at(4), at(9)):
            assert await _asked(stores, user, as_of=instant) == set(held_at(facts, instant))
        ask = stores.recalls.facts_of_question
        asked = await ask(stores.tenant, user, words=("bea",), threshold=2, limit=3)
        rows = list(resolved(evidence, decisions))
        met = sorted(entities(rows), key=lambda one: (-one.mentions, one.name))
        beings = {normalise(one.name) for one in _resolver(evidence, decisions).clusters()}
        names = [(one.name, other_names(one, is_being=one.key in beings)) for one in met]
        named = ["bea", *(name for name, others in names if "bea" in others)]
        assert tuple(asked.surfacing) == select_facts(facts, named_entities=named, threshold=2, limit=3)
        assert asked.profile.names[: len(met)] == tuple(one.name for one in met)


async def _decisions(stores: Stores, user: str) -> list[EntityDecision]:
    found = await stores.fetch(
        "select first, second, same, decided_by = 'user' from identity_decisions where user_id = $1", user
    )
    return [EntityDecision(first, second, same, firm) for first, second, same, firm in found]


def _resolver(evidence: Sequence[Evidence], decisions: Sequence[EntityDecision]) -> EntityResolver:
    known = (row for row in evidence if row.predicate in PREDICATES)
    return EntityResolver((mention for row in known for mention in mentions_of(row)), decisions)


async def _asked(
    stores: Stores, user: str, *, history: bool = False, as_of: datetime | None = None
) -> set[Fact]:
    question = FactQuestion(user_id=user, min_confidence=0, history=history, as_of=as_of, limit=10_000)
    return set(await stores.ledger.facts(stores.tenant, question))


@LAWS
@given(delivery=deliveries())
async def test_also_when_all_batches_come_at_once(
    stores: Stores, delivery: tuple[list[list[Evidence]], list[list[int]]]
) -> None:
    story, batches = delivery
    here = stores.another_tenant()
    utterances = await _utterances(here, story)
    await asyncio.gather(*(learn(here, *(utterances[n] for n in batch)) for batch in batches))
    await _holds_the_fold(here, utterances)


@LAWS
@given(first=deliveries(), second=st.lists(statements(), min_size=7, max_size=7))
async def test_also_when_messages_are_read_anew_and_say_something_else(
    stores: Stores, first: tuple[list[list[Evidence]], list[list[int]]], second: list[list[Evidence]]
) -> None:
    here = stores.another_tenant()
    former = await _utterances(here, first[0])
    now = [
        extracted(here, one.message_id, *evidence, user_id=one.user_id)
        for one, evidence in zip(former, second, strict=False)
    ]
    await learn(here, *former)
    for one in now:
        await learn(here, one)
    await _holds_the_fold(here, now)


DECIDED = st.tuples(
    st.sampled_from((("bea", "max"), ("bea rossi", "sister"), ("max", "bea (sister"), ("rome", "bea r"))),
    st.sampled_from((True, True, False, None)),
    st.sampled_from(("user", "model:m")),
)


@LAWS
@given(
    delivery=deliveries(),
    forgotten=st.lists(st.integers(0, 6), max_size=10),
    decided=st.lists(st.none() | DECIDED, max_size=10),
)
async def test_also_when_names_are_decided_and_messages_forgotten_between_batches(
    stores: Stores,
    delivery: tuple[list[list[Evidence]], list[list[int]]],
    forgotten: list[int],
    decided: list[tuple[tuple[str, str], bool | None, str] | None],
) -> None:
    story, batches = delivery
    here = stores.another_tenant()
    utterances = await _utterances(here, story)
    gone: set[int] = set()
    for batch, number, decision in zip_longest(batches, forgotten, decided):
        await learn(here, *(utterances[n] for n in batch or ()))
        if decision is not None:
            names, same, by = decision
            with suppress(NobodyKnown, UnknownNames):
                await here.ledger.decide(here.tenant, "u-0", names, same=same, by=by)
        if number is not None and number < len(story):
            gone.add(number)
            one = utterances[number]
            what = ErasureRequest(one.user_id, ForgetScope.MESSAGE, one.message_id, STORED)
            await forget(here, what)
    said = {n for batch in batches for n in batch} - gone
    await _holds_the_fold(here, [utterances[n] for n in sorted(said)])


@LAWS
@given(delivery=deliveries())
async def test_also_when_a_version_that_stored_no_names_has_begun(
    stores: Stores, delivery: tuple[list[list[Evidence]], list[list[int]]]
) -> None:
    story, batches = delivery
    here = stores.another_tenant()
    utterances = await _utterances(here, story)
    for batch in batches[:-1]:
        await learn(here, *(utterances[n] for n in batch))
    await here.execute("delete from mentions")
    await here.execute("update fact_evidence set subject_name = '', object_name = ''")
    await here.execute(
        "insert into mentions (tenant, user_id, tie, name, word, kind, entity, entity_key) "
        "select distinct tenant, user_id, '', '', '', '', '', '' from fact_evidence"
    )
    await learn(here, *(utterances[n] for n in batches[-1]))
    await _holds_the_fold(here, utterances)


async def test_facts_follow_the_names_that_a_former_version_resolved_otherwise(stores: Stores) -> None:
    here = stores.another_tenant()
    of_her = claim("lives_in", "Rome", subject="Bea")
    told = await _utterances(here, [[claim("friend", "Bea Rossi")], [of_her], [], [claim("likes", "Milan")]])
    await learn(here, *told[:2])
    for table in ("facts", "fact_evidence"):
        await here.execute(f"update {table} set subject_key = 'bea' where predicate = 'lives_in'")
    await here.execute("delete from mentions")
    await here.execute(
        "insert into mentions (tenant, user_id, tie, name, word, kind, entity, entity_key) "
        "select distinct tenant, user_id, '', '', '', '', '', '' from fact_evidence"
    )
    await learn(here, told[3])
    await _holds_the_fold(here, told)
    await forget(here, ErasureRequest("u-0", ForgetScope.MESSAGE, told[1].message_id, STORED))
    await _holds_the_fold(here, [told[0], told[3]])
