"""Any order of telling, forgetting and asking, with faults between: the stores hold what an account says."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Final

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.fixtures.background_loop import BackgroundLoop
from tests.fixtures.cluster import cluster
from tests.fixtures.digest import points
from tests.fixtures.eventually import eventually
from tests.fixtures.expected_state import SAYINGS, ExpectedState
from tests.fixtures.fault_injection import ENVIRONMENT, PROCESSES, FaultInjection
from tests.fixtures.store_comparison import pending_withdrawals
from tests.fixtures.wire import Json, msg, new_tenant

STEPS: Final = 12
UNSETTLED: Final = 4  # steps, before there may be calm
USUAL_EXAMPLES: Final = 4
LONG_EXAMPLES: Final = int(os.environ.get("RICORDO_MACHINE_EXAMPLES", "60"))
LONG_MINUTES: Final = float(os.environ.get("RICORDO_MACHINE_MINUTES", "10"))
FIRST_SEED: Final = int(
    os.environ.get("RICORDO_MACHINE_SEED", "29")
)  # whose few examples have all kinds of faults
OTHERWISE: Final = "I had my hair cut."
PAST: Final = datetime.now(UTC) - timedelta(days=7)

_USERS, _PLACES = st.sampled_from(("u-1", "u-2")), st.sampled_from(("c-1", "c-2"))
_SAYING = st.sampled_from((*SAYINGS, "Today I wrote a page of my diary."))
_ANY = st.integers(0, 1_000)
_TALK = st.lists(
    st.tuples(_SAYING, _USERS, _PLACES, st.none() | st.integers(0, 5_000)), min_size=1, max_size=4
)
Talk = list[tuple[str, str, str, int | None]]


class Memory(RuleBasedStateMachine):
    """One tenant, told of things while they go wrong.

    Attributes:
        machinery: the system of all examples.
        accounts: of all that came to their end.
    """

    fault_injection: ClassVar[FaultInjection]
    background: ClassVar[BackgroundLoop]
    accounts: ClassVar[list[ExpectedState]]
    steps: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.account = ExpectedState(new_tenant())
        self.unsettled = 0

    @invariant()
    def count(self) -> None:
        self.unsettled += 1
        type(self).steps += 1

    @initialize(talk=_TALK)
    def begin(self, talk: Talk) -> None:
        self._do(self.fault_injection.publish(self.account, self._bodies(talk)))

    @rule(talk=_TALK, lost=st.integers(0, 5))
    def publish(self, talk: Talk, lost: int) -> None:
        """Say something new; so many acknowledgements of those who take it in get lost."""
        self.fault_injection.lose_acks(lost)
        self._do(self.fault_injection.publish(self.account, self._bodies(talk)))

    @rule(which=_ANY)
    def repeat(self, which: int) -> None:
        """Say the same again, be it forgotten or not."""
        self._do(self.fault_injection.publish(self.account, [self._known(which)]))

    @rule(which=_ANY, other=_SAYING)
    def contradict(self, which: int, other: str) -> None:
        """Say something else under an id that was taken."""
        known = self._known(which)
        content = other if other != known["content"] else OTHERWISE
        self._do(self.fault_injection.publish(self.account, [known | {"content": content}]))

    @rule(talk=_TALK, places=st.sets(st.integers(0, len(PROCESSES) - 1), min_size=1))
    def kill_workers(self, talk: Talk, places: set[int]) -> None:
        self._do(self.fault_injection.publish(self.account, self._bodies(talk)))
        self._do(self.fault_injection.kill(self.account, sorted(places)))

    @rule(talk=_TALK, place=st.integers(0, len(PROCESSES) - 1))
    def freeze_a_worker(self, talk: Talk, place: int) -> None:
        self._do(self.fault_injection.publish(self.account, self._bodies(talk)))
        self._do(self.fault_injection.freeze(place))

    @rule(talk=_TALK)
    def kill_nats(self, talk: Talk) -> None:
        self._do(self.fault_injection.publish(self.account, self._bodies(talk)))
        self._do(self.fault_injection.kill_nats(self.account))

    @rule(count=st.integers(1, 12))
    def deliver_again(self, count: int) -> None:
        self._do(self.fault_injection.redeliver(self.account, count))

    @rule(user_id=_USERS, saying=_SAYING)
    def recall(self, user_id: str, saying: str) -> None:
        self._do(self.fault_injection.recall(self.account, user_id, saying))

    @precondition(lambda self: self.account.alive)
    @rule(which=_ANY, content=_SAYING)
    def correct(self, which: int, content: str) -> None:
        message_id = self._alive(which)
        if self._do(self.fault_injection.of_memory(self.account, message_id, "correct", content=content)):
            self.account.corrected[message_id] = content

    @precondition(lambda self: self.account.alive)
    @rule(which=_ANY, pinned=st.booleans())
    def pin(self, *, which: int, pinned: bool) -> None:
        message_id = self._alive(which)
        if self._do(self.fault_injection.of_memory(self.account, message_id, "pin", pinned=pinned)):
            self.account.pinned[message_id] = pinned

    @rule(
        which=_ANY,
        scope=st.sampled_from(("message", "message", "conversation", "user")),
        again=st.booleans(),
        killed=st.none() | st.integers(0, len(PROCESSES)),
    )
    def forget(self, *, which: int, scope: str, again: bool, killed: int | None) -> None:
        """Forget while a process dies, or NATS, and say it again afterwards."""
        known = self._known(which)
        names = {"message": "id", "conversation": "conversation_id", "user": "user_id"}
        self._do(self._forget_amid(scope, known[names[scope]], known["user_id"], killed))
        if again:
            self._do(self.fault_injection.publish(self.account, [known]))

    @precondition(lambda self: self.unsettled > UNSETTLED)
    @rule()
    def settle(self) -> None:
        """Wait until nothing is on its way, so that what follows comes to a calm system."""
        self.unsettled = 0
        self._do(self.fault_injection.settle(self.account))

    def teardown(self) -> None:
        if sys.exc_info()[0] is None:  # else it has failed already, or Hypothesis gave this example up
            self._do(self.fault_injection.settle(self.account, thoroughly=True))
            self.accounts.append(self.account)

    async def _forget_amid(self, scope: str, key: str, user_id: str, killed: int | None) -> None:
        forgetting = asyncio.create_task(self.fault_injection.forget(self.account, scope, key, user_id))
        if killed == len(PROCESSES):
            await self.fault_injection.kill_nats(self.account)
        elif killed is not None:
            await self.fault_injection.kill(self.account, [killed])
        await forgetting

    def _do(self, work: Awaitable[object]) -> object:
        return self.background.wait(work, seconds=600)

    def _bodies(self, talk: Talk) -> list[Json]:
        first = len(self.account.said)
        return [self._body(first + n, *one) for n, one in enumerate(talk)]

    def _body(self, n: int, saying: str, user_id: str, conversation_id: str, minute: int | None) -> Json:
        """Return a new message, said just now or some day ago."""
        when = datetime.now(UTC) if minute is None else PAST + timedelta(minutes=minute)
        where = {"user_id": user_id, "conversation_id": conversation_id, "timestamp": when.isoformat()}
        return msg(f"m-{n:03}", f"{saying} {n}" if saying not in SAYINGS else saying, **where)

    def _known(self, which: int) -> Json:
        bodies = list(self.account.said.values())
        return bodies[which % len(bodies)][0]

    def _alive(self, which: int) -> str:
        alive = self.account.alive
        return alive[which % len(alive)]


@pytest.fixture(scope="module")
def fault_injection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultInjection]:
    """Yield the system of all examples."""
    background, exits = BackgroundLoop(), AsyncExitStack()
    try:
        folder = tmp_path_factory.mktemp("machine")
        running = cluster(folder, PROCESSES, ENVIRONMENT)
        Memory.background = background
        fault_injection = FaultInjection(background.wait(exits.enter_async_context(running), seconds=280))
        exits.push_async_callback(fault_injection.close)
        Memory.fault_injection = fault_injection
        yield fault_injection
    finally:
        background.wait(exits.aclose())
        background.close()


@pytest.mark.chaos
@pytest.mark.timeout(900)
def test_whatever_comes_in_whatever_order_the_stores_hold_what_was_said(
    fault_injection: FaultInjection,
) -> None:
    Memory.accounts, Memory.steps = [], 0
    _run(FIRST_SEED, USUAL_EXAMPLES)
    _nothing_is_left_in_the_index(fault_injection)


@pytest.mark.chaos
@pytest.mark.timeout(60 * LONG_MINUTES + 900)
def test_the_same_for_long(fault_injection: FaultInjection) -> None:
    Memory.accounts, Memory.steps = [], 0
    began, number = time.monotonic(), FIRST_SEED
    while len(Memory.accounts) < LONG_EXAMPLES and time.monotonic() < began + 60 * LONG_MINUTES:
        _run(number, USUAL_EXAMPLES)
        number += 1
    _nothing_is_left_in_the_index(fault_injection)


def _run(number: int, examples: int) -> None:
    """Run so many examples; a failure is shown as it came, since to shrink it would take hours."""
    kept = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(Memory), settings=kept)


def _nothing_is_left_in_the_index(fault_injection: FaultInjection) -> None:
    """Kill who owns the index, and compare its points with all accounts; tell the figures."""
    system, wait = fault_injection.system, Memory.background.wait
    endpoints = system.servers.endpoints()

    async def has_followed() -> bool:
        await asyncio.sleep(0.5)
        left = [await pending_withdrawals(endpoints, one.tenant) for one in Memory.accounts]
        return not any(left) and await system.unsettled() == 0

    wait(eventually(has_followed, within=240), seconds=250)
    (owner,) = [one for one in system.members if "index" in one.workers]
    wait(owner.program.kill())
    try:
        for account in Memory.accounts:
            assert set(points(endpoints.qdrant_dir, account.tenant)) == set(account.memory_ids())
    finally:
        wait(owner.start(), seconds=250)
    figures = {"examples": len(Memory.accounts), "steps": Memory.steps, "compared": fault_injection.compared}
    sys.stdout.write(f"{json.dumps(figures | fault_injection.faults)}\n")  # shown by -rP
