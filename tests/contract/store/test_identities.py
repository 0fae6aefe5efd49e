"""Who may decide whether two names are one, and the pass that asks a model.

What follows for the facts is proved by `test_folding_laws`.
"""

from functools import partial

import pytest
from tests.contract.store.evidence import claim, tell, version
from tests.contract.store.stores import Stores

from ricordo.memory.facts.entity_decisions import MOST_DECISIONS
from ricordo.store.entity_store import NobodyKnown, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.idempotency import RequestConflict

MODEL = "model:m"
BROTHER, COLLEAGUE = "has_sibling/m/brother", "knows/m/colleague"
NAMES = ("nico", "nicola")
TWO = {("user", "friend", "Nicola"), ("Nico", "likes", "tea")}
ONE = {("user", "friend", "Nicola"), ("Nicola", "likes", "tea")}
BOTH = (claim("friend", "Nicola"), claim("likes", "tea", subject="Nico"))


async def _known(
    stores: Stores, entity: str | None = None, user_id: str = "u-1"
) -> set[tuple[str, str, str]]:
    facts = await stores.ledger.facts(stores.tenant, FactQuestion(user_id=user_id, entity=entity))
    return {(one.subject, one.predicate, one.object) for one in facts}


async def _decide(stores: Stores, *, same: bool | None, by: str = "user", **more: object) -> bool | None:
    of = (stores.tenant, "u-1", NAMES)
    return await stores.ledger.decide(*of, same=same, by=by, **more)  # type: ignore[arg-type]  # few options


@pytest.fixture
def doubting(stores: Stores) -> FactLedger:
    """Return a ledger that keeps pairs that rules leave open."""
    return FactLedger(stores.database, record_doubts=True)


async def test_an_unresolved_pair_is_kept_until_somebody_answers(
    stores: Stores, doubting: FactLedger
) -> None:
    await tell(stores, "m-0", *BOTH, claim("friend", "Zeno"))
    assert await doubting.unresolved_pairs(stores.tenant, 10) == [], "nobody can be asked"
    for _ in range(2):
        await tell(stores, "m-0", *BOTH, claim("friend", "Zeno"), ledger=doubting)
        assert await doubting.unresolved_pairs(stores.tenant, 10) == [UnresolvedPair("u-1", NAMES)]
    before = await _known(stores)
    await _decide(stores, same=None, by=MODEL)
    assert await _known(stores) == before
    await tell(stores, "m-0", *BOTH, claim("friend", "Zeno"), ledger=doubting)
    assert await doubting.unresolved_pairs(stores.tenant, 10) == [], (
        "a model that cannot say is not asked again"
    )


async def test_an_unresolved_pair_is_withdrawn_and_may_come_back(
    stores: Stores, doubting: FactLedger
) -> None:
    await tell(stores, "m-0", *BOTH, ledger=doubting)
    (pair,) = await doubting.unresolved_pairs(stores.tenant, 10)
    for one in (UnresolvedPair("u-2", pair.names), UnresolvedPair("u-1", ("nico", "x"))):
        await doubting.drop_pair(stores.tenant, one)
    assert await doubting.unresolved_pairs(stores.tenant, 10) == [pair]
    await doubting.drop_pair(stores.tenant, pair)
    assert await doubting.unresolved_pairs(stores.tenant, 10) == []
    await tell(stores, "m-0", *BOTH, ledger=doubting)
    assert await doubting.unresolved_pairs(stores.tenant, 10) == [pair]
    await _decide(stores, same=True, by=MODEL)
    await doubting.drop_pair(stores.tenant, pair)
    assert await _known(stores) == ONE, "a decision stays"


async def test_no_model_overturns_a_user_and_a_user_overturns_a_model(
    stores: Stores, doubting: FactLedger
) -> None:
    await tell(stores, "m-0", *BOTH, ledger=doubting)
    versions = set()
    for _ in range(2):
        await _decide(stores, same=True, by=MODEL)
        assert await _known(stores) == ONE
        versions.add(await version(stores))
    assert len(versions) == 1, "what is decided already changes nothing"
    for user, model, known in ((None, True, TWO), (False, True, TWO), (True, False, ONE), (None, True, TWO)):
        await _decide(stores, same=user)
        before = await version(stores)
        await stores.ledger.decide(stores.tenant, "u-1", NAMES, same=model, by=MODEL)
        assert (await _known(stores), await version(stores)) == (known, before)
    await tell(stores, "m-0", *BOTH, ledger=doubting)
    assert await doubting.unresolved_pairs(stores.tenant, 10) == [], "nor is it asked again"


async def test_a_request_counts_once_and_returns_what_holds_since(stores: Stores) -> None:
    await tell(stores, "m-0", *BOTH, claim("friend", "Zeno"))
    for request_id, same, holds in (
        ("r 1", True, True),
        ("r 1", True, True),
        ("r 2", False, False),
        ("r 1", True, False),
        ("r 3", None, None),
        ("r 2", False, None),
    ):
        assert await _decide(stores, same=same, request_id=request_id) is holds
        assert (await _known(stores) >= ONE) is (holds is True)
    decide = partial(stores.ledger.decide, stores.tenant, "u-1", by="user", request_id="r 1")
    for names, same in ((("Nico", "Nicola"), False), (("Nico", "Zeno"), True)):
        with pytest.raises(RequestConflict):
            await decide(names, same=same)
    assert await decide(("nicola", " NICO"), same=True) is None, "the same names, spelled so"


async def test_nothing_is_decided_about_names_that_are_unknown_or_no_two_names(stores: Stores) -> None:
    with pytest.raises(NobodyKnown):
        await _decide(stores, same=True)
    await tell(stores, "m-0", claim("friend", "Nicola"), claim("friend", "Zeno"), claim("lives_in", "Turin"))
    await tell(stores, "m-1", claim("lives_in", "Turin", minute=1, subject="Marco", ties=(BROTHER, "")))
    await tell(stores, "m-2", claim("lives_in", "Bari", minute=2, subject="Marco", ties=(COLLEAGUE, "")))
    decide = partial(stores.ledger.decide, stores.tenant, "u-1", by="user", request_id="r 1")
    for names, same, meant in (
        (("Nicloa", "Zeno"), True, {"Nicloa": ("Nicola",)}),
        (("Marco", "Zeno"), False, {"Marco": ("Marco (brother)", "Marco (colleague)")}),
        (("Turin", "Xanthippe"), None, {"Turin": (), "Xanthippe": ()}),
    ):
        with pytest.raises(UnknownNames) as unknown:
            await decide(names, same=same)
        assert unknown.value.meant == meant
    for names in (("Zeno", " zeno "), ("user", "Zeno"), ("", "Zeno"), ("Zeno", "")):
        with pytest.raises(ValueError, match="not two names"):
            await decide(names, same=True)
    for table in ("identity_decisions", "inbox"):
        assert await stores.fetch(f"select count(*) from {table}") == [(0,)]


async def test_a_decision_about_names_that_are_gone_is_taken_back(stores: Stores) -> None:
    await tell(stores, "m-0", *BOTH)
    await _decide(stores, same=True)
    await tell(stores, "m-0", BOTH[0])
    assert await _decide(stores, same=None) is None


async def test_a_user_decides_about_so_many_names_and_no_more(stores: Stores) -> None:
    await tell(stores, "m-0", *(claim("friend", name) for name in ("Zeno", "Ada", "Bea")))
    await stores.execute(
        "insert into identity_decisions (tenant, user_id, first, second, same, decided_by) "
        "select $1, 'u-1', 'name ' || n, 'zeno', false, 'user' from generate_series(2, $2) as n",
        stores.tenant,
        MOST_DECISIONS,
    )
    decide = partial(stores.ledger.decide, stores.tenant, "u-1", same=True, by="user")
    await decide(("Ada", "Zeno"))
    with pytest.raises(TooManyDecisions):
        await decide(("Bea", "Zeno"))
    await decide(("Ada", "Zeno"))
