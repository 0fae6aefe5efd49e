"""A model is asked who is who, pair by pair, once, and never over the user."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
import pytest_asyncio
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import Stores
from tests.contract.store.test_identities import BROTHER, COLLEAGUE
from tests.fixtures.fake_llm import FakeServer, Given, away

from ricordo.language.facts.evidence import Evidence
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.backpressure import Backlog
from ricordo_services.knowledge.identity_resolution import IdentityResolution, IdentityVerdict

NICO, NICOLA = claim("likes", "tea", subject="Nico"), claim("friend", "Nicola")
CRISTINA, CHRISTINA = claim("likes", "tea", subject="Cristina"), claim("friend", "Christina")
PAIRS = (("nico", "nicola"), ("christina", "cristina"))


def judging(verdict: object) -> FakeServer:
    return FakeServer(lambda _, __: {"verdict": verdict})


@dataclass
class SlowServer(FakeServer):
    """A server that answers once `released` is set, and sets `entered` when it is asked."""

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def chat(
        self, model: str, messages: Sequence[Mapping[str, str]], *_: object, step: str, **__: object
    ) -> str:
        self.entered.set()
        await self.released.wait()
        return await super().chat(model, messages, step=step)


class Process:
    """The pass and its model in a process of their own; `events` wait for knowledge."""

    def __init__(self, stores: Stores, server: FakeServer | None = None) -> None:
        self.stores, self.server = stores, server or judging("unsure")
        self.events, self.projected = 0, 0
        self.ledger = FactLedger(stores.database, record_doubts=True)
        self.identify = IdentityResolution(
            ledger=self.ledger,
            project_soon=self._project_soon,
            model=self.server.model(),
            tenants=self._tenants,
            backlog=cast(Backlog, self),
        )

    @property
    def asked(self) -> list[tuple[Given, Given]]:
        return [(given["first"], given["second"]) for _, given in self.server.asked]

    async def waiting(self) -> int:
        return self.events

    async def _tenants(self) -> Sequence[str]:
        return [self.stores.tenant]

    def _project_soon(self) -> None:
        self.projected += 1

    async def say(self, *claims: Evidence, user_id: str = "u-1", prefix: str = "m") -> None:
        names = [f"{prefix}-{n}" for n in range(len(claims))]
        await self.stores.say(*names, user_id=user_id)
        for name, one in zip(names, claims, strict=True):
            await learn(self.stores, extracted(self.stores, name, one, user_id=user_id), ledger=self.ledger)

    async def subjects(self) -> set[str]:
        facts = await self.ledger.facts(self.stores.tenant, FactQuestion(user_id="u-1"))
        return {one.subject for one in facts} - {"user"}

    async def open(self) -> list[UnresolvedPair]:
        return list(await self.ledger.unresolved_pairs(self.stores.tenant, 100))

    def counted(self) -> Counter[str]:
        return +Counter(self.identify.counters)


@pytest_asyncio.fixture(loop_scope="module")
async def one(stores: Stores) -> Process:
    """Return a process; nothing has been said yet."""
    return Process(stores)


@pytest.mark.parametrize("verdict", IdentityVerdict)
async def test_what_the_model_says_is_decided_once(one: Process, verdict: IdentityVerdict) -> None:
    one.server.answer = judging(verdict).answer
    await one.say(NICO, NICOLA)
    for _ in range(2):
        await one.identify.run()
        assert await one.subjects() == {"Nicola" if verdict == "same" else "Nico"}
        assert (await one.open(), one.counted()) == ([], {verdict: 1})
    assert len(one.asked) == 1


async def test_a_pair_is_shown_with_what_is_known_of_each_and_nothing_of_others(one: Process) -> None:
    await one.say(
        claim("has_sibling", "Marco", ties=("", BROTHER)),
        claim("lives_in", "Turin", subject="Marco", ties=(BROTHER, "")),
        claim("lives_in", "Bari", subject="Marco", ties=(COLLEAGUE, "")),
        claim("likes", "Milan", subject="Marco"),
    )
    await one.identify.run()
    (bare, brother), (again, colleague) = one.asked
    assert bare == again
    names = [each["name"] for each in (bare, brother, colleague)]
    assert names == ["Marco", "Marco (brother)", "Marco (colleague)"]
    assert bare["quotes"] == ["likes Milan"]
    assert set(brother["quotes"]) == {"has_sibling Marco", "lives_in Turin"}
    assert brother["also_called"] == ["Marco"]
    assert [line.partition(" (×")[0] for line in colleague["facts"]] == ["Marco (colleague) lives in Bari"]


async def test_long_words_are_cut(one: Process) -> None:
    """The window of a model cuts the beginning, where it is told what to do."""
    await one.say(*(claim("friend", f"Rosali{letter} {'x' * 900}") for letter in "abcd"), prefix="long")
    await one.identify.run()
    shown = [line for pair in one.asked for each in pair for line in each["facts"]]
    assert shown
    assert all(len(line) <= 200 for line in shown)
    assert await one.open() == []


async def test_a_pair_without_a_valid_answer_is_settled_and_holds_up_no_other(one: Process) -> None:
    def babble(given: Given) -> None:
        if given["first"]["name"] == "Nico":
            raise InvalidReply("same same same")

    one.server.answer, one.server.before = judging("same").answer, babble
    await one.say(NICO, NICOLA, CRISTINA, CHRISTINA)
    await one.identify.run()
    assert (one.counted(), await one.open()) == ({"same": 1, "unreadable": 1}, [])
    assert "Nico" in await one.subjects()


async def test_a_pair_that_is_never_answered_in_time_comes_after_all_others(one: Process) -> None:
    def too_long_for_nico(given: Given) -> None:
        if given["first"]["name"] == "Nico":
            raise ModelUnavailable("no answer in time")

    one.server.answer, one.server.before = judging("same").answer, too_long_for_nico
    await one.say(NICO, NICOLA)
    await one.identify.run()
    await one.say(CRISTINA, CHRISTINA, prefix="n")
    await one.identify.run()
    assert [first["name"] for first, _ in one.asked] == ["Nico", "Christina", "Nico"]
    assert one.counted() == {"same": 1}
    one.server.before = lambda _: None
    await one.identify.run()
    assert await one.open() == []


async def test_a_model_that_is_away_decides_nothing(one: Process) -> None:
    one.server.before = away
    await one.say(NICO, NICOLA)
    for _ in range(5):
        await one.identify.run()
    assert len(one.asked) == 3, "then the breaker opens"
    assert one.identify.problem.startswith("what rules leave open of who is who waits: the model was told")
    assert (len(await one.open()), one.counted()) == (1, {})


async def test_it_waits_for_events(one: Process) -> None:
    await one.say(NICO, NICOLA)
    one.events = 1
    await one.identify.run()
    assert (one.asked, len(await one.open()), one.projected) == ([], 1, 0)
    one.events = 0
    await one.identify.run()
    assert (one.counted(), one.projected) == ({"unsure": 1}, 1)


async def _doubted(one: Process, *users: str) -> None:
    """Have each user name people of whom two pairs may be one."""
    for user_id in users:
        people = (claim("friend", name) for name in ("Nico", "Nicola", "Cristina", "Christina"))
        await one.say(*people, user_id=user_id, prefix=f"m-{user_id}")
    assert len(await one.open()) == 2 * len(users)


async def test_many_processes_at_once_ask_about_each_pair_once(one: Process) -> None:
    await _doubted(one, *(f"u-{n}" for n in range(6)))
    processes = [Process(one.stores) for _ in range(4)]
    await asyncio.gather(*(each.identify.run() for each in processes))
    await one.identify.run()  # a process leaves to others whom they ask about
    assert sum(len(each.asked) for each in (one, *processes)) == 12
    assert await one.open() == []


async def test_a_turn_is_of_one_user_and_no_transaction_is_open_while_the_model_thinks(one: Process) -> None:
    await _doubted(one, "u-1", "u-2")
    mine, other = UnresolvedPair("u-1", PAIRS[0]), UnresolvedPair("u-1", PAIRS[1])
    async with one.ledger.lease_pair(one.stores.tenant, mine) as is_open:
        assert is_open
        async with one.stores.database.unscoped() as connection:
            open_ones = "datname = current_database() and state like 'idle in transaction%'"
            assert not await connection.fetch(f"select query from pg_stat_activity where {open_ones}")
        async with one.ledger.lease_pair(one.stores.tenant, other) as free:
            assert not free
        async with one.ledger.lease_pair(one.stores.tenant, UnresolvedPair("u-2", PAIRS[0])) as free:
            assert free
    async with one.ledger.lease_pair(one.stores.tenant, other) as free:
        assert free


async def test_a_turn_ends_with_an_error_and_what_was_decided_in_it_stays(one: Process) -> None:
    await _doubted(one, "u-1")
    pair = UnresolvedPair("u-1", PAIRS[0])

    async def fail_within() -> None:
        async with one.ledger.lease_pair(one.stores.tenant, pair):
            await one.ledger.decide(one.stores.tenant, "u-1", pair.names, same=True, by="model:m")
            raise ModelUnavailable("away")

    with pytest.raises(ModelUnavailable):
        await fail_within()
    async with one.ledger.lease_pair(one.stores.tenant, pair) as is_open:
        assert not is_open


async def test_a_user_who_decides_while_the_model_thinks_is_right(one: Process) -> None:
    await _doubted(one, "u-1")
    server = SlowServer(judging("same").answer)
    running = asyncio.create_task(Process(one.stores, server).identify.run())
    await server.entered.wait()
    given = ("Christina", "Cristina")
    await one.ledger.decide(one.stores.tenant, "u-1", given, same=False, by="user")
    server.released.set()
    await running
    friends = await one.ledger.facts(one.stores.tenant, FactQuestion(user_id="u-1", predicate="friend"))
    assert {each.object for each in friends} == {"Nicola", "Cristina", "Christina"}
