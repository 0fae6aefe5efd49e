"""Entities that merge and part again while evidence comes, on PostgreSQL."""

from functools import partial

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import Stores

from ricordo.memory.facts import MOST_DECISIONS
from ricordo.store.database import Database, RequestConflict
from ricordo.store.entity_store import NobodyKnown, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

BROTHER, UNNAMED = "has_sibling/m/brother", "?has_sibling/m/brother"
COLLEAGUE = "knows/m/colleague"


async def _known(
    stores: Stores, entity: str | None = None, user_id: str = "u-1"
) -> set[tuple[str, str, str]]:
    facts = await stores.ledger.facts(stores.tenant, FactQuestion(user_id=user_id, entity=entity))
    return {(one.subject, one.predicate, one.object) for one in facts}


async def _recorded(stores: Stores, count: int) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(count)))


async def test_my_brother_gets_his_name_and_loses_it_to_two(stores: Stores) -> None:
    await _recorded(stores, 3)
    projection = Projection()
    lives = tell(stores, "m-0", said("lives_in", "Turin", subject="brother", ties=(UNNAMED, "")))
    named = tell(stores, "m-1", said("has_sibling", "Marco", minute=1, ties=("", BROTHER)))
    second = tell(stores, "m-2", said("has_sibling", "Leo", minute=2, ties=("", BROTHER)))
    await learn(stores, lives, projection=projection)
    assert await _known(stores) == {("brother", "lives_in", "Turin")}
    await learn(stores, named, projection=projection)
    assert await _known(stores) == {("Marco", "lives_in", "Turin"), ("user", "has_sibling", "Marco")}
    assert await _known(stores, "Brother") == await _known(stores, "Marco")
    assert len(projection.learned[-1].gone) == 1, "what stood under the other name is gone"
    await learn(stores, second, projection=projection)
    assert ("brother", "lives_in", "Turin") in await _known(stores)
    assert await _known(stores, "Marco") == {("user", "has_sibling", "Marco")}


async def test_both_of_one_name_are_found_by_it(stores: Stores) -> None:
    await _recorded(stores, 2)
    await learn(
        stores,
        tell(stores, "m-0", said("lives_in", "Turin", subject="Marco", ties=(BROTHER, ""))),
        tell(stores, "m-1", said("lives_in", "Bari", minute=1, subject="Marco", ties=(COLLEAGUE, ""))),
    )
    assert await _known(stores, "marco") == {
        ("Marco (brother)", "lives_in", "Turin"),
        ("Marco (colleague)", "lives_in", "Bari"),
    }
    shown = await stores.ledger.surfacing(stores.tenant, "u-1", names=["Marco"], threshold=3, limit=10)
    assert {one.object for one in shown} == {"Turin", "Bari"}


async def test_an_alias_costs_no_reading_of_all_that_is_known(stores: Stores, database: Database) -> None:
    """A message that calls somebody by another name than the canonical one is folded as it comes."""
    await _recorded(stores, 3)
    await learn(stores, tell(stores, "m-0", said("friend", "Marco Rossi")))
    await learn(stores, tell(stores, "m-1", said("likes", "jazz", minute=1, subject="marco R.")))
    await learn(stores, tell(stores, "m-2", said("likes", "jazz", minute=2, subject="Marco")))
    (likes,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1", predicate="likes"))
    assert (likes.subject, likes.confidence) == ("Marco Rossi", 2)
    async with database.transaction(stores.tenant) as connection:
        assert await connection.fetchval("select array_agg(distinct subject_key) from fact_evidence") == [
            "marco rossi",
            "user",
        ]


async def test_what_is_decided_holds_for_all_and_can_be_taken_back(stores: Stores) -> None:
    await _recorded(stores, 4)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola")))
    await learn(stores, tell(stores, "m-1", said("lives_in", "Bari", minute=1, subject="Nico")))
    two = await _known(stores)
    names, projection = ("nico", "Nicola"), Projection()
    for _ in range(2):
        await stores.ledger.decide(stores.tenant, "u-1", names, projection, same=True, by="user")
        assert await _known(stores) == {("user", "friend", "Nicola"), ("Nicola", "lives_in", "Bari")}
    assert len(projection.learned) == 1
    more = tell(stores, "m-2", said("likes", "tea", minute=2, subject="Nico"))
    await learn(stores, more)
    await learn(stores, more, ledger=stores.another_ledger())
    assert ("Nicola", "likes", "tea") in await _known(stores, "nico")
    await stores.ledger.decide(stores.tenant, "u-1", names, projection, same=None, by="user")
    assert await _known(stores) == {*two, ("Nico", "likes", "tea")}


async def test_a_decision_that_cannot_be_projected_is_not_taken(stores: Stores) -> None:
    await _recorded(stores, 1)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Nico")))
    before = await _known(stores)
    projection = Projection(failing=OSError("the graph is away"))
    with pytest.raises(OSError, match="away"):
        await stores.ledger.decide(stores.tenant, "u-1", ("nico", "Nicola"), projection, same=True, by="user")
    assert await _known(stores) == before


async def test_what_rules_leave_open_is_kept_until_somebody_answers(
    stores: Stores, database: Database
) -> None:
    await _recorded(stores, 2)
    ledger = FactLedger(database, doubting=True)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Zeno")), ledger=ledger)
    again = tell(stores, "m-1", said("lives_in", "Bari", minute=1, subject="Nico"))
    for _ in range(2):
        await learn(stores, again, ledger=ledger)
        assert await ledger.unresolved_pairs(stores.tenant, 10) == [UnresolvedPair("u-1", ("nico", "nicola"))]
    before = await _known(stores)
    await ledger.decide(stores.tenant, "u-1", ("nico", "nicola"), Projection(), same=None, by="model")
    assert await ledger.unresolved_pairs(stores.tenant, 10) == []
    assert await _known(stores) == before
    await learn(stores, again, ledger=ledger)
    assert await ledger.unresolved_pairs(stores.tenant, 10) == [], "whoever cannot say is not asked again"


MODEL = "model:m"


async def test_what_the_user_decided_no_model_overturns(stores: Stores) -> None:
    await _recorded(stores, 1)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("likes", "tea", subject="Nico")))
    names, decide = ("nico", "nicola"), stores.ledger.decide
    two = await _known(stores)
    one = {("user", "friend", "Nicola"), ("Nicola", "likes", "tea")}
    for user, model, known in ((False, True, two), (True, False, one), (None, True, two)):
        projection = Projection()
        await decide(stores.tenant, "u-1", names, projection, same=user, by="user")
        projected = len(projection.learned)
        await decide(stores.tenant, "u-1", names, projection, same=model, by=MODEL)
        assert await _known(stores) == known
        assert len(projection.learned) == projected


async def test_the_user_overturns_what_a_model_decided(stores: Stores, database: Database) -> None:
    await _recorded(stores, 1)
    ledger = FactLedger(database, doubting=True)
    both = tell(stores, "m-0", said("friend", "Nicola"), said("likes", "tea", subject="Nico"))
    await learn(stores, both, ledger=ledger)
    names, two = ("nico", "nicola"), await _known(stores)
    await ledger.decide(stores.tenant, "u-1", names, Projection(), same=True, by=MODEL)
    assert ("Nicola", "likes", "tea") in await _known(stores)
    await ledger.decide(stores.tenant, "u-1", names, Projection(), same=None, by="user")
    assert await _known(stores) == two
    await learn(stores, both, ledger=ledger)
    assert await ledger.unresolved_pairs(stores.tenant, 10) == [], "nor is it asked again"


async def test_a_tie_that_comes_later_outweighs_a_model(stores: Stores) -> None:
    await _recorded(stores, 2)
    friend = said("friend", "Nicola", ties=("", "friend//friend"))
    await learn(stores, tell(stores, "m-0", friend, said("likes", "tea", subject="Nico")))
    await stores.ledger.decide(stores.tenant, "u-1", ("nico", "nicola"), Projection(), same=True, by=MODEL)
    assert ("Nicola", "likes", "tea") in await _known(stores)
    await learn(stores, tell(stores, "m-1", said("has_sibling", "Nico", minute=1, ties=("", BROTHER))))
    assert ("Nico", "likes", "tea") in await _known(stores)


async def test_doubts_that_are_none_any_more_are_dropped_and_may_come_back(
    stores: Stores, database: Database
) -> None:
    await _recorded(stores, 1)
    ledger = FactLedger(database, doubting=True)
    both = tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Nico"))
    await learn(stores, both, ledger=ledger)
    (doubt,) = await ledger.unresolved_pairs(stores.tenant, 10)
    await ledger.withdraw(
        stores.tenant, [doubt, UnresolvedPair("u-2", doubt.names), UnresolvedPair("u-1", ("nico", "x"))]
    )
    assert await ledger.unresolved_pairs(stores.tenant, 10) == []
    await learn(stores, both, ledger=ledger)
    assert await ledger.unresolved_pairs(stores.tenant, 10) == [doubt]
    await ledger.decide(stores.tenant, "u-1", doubt.names, Projection(), same=True, by=MODEL)
    await ledger.withdraw(stores.tenant, [doubt])
    assert {one for _, _, one in await _known(stores)} == {"Nicola"}, "what was decided stays so"


async def test_nothing_is_kept_open_where_nobody_can_be_asked(stores: Stores) -> None:
    await _recorded(stores, 1)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Nico")))
    assert await stores.ledger.unresolved_pairs(stores.tenant, 10) == []


async def test_a_request_counts_once_and_tells_what_holds_since(stores: Stores) -> None:
    await _recorded(stores, 1)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Nico")))
    decide, of = stores.ledger.decide, (stores.tenant, "u-1", ("nico", "Nicola"), Projection())
    for request_id, same, holds in (
        ("r 1", True, True),
        ("r 1", True, True),
        ("r 2", False, False),
        ("r 1", True, False),
        ("r 3", None, None),
        ("r 2", False, None),
    ):
        assert await decide(*of, same=same, by="user", request_id=request_id) is holds
        assert (await _known(stores) == {("user", "friend", "Nicola")}) is (holds is True)


async def test_a_request_decides_one_thing(stores: Stores) -> None:
    await _recorded(stores, 1)
    people = [said("friend", name) for name in ("Nicola", "Nico", "Zeno")]
    await learn(stores, tell(stores, "m-0", *people))
    of, decide = (stores.tenant, "u-1"), partial(stores.ledger.decide, by="user", request_id="r 1")
    await decide(*of, ("Nico", "Nicola"), Projection(), same=True)
    known = await _known(stores)
    for names, same in ((("Nico", "Nicola"), False), (("Nico", "Zeno"), True)):
        with pytest.raises(RequestConflict):
            await decide(*of, names, Projection(), same=same)
    assert await _known(stores) == known
    assert await decide(*of, ("nicola", " NICO"), Projection(), same=True), "the same, spelled so"


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("Nicloa", "Zeno"), {"Nicloa": ("Nicola",)}),
        (("Zeno", "Maria"), {"Maria": ("Maria Grazia",)}),
        (("Marco", "Zeno"), {"Marco": ("Marco (brother)", "Marco (colleague)")}),
        (("Turin", "Xanthippe"), {"Turin": (), "Xanthippe": ()}),
        (("marco (sister)", "Zeno"), {"marco (sister)": ("Marco (brother)", "Marco (colleague)")}),
        (("my brother in law", "Zeno"), {"my brother in law": ()}),
    ],
)
async def test_nothing_is_decided_about_whom_nobody_knows(
    stores: Stores, database: Database, names: tuple[str, str], meant: dict[str, tuple[str, ...]]
) -> None:
    await _recorded(stores, 3)
    people = [said("friend", name) for name in ("Nicola", "Zeno", "Maria Grazia", "Mario")]
    await learn(stores, tell(stores, "m-0", *people, said("lives_in", "Turin")))
    await learn(
        stores,
        tell(stores, "m-1", said("lives_in", "Turin", minute=1, subject="Marco", ties=(BROTHER, ""))),
        tell(stores, "m-2", said("lives_in", "Bari", minute=2, subject="Marco", ties=(COLLEAGUE, ""))),
    )
    for same in (True, False, None):
        with pytest.raises(UnknownNames) as unknown:
            await stores.ledger.decide(
                stores.tenant, "u-1", names, Projection(), same=same, by="user", request_id="r 1"
            )
        assert unknown.value.meant == meant
    async with database.transaction(stores.tenant) as connection:
        assert await connection.fetchval("select count(*) from identity_decisions") == 0
        assert await connection.fetchval("select count(*) from inbox") == 0


async def test_what_was_decided_about_whom_nobody_knows_any_more_can_be_taken_back(stores: Stores) -> None:
    await _recorded(stores, 1)
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola"), said("friend", "Nico")))
    of = (stores.tenant, "u-1", ("nico", "Nicola"), Projection())
    await stores.ledger.decide(*of, same=True, by="user")
    await learn(stores, tell(stores, "m-0", said("friend", "Nicola")))
    assert await stores.ledger.decide(*of, same=None, by="user") is None


async def test_names_of_somebody_of_whom_nothing_is_known_are_not_decided_about(
    stores: Stores, database: Database
) -> None:
    with pytest.raises(NobodyKnown):
        await stores.ledger.decide(stores.tenant, "u-1", ("a", "b"), Projection(), same=True, by="user")
    async with database.transaction(stores.tenant) as connection:
        assert await connection.fetchval("select count(*) from identity_decisions") == 0


async def test_a_user_decides_about_so_many_names_and_no_more(stores: Stores) -> None:
    await _recorded(stores, 1)
    people = [said("friend", f"Name {n}") for n in range(MOST_DECISIONS)]
    await learn(stores, tell(stores, "m-0", *people, said("friend", "Zeno"), said("friend", "another")))

    async def decide(one: str) -> None:
        await stores.ledger.decide(stores.tenant, "u-1", (one, "Zeno"), Projection(), same=True, by="user")

    for nth in range(MOST_DECISIONS):
        await decide(f"Name {nth}")
    with pytest.raises(TooManyDecisions):
        await decide("another")
    await decide("Name 0")


@pytest.mark.parametrize("names", [("Nico", " nico "), ("user", "Nico"), ("", "Nico"), ("Nico", "")])
async def test_a_decision_takes_two_names(stores: Stores, names: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="not two names"):
        await stores.ledger.decide(stores.tenant, "u-1", names, Projection(), same=True, by="user")


async def test_two_users_may_have_a_friend_of_one_name(stores: Stores) -> None:
    await stores.record(
        new_message("m-0", tenant=stores.tenant),
        new_message("m-1", tenant=stores.tenant, user_id="u-2", timestamp=at(1)),
    )
    await learn(stores, tell(stores, "m-0", said("friend", "Marco Rossi")))
    await learn(stores, tell(stores, "m-1", said("friend", "Marco", minute=1), user_id="u-2"))
    assert await _known(stores, "Marco") == {("user", "friend", "Marco Rossi")}
    assert await _known(stores, "Marco", "u-2") == {("user", "friend", "Marco")}
