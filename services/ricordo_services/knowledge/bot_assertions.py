"""Answers `command.assert`: takes facts that a bot's own language model has read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ricordo.clock import Clock
from ricordo.language.facts.evidence import Statement
from ricordo.language.text import text_hash
from ricordo.memory.facts.asserted_facts import (
    Assertion,
    AssertionFault,
    statements_of_assertions,
)
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.messages.commands import Assert, AssertedFact, AssertedFactView, AssertReply
from ricordo.messages.errors import ErrorCode
from ricordo.messages.ids import memory_id, request_key
from ricordo.runtime.handling import RequestError
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.fact_ledger import FactLedger, MessageGone
from ricordo_services.knowledge.fact_handler import key_of_statement, statements_of_evidence

_POLL_S: Final = 0.1
_ABSENT: Final = {
    "foreign": (ErrorCode.NOT_FOUND, "this user has no such message"),
    "history": (
        ErrorCode.INVALID_REQUEST,
        "this message is history only: it is no memory, and takes no facts",
    ),
    "forgotten": (ErrorCode.NOT_FOUND, "this message is forgotten"),
}


@dataclass(frozen=True, slots=True)
class BotAssertions:
    """Takes facts as evidence of their messages, or of the bot.

    Attributes:
        project_soon: begins the projection of changed facts to the graph; nobody waits for its end.
        arrival_s: seconds that a message may take to arrive: less than a request may take.
    """

    ledger: FactLedger
    clock: Clock
    executor: CpuExecutor
    project_soon: Callable[[], None]
    arrival_s: float

    async def __call__(self, tenant: str, command: Assert, /) -> AssertReply:
        """Take the facts message by message; a message that has not arrived is waited for.

        Raises:
            RequestError: a message is not the user's, takes no facts, or has not arrived; facts of those
                before it are taken.
            RequestConflict: the request was made with other facts.
            StoreUnavailable: PostgreSQL does not answer; facts of the messages before are taken.
        """
        deadline = self.clock.monotonic() + self.arrival_s
        views: dict[int, AssertedFactView] = {}
        for message_id in dict.fromkeys(one.message_id for one in command.facts):
            numbers = [n for n, one in enumerate(command.facts) if one.message_id == message_id]
            facts = [command.facts[n] for n in numbers]
            while (taken := await self._take(tenant, command, message_id, facts)) is None:
                await self._wait(tenant, command.user_id, message_id, deadline, numbers[0])
            views |= dict(zip(numbers, taken, strict=True))
        self.project_soon()
        return AssertReply(facts=tuple(views[number] for number in sorted(views)))

    async def _wait(
        self, tenant: str, user_id: str, message_id: str | None, deadline: float, number: int
    ) -> None:
        """Wait a moment for a message, unless it cannot arrive or its time is over."""
        if message_id is None:
            reason = "this user is just being forgotten: ask again later"
            raise RequestError(ErrorCode.UNAVAILABLE, reason, "user_id")
        field = f"facts.{number}.message_id"
        if absent := _ABSENT.get(await self.ledger.absence(tenant, user_id, message_id) or ""):
            raise RequestError(*absent, field)
        if self.clock.monotonic() > deadline:
            reason = f"this message has not arrived within {self.arrival_s:g} seconds: ask again later"
            raise RequestError(ErrorCode.UNAVAILABLE, reason, field)
        await self.clock.sleep(_POLL_S)

    async def _take(
        self, tenant: str, command: Assert, message_id: str | None, facts: Sequence[AssertedFact]
    ) -> list[AssertedFactView] | None:
        """Validate and store facts of one message, or of none, and return what became of each.

        None where the message is not there, or not as it was when they were validated.
        """
        user_id, said = command.user_id, None
        statements: Sequence[Statement] = ()
        if message_id is not None:
            said = next(iter(await self.ledger.load(tenant, [memory_id(tenant, message_id)])), None)
            if said is None or said.user_id != user_id:
                return None
            stored = await self.ledger.evidence_of_memories(tenant, [said.memory_id])
            statements = statements_of_evidence(stored[said.memory_id]) if said.memory_id in stored else ()
        asserted = [_assertion(one) for one in facts]
        validate = partial(statements_of_assertions, said=said, read=statements)
        [stated] = await self.executor.map(validate, [asserted])
        valid = [one for one in stated if isinstance(one, Statement)]
        new = {key_of_statement(one): one for one in valid if not any(one is each for each in statements)}
        # Without a message, all is evidence of one source: the bot.
        source = request_key(tenant, user_id, command.name, "") if message_id is None else message_id
        at = self.clock.now() if said is None else said.said_at
        evidence = ExtractedEvidence(
            memory_id=memory_id(tenant, source),
            message_id=source,
            user_id=user_id,
            said_at=at,
            quotes=tuple(one.quote for one in new.values()),
            evidence=tuple(one.evidence(source, at) for one in new.values()),
            text_hash=None if said is None else text_hash(said.content),
        )
        content = [one.model_dump_json() for one in facts]
        request, memory = command.effect_key(tenant), None if said is None else said.memory_id
        try:
            known = await self.ledger.assert_facts(tenant, evidence, memory, request, content)
        except MessageGone:
            return None
        views = []
        for one in stated:
            if isinstance(one, Statement) and key_of_statement(one) in known:
                views.append(AssertedFactView(accepted=True, fact_id=known[key_of_statement(one)]))
            else:
                fault = AssertionFault.REJECTED if isinstance(one, Statement) else one
                views.append(AssertedFactView(accepted=False, reason=fault.value))
        return views


def _assertion(fact: AssertedFact) -> Assertion:
    given = fact.model_dump(exclude={"message_id"})
    return Assertion(**given | {"predicate": fact.predicate.value})
