"""The pass that asks a model who is who: what it is shown, what its answers change, and who asks at once."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
import pytest_asyncio
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import Stores
from tests.fixtures.fake_llm import FakeIdentityReader

from ricordo.clock import SystemClock
from ricordo.language.facts.evidence import Evidence
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.models.llm.entity_matching import EntityPair, MatchVerdict
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker
from ricordo.store.fact_ledger import FactLedger, UnresolvedPair
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.backpressure import Backlog
from ricordo_services.knowledge.identity_resolution import IdentityResolution

BROTHER, COLLEAGUE = "has_sibling/m/brother", "knows/m/colleague"
NICO, NICOLA = claim("likes", "tea", subject="Nico"), claim("friend", "Nicola")
CRISTINA, CHRISTINA = claim("likes", "tea", subject="Cristina"), claim("friend", "Christina")
PAIRS = (("nico", "nicola"), ("christina", "cristina"))


@dataclass
class SlowReader(FakeIdentityReader):
    """A reader that answers once `released` is set, and sets `entered` when it is asked."""

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def judge(self, pairs: Sequence[EntityPair]) -> list[MatchVerdict | None]:
        self.entered.set()
        await self.released.wait()
        return await super().judge(pairs)


class Process:
    """The pass and its reader in a process of their own; `events` wait for knowledge."""

    def __init__(self, stores: Stores, reader: FakeIdentityReader | None = None) -> None:
        self.stores, self.reader = stores, reader or FakeIdentityReader()
        self.events, self.projected = 0, 0
        self.ledger = FactLedger(stores.database, record_doubts=True)
        clock = SystemClock()
        breaker = CircuitBreaker(clock, 3, 60.0, counted=ModelUnavailable)
        self.identify = IdentityResolution(
            ledger=self.ledger,
            project_soon=self._project_soon,
            reader=self.reader,
            throttle=Throttle(breaker, None, clock, gone="gone", back="back"),
            tenants=self._tenants,
            backlog=cast(Backlog, self),
        )

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


@pytest.mark.parametrize("verdict", MatchVerdict)
async def test_what_the_model_says_is_decided_once(one: Process, verdict: MatchVerdict) -> None:
    one.reader.verdict = lambda _, __: verdict
    await one.say(NICO, NICOLA)
    for _ in range(2):
        await one.identify.run()
        assert await one.subjects() == {"Nicola" if verdict == "same" else "Nico"}
        assert (await one.open(), one.counted()) == ([], {verdict: 1})
    assert len(one.reader.asked) == 1


async def test_a_pair_is_shown_with_what_is_known_of_each_and_nothing_of_others(one: Process) -> None:
    await one.say(
        claim("has_sibling", "Marco", ties=("", BROTHER)),
        claim("lives_in", "Turin", subject="Marco", ties=(BROTHER, "")),
        claim("lives_in", "Bari", subject="Marco", ties=(COLLEAGUE, "")),
        claim("likes", "Milan", subject="Marco"),
    )
    await one.identify.run()
    ((first, second),) = one.reader.asked
    (bare, brother), (again, colleague) = first, second
    assert bare == again
    names = [each.name for each in (bare, brother, colleague)]
    assert names == ["Marco", "Marco (brother)", "Marco (colleague)"]
    assert bare.quotes == ("likes Milan",)
    assert set(brother.quotes) == {"has_sibling Marco", "lives_in Turin"}
    assert brother.aliases == ("Marco",)
    assert [line.partition(" (×")[0] for line in colleague.facts] == ["Marco (colleague) lives in Bari"]


async def test_long_words_are_cut(one: Process) -> None:
    """The window of a model cuts the beginning, where it is told what to do."""
    await one.say(*(claim("friend", f"Rosali{letter} {'x' * 900}") for letter in "abcd"), prefix="long")
    await one.identify.run()
    shown = [line for pairs in one.reader.asked for pair in pairs for each in pair for line in each.facts]
    assert shown
    assert all(len(line) <= 200 for line in shown)
    assert await one.open() == []


async def test_one_call_is_about_ten_pairs_of_one_user_at_most(one: Process) -> None:
    for n in range(3):
        people = (claim("friend", f"Nicola{letter}") for letter in "abcdef")
        await one.say(*people, user_id=f"u-{n}", prefix=f"m{n}")
    count = len(await one.open())
    await one.identify.run()
    assert sum(map(len, one.reader.asked)) == count > 20
    assert max(map(len, one.reader.asked)) <= 10
    assert len(one.reader.asked) >= 3
    assert await one.open() == []


def _babble(names: Sequence[str]) -> None:
    if "Nico" in names:
        raise InvalidReply("same same same")


@pytest.mark.parametrize("fault", ["no answer", "nonsense", "two answers"])
async def test_a_pair_without_a_valid_answer_is_settled_and_holds_up_no_other(
    one: Process, fault: str
) -> None:
    bad = None if fault == "no answer" else (MatchVerdict.SAME, MatchVerdict.DIFFERENT)
    one.reader.verdict = lambda first, _: (
        bad if first == "Nico" and fault != "nonsense" else MatchVerdict.SAME
    )
    if fault == "nonsense":
        one.reader.before = _babble
    await one.say(NICO, NICOLA, CRISTINA, CHRISTINA)
    await one.identify.run()
    assert (one.counted(), await one.open()) == ({"same": 1, "unreadable": 1}, [])
    assert "Nico" in await one.subjects()


async def test_a_pair_that_is_never_answered_in_time_comes_after_all_others(one: Process) -> None:
    def too_long_for_nico(names: Sequence[str]) -> None:
        if "Nico" in names:
            raise ModelUnavailable("no answer in time")

    one.reader.before, one.reader.verdict = too_long_for_nico, lambda _, __: MatchVerdict.SAME
    await one.say(NICO, NICOLA, CRISTINA, CHRISTINA)
    others = (claim("likes", "tea", subject="Sara"), claim("friend", "Sarah"))
    await one.say(*others, user_id="u-2", prefix="n")
    await one.identify.run()
    assert one.counted() == {"same": 1}, "the next user is asked about"
    await one.identify.run()
    assert one.counted() == {"same": 2}, "the pair that was asked with it is asked alone"
    (pair,) = await one.open()
    assert "nico" in pair.names
    one.reader.before = lambda _: None
    await one.identify.run()
    assert await one.open() == []


async def test_a_model_that_is_away_decides_nothing(one: Process) -> None:
    def away(_: Sequence[str]) -> None:
        raise ModelUnavailable("away")

    one.reader.before = away
    await one.say(NICO, NICOLA)
    for _ in range(5):
        await one.identify.run()
    assert len(one.reader.asked) == 3, "then the breaker opens"
    assert one.identify.problem == "what rules leave open of who is who waits: away"
    assert (len(await one.open()), one.counted()) == (1, {})


async def test_it_waits_for_events(one: Process) -> None:
    await one.say(NICO, NICOLA)
    one.events = 1
    await one.identify.run()
    assert (one.reader.asked, len(await one.open()), one.projected) == ([], 1, 0)
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
    assert sum(len(pairs) for each in processes for pairs in each.reader.asked) == 12
    assert await one.open() == []


async def test_a_turn_is_of_one_user_and_no_transaction_is_open_while_the_model_thinks(one: Process) -> None:
    await _doubted(one, "u-1", "u-2")

    def of(user: str) -> list[UnresolvedPair]:
        return [UnresolvedPair(user, names) for names in PAIRS]

    async with one.ledger.lease_pairs(one.stores.tenant, of("u-1")) as mine:
        assert set(mine) == set(of("u-1"))
        async with one.stores.database.unscoped() as connection:
            open_ones = "datname = current_database() and state like 'idle in transaction%'"
            assert not await connection.fetch(f"select query from pg_stat_activity where {open_ones}")
        async with one.ledger.lease_pairs(one.stores.tenant, of("u-1")[:1]) as nothing:
            assert not nothing
        async with one.ledger.lease_pairs(one.stores.tenant, of("u-2")) as free:
            assert set(free) == set(of("u-2"))
    async with one.ledger.lease_pairs(one.stores.tenant, of("u-1")) as again:
        assert set(again) == set(of("u-1"))


async def test_a_turn_ends_with_an_error_and_what_was_decided_in_it_stays(one: Process) -> None:
    await _doubted(one, "u-1")
    pairs = [UnresolvedPair("u-1", names) for names in PAIRS]

    async def fail_within() -> None:
        async with one.ledger.lease_pairs(one.stores.tenant, pairs):
            await one.ledger.decide(one.stores.tenant, "u-1", PAIRS[0], same=True, by="model:m")
            raise ModelUnavailable("away")

    with pytest.raises(ModelUnavailable):
        await fail_within()
    async with one.ledger.lease_pairs(one.stores.tenant, pairs) as still_open:
        assert set(still_open) == {pairs[1]}


async def test_a_user_who_decides_while_the_model_thinks_is_right(one: Process) -> None:
    await _doubted(one, "u-1")
    reader = SlowReader(verdict=lambda _, __: MatchVerdict.SAME)
    running = asyncio.create_task(Process(one.stores, reader).identify.run())
    await reader.entered.wait()
    names = ("Nico", "Nicola")
    await one.ledger.decide(one.stores.tenant, "u-1", names, same=False, by="user")
    reader.released.set()
    await running
    friends = await one.ledger.facts(one.stores.tenant, FactQuestion(user_id="u-1", predicate="friend"))
    assert {each.object for each in friends} == {"Nico", "Nicola", "Christina"}
