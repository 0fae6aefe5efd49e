"""Answers the user's commands on facts (verify, correct, reject) and on the identity of names."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Final
from uuid import UUID, uuid4

from ricordo.clock import Clock
from ricordo.memory.facts.entity_decisions import MOST_DECISIONS
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.user_assertions import ImpossiblePeriod, ImpossibleValue, UserAssertion, clean_value
from ricordo.messages.commands import (
    Command,
    Correct,
    CorrectReply,
    Identify,
    IdentifyReply,
    RejectFact,
    RejectFactReply,
    Verify,
    VerifyReply,
)
from ricordo.messages.errors import ErrorCode
from ricordo.messages.ids import request_key
from ricordo.runtime.handling import RequestError
from ricordo.store.entity_store import NobodyKnown, NotTwoNames, TooManyDecisions, UnknownNames
from ricordo.store.fact_assertions import FactAssertion, FactEnded, UnknownFact
from ricordo.store.fact_ledger import FactLedger

_LONGEST: Final = 80  # letters of a name that an error shows


@dataclass(frozen=True, slots=True)
class FactCommands:
    """Applies the user's assertions on facts and names.

    Attributes:
        project_soon: begins the projection of changed facts to the graph; nobody waits for its end.
        ask_database: returns when the ledger answers; else raises `StoreUnavailable`. It is called first, so
            that a caller gets an error at once.
    """

    ledger: FactLedger
    clock: Clock
    project_soon: Callable[[], None]
    ask_database: Callable[[], Awaitable[None]]

    async def _apply(
        self, tenant: str, command: Command, fact_id: UUID, assertion: UserAssertion
    ) -> Fact | None:
        """Return the fact that the assertion leaves current; None if it revokes one, or was revoked.

        Raises:
            RequestError: the user has no such fact, or the assertion cannot be applied to it.
            StoreUnavailable: nothing was written.
        """
        await self.ask_database()
        curation = FactAssertion(
            user_id=command.user_id,
            fact_id=fact_id,
            request_id=command.effect_key(tenant)
            or request_key(tenant, command.user_id, command.name, str(uuid4())),
            assertion=assertion,
        )

        try:
            current = await self.ledger.apply_assertion(tenant, curation, self.clock.now())
        except UnknownFact:
            reason = (
                "this user has no fact of that id: query.facts shows those that there are "
                "(it is another one, where somebody's name or the number of a period has changed)"
            )
            raise RequestError(ErrorCode.NOT_FOUND, reason, "fact_id") from None
        except FactEnded as ended:
            raise RequestError(ErrorCode.NOT_FOUND, _ended_reason(ended), "fact_id") from None
        self.project_soon()
        return current

    async def verify(self, tenant: str, command: Verify, fact_id: UUID, /) -> VerifyReply:
        """Confirm a fact, or revoke the confirmation."""
        await self._apply(tenant, command, fact_id, UserAssertion(verified=command.verified))
        return VerifyReply(verified=command.verified)

    async def correct(self, tenant: str, command: Correct, fact_id: UUID, /) -> CorrectReply:
        """Correct the object or the times of a fact; the reply names the fact that they are now of."""
        try:
            value = None if command.object is None else clean_value(command.object)
            assertion = UserAssertion(object=value, times=command.times)
        except ImpossibleValue as error:
            raise RequestError(ErrorCode.INVALID_REQUEST, f"object {error}", "object") from None
        try:
            current = await self._apply(tenant, command, fact_id, assertion)
        except ImpossiblePeriod as error:
            raise RequestError(ErrorCode.INVALID_REQUEST, f"valid_from {error}", "valid_from") from None
        return CorrectReply(fact_id=None if current is None else current.id)

    async def reject(self, tenant: str, command: RejectFact, /) -> RejectFactReply:
        """Remove a fact that was misread; it is not extracted again from the same words."""
        await self._apply(tenant, command, command.fact_id, UserAssertion(rejected=True))
        return RejectFactReply()

    async def identify(self, tenant: str, command: Identify, /) -> IdentifyReply:
        """Decide whether two names are one entity; the latest decision holds.

        A repeated request has no effect, and is answered with the current decision.
        """
        await self.ask_database()
        one, other = command.names
        try:
            same = await self.ledger.decide(
                tenant,
                command.user_id,
                (one, other),
                same=command.same,
                by="user",
                request_id=command.effect_key(tenant),
            )
        except NotTwoNames:
            reason = (
                "names must be two, and not the user: these are blank, too long, or the same but for spelling"
            )
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "names") from None
        except UnknownNames as unknown:
            reason = "; ".join(starmap(_unknown, unknown.meant.items()))
            raise RequestError(ErrorCode.NOT_FOUND, reason, "names") from None
        except NobodyKnown:
            raise RequestError(ErrorCode.NOT_FOUND, "nothing is known of this user", "user_id") from None
        except TooManyDecisions:
            reason = f"names: of {MOST_DECISIONS} pairs, what is the most, this user has decided already"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "names") from None
        self.project_soon()
        return IdentifyReply(same=same)


def _unknown(name: str, meant: Sequence[str]) -> str:
    """Return the error of an unknown name, in one line whatever the names contain."""
    reason = f'names: no person or animal is known by "{_in_a_line(name)}"'
    named = " or ".join(f'"{_in_a_line(one)}"' for one in meant)
    return f"{reason}: did you mean {named}?" if named else reason


def _in_a_line(name: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in name)
    return printable if len(printable) <= _LONGEST else f"{printable[:_LONGEST]}…"


def _ended_reason(ended: FactEnded) -> str:
    reason = "nothing that holds, or is disputed, goes by this id: what it names was superseded or put right"
    return reason if ended.instead is None else f"{reason}, and now {ended.instead} holds"
