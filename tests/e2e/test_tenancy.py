"""A bot of one tenant tries to reach another's memories in every way that it can think of, and reaches none.

RICORDO_CROSSINGS says how many attempts are made; docs/reliability.md has the figures of 10,000.
"""

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from tests.fixtures.crossing_attempts import STREAMS, Attempt, AttemptGenerator, Victim
from tests.fixtures.secure_system import NatsUsers, SecureSystem
from tests.fixtures.system import unsettled
from tests.fixtures.wire import Bot, msg

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.topology import ricordo_topology
from ricordo.client import Forbidden, MemoryClient

pytestmark = pytest.mark.timeout(900)

_REFUSED: Final = re.compile(
    r"permissions violation for (?:publish|subscription)(?: with reply of)? ?(?:to )?\"([^\"]*)\"",
    re.IGNORECASE,
)
_AT_ONCE: Final = 100


@dataclass
class Outcome:
    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)


class Intruder:
    """Makes the attempts over a connection, and notes what comes of them."""

    def __init__(self, inbox: str, victim: Victim) -> None:
        self.outcome = Outcome()
        self._inbox = inbox
        self._victim = victim
        self._said_no: set[str] = set()
        self._unanswered: set[str] = set()
        self._answered = asyncio.Event()

    def hear_refusal(self, error: Exception) -> None:
        if match := _REFUSED.search(str(error)):
            self._said_no.add(match[1].lower())

    async def try_all(
        self, client: Client, attempts: Iterator[Attempt], overhears: Callable[[], Awaitable[object]]
    ) -> None:
        """Make the attempts, some at a time; wait for the server's word on each, and for what is answered.

        Args:
            overhears: called while the bot listens, to send what it must not hear.
        """
        answers = await client.subscribe(f"{self._inbox}.>", cb=self._on_answer)
        while some := [one for _, one in zip(range(_AT_ONCE), attempts, strict=False)]:
            self._said_no.clear()
            overheard = [
                one for one in [await self._try(client, attempt) for attempt in some] if one is not None
            ]
            await self._all_sent(client)
            await overhears()
            await self._all_sent(client)
            await self._all_answered()
            for attempt in some:
                self._judge(attempt)
            for subscription in overheard:
                await subscription.unsubscribe()
        await answers.unsubscribe()

    async def _try(self, client: Client, attempt: Attempt) -> Subscription | None:
        self.outcome.tried[attempt.kind] += 1
        if attempt.body is None:
            return await client.subscribe(attempt.subject, queue=attempt.queue, cb=self._on_overheard)
        own = f"{self._inbox}.{self.outcome.tried.total()}"
        if attempt.passes and not attempt.reply:
            self._unanswered.add(own)
        headers = dict(attempt.headers) or None
        await client.publish(attempt.subject, attempt.body, attempt.reply or own, headers=headers)
        return None

    @staticmethod
    async def _all_sent(client: Client) -> None:
        for _ in range(2):  # the first PING overtakes what waits to be sent
            await client.flush(timeout=20)

    async def _all_answered(self) -> None:
        async with asyncio.timeout(30):
            while self._unanswered:
                self._answered.clear()
                await self._answered.wait()

    def _judge(self, attempt: Attempt) -> None:
        if attempt.passes:
            return
        if attempt.subject.lower() in self._said_no:
            self.outcome.refused[attempt.kind] += 1
        else:
            self.outcome.leaks.append(f"not refused: {attempt.kind}: {attempt.subject} {attempt.queue}")

    async def _on_answer(self, message: Msg) -> None:
        self._unanswered.discard(message.subject)
        self._answered.set()
        if self._tells(message) or b"io.nats.jetstream" in message.data:
            self.outcome.leaks.append(f"answered: {message.subject} {message.data[:200]!r}")

    async def _on_overheard(self, message: Msg) -> None:
        if self._tells(message) or not message.subject.startswith("_INBOX"):
            self.outcome.leaks.append(f"overheard: {message.subject} {message.data[:200]!r}")

    def _tells(self, message: Msg) -> bool:
        return self._victim.secret.encode() in message.data


ATTEMPTS: Final = int(os.environ.get("RICORDO_CROSSINGS", "560"))
SECRET: Final = "Xanthippe"
OWN_QUESTION: Final = json.dumps({"user_id": "u-1", "query": "the secret", "reinforce": False}).encode()
TOPOLOGY: Final = ricordo_topology(incoming_bytes=10**6, derived_bytes=10**6, dead_letter_bytes=10**6)


async def with_a_secret(bot: Bot) -> Victim:
    """Have a bot remember what nobody else may know."""
    await bot.remember(msg("m-1", f"The secret is {SECRET}.", user_id="u-1", conversation_id="c-1"))
    memory = (await bot.recall("secret", user_id="u-1"))["memories"][0]
    return Victim(bot.tenant, "u-1", "c-1", "m-1", memory["id"], SECRET)


async def state(operator: Client) -> dict[str, object]:
    """Return what the streams hold of `beta`, and who reads them.

    Of the database's other tenants, which are those of other tests, lifecycle publishes what it condenses.
    """
    streams = operator.jetstream()
    found: dict[str, object] = {}
    for name in STREAMS:
        info = await streams.stream_info(name, subjects_filter=">")
        held = {
            subject: count for subject, count in (info.state.subjects or {}).items() if ".beta." in subject
        }
        readers = sorted(one.name for one in await streams.consumers_info(name))
        found[name] = (info.config, held, readers)
    return found


@asynccontextmanager
async def nothing_reaches(operator: Client, tenant: str) -> AsyncIterator[list[str]]:
    """Collect what arrives anywhere that is the tenant's, or among the dead letters of it."""
    heard: list[str] = []

    async def hear(message: Msg) -> None:
        if message.data != OWN_QUESTION:
            heard.append(f"{message.subject} {message.data[:200]!r}")

    subjects = (f"memory.v1.{tenant}.>", f"dlq.*.memory.v1.{tenant}.>", f"_INBOX_{tenant}.>")
    subscriptions = [await operator.subscribe(subject, cb=hear) for subject in subjects]
    await operator.flush()
    yield heard
    await operator.flush()
    for subscription in subscriptions:
        await subscription.unsubscribe()


async def test_no_attempt_at_crossing_leaks(secure: SecureSystem) -> None:
    users = secure.users
    async with secure.bot("beta") as bot, users.connection("operator") as operator:
        victim = await with_a_secret(bot)
        await settled(operator)
        before = await state(operator)
        attempts = AttemptGenerator("alpha", victim, seed=7).make(ATTEMPTS)
        inboxes: list[str] = []

        async def hear(message: Msg) -> None:
            inboxes.append(f"{message.subject} {message.data[:200]!r}")

        await bot.connection.subscribe("_INBOX_beta.>", cb=hear)
        await bot.connection.subscribe("memory.v1.beta.memory.*", cb=hear)
        await bot.connection.flush()
        intruder = Intruder("_INBOX_alpha.x", victim)
        async with (
            nothing_reaches(operator, "beta") as heard,
            users.connection("bot-alpha", intruder.hear_refusal) as client,
        ):
            await intruder.try_all(client, attempts, lambda: own_question(bot))
            assert client.is_connected
            await settled(operator)
        outcome = intruder.outcome
        print(report(outcome.tried, outcome.refused, outcome.leaks, [*heard, *inboxes]))  # noqa: T201
        assert outcome.tried.total() == ATTEMPTS
        assert outcome.leaks == []
        assert heard == []
        assert inboxes == []
        assert await state(operator) == before
        assert SECRET in str((await bot.recall("secret", user_id="u-1"))["memories"])


async def own_question(bot: Bot) -> None:
    """Have the victim ask for its secret, which then is on its way where others listen."""
    answer = await bot.request("query.recall", OWN_QUESTION)
    assert SECRET in str(answer.body["memories"])


async def settled(operator: Client) -> None:
    """Wait until the workers have processed everything that was published."""
    async with asyncio.timeout(120):
        while await unsettled(operator):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.1)


def report(tried: dict[str, int], refused: dict[str, int], *found: list[str]) -> str:
    lines = [f"{kind:42} {count:6} tried {refused.get(kind, 0):6} refused" for kind, count in tried.items()]
    return "\n".join((*lines, f"{sum(tried.values())} attempts, {sum(map(len, found))} leaks"))


async def test_the_same_attempts_succeed_for_who_may_do_all(tmp_path: Path) -> None:
    """What is refused above is refused for want of a permission, and what leaks is noticed."""
    victim = Victim("beta", "u-1", "c-1", "m-1", str(uuid4()), SECRET)
    refusable = (one for one in AttemptGenerator("alpha", victim, seed=7).make(840) if not one.passes)
    users = NatsUsers(tmp_path, "alpha", "beta")
    async with users.server:
        async with open_bus(users.nats_settings("operator", timeout=5.0), TOPOLOGY) as bus:
            await bus.provision()
        intruder = Intruder("_INBOX_alpha.x", victim)
        async with users.connection("operator", intruder.hear_refusal) as operator:
            stream = operator.jetstream()
            await intruder.try_all(
                operator,
                refusable,
                lambda: stream.publish("memory.v1.beta.message.received", SECRET.encode()),
            )
    found = intruder.outcome
    assert not found.refused.keys() - {"settles for a worker", "speaks to workers", "asks the server"}
    assert any(leak.startswith("overheard") and SECRET in leak for leak in found.leaks)
    assert any(leak.startswith("answered") and "jetstream" in leak for leak in found.leaks)


async def test_nobody_enters_without_a_password(secure: SecureSystem) -> None:
    for stranger in ("", "operator:@", "operator:operator@", "bot-alpha:x@"):
        url = secure.users.server.url.replace("nats://", f"nats://{stranger}")
        with pytest.raises(Forbidden):
            async with MemoryClient.connect(url, "alpha", timeout=3):
                pass
