"""Errors of decisions on names, as the bot that asked gets them."""

from typing import cast

import pytest
from tests.support.manual_clock import ManualClock

from ricordo.messages.commands import Identify
from ricordo.messages.errors import ErrorCode
from ricordo.runtime.handling import RequestError
from ricordo.store.database import RequestConflict
from ricordo.store.entity_store import NobodyKnown, NotTwoNames, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger
from ricordo_services.knowledge.fact_commands import FactCommands


class FailingLedger:
    """Refuses every decision with one error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def decide(self, *_: object, **__: object) -> bool:
        raise self._error


async def _ready() -> None:
    return None


@pytest.mark.parametrize(
    ("error", "code", "field", "reason"),
    [
        (NotTwoNames(), ErrorCode.INVALID_REQUEST, "names", "names must be two"),
        (
            UnknownNames({"Noa\n": ["Nora", "Noah"]}),
            ErrorCode.NOT_FOUND,
            "names",
            'known by "Noa ": did you mean "Nora" or "Noah"?',
        ),
        (UnknownNames({"x" * 90: []}), ErrorCode.NOT_FOUND, "names", f'known by "{"x" * 80}…"'),
        (RequestConflict(), ErrorCode.INVALID_REQUEST, "request_id", "was already used"),
        (NobodyKnown(), ErrorCode.NOT_FOUND, "user_id", "nothing is known"),
        (TooManyDecisions(), ErrorCode.INVALID_REQUEST, "names", "what is the most"),
    ],
)
async def test_a_decision_that_is_refused_says_why(
    error: Exception, code: ErrorCode, field: str, reason: str
) -> None:
    commands = FactCommands(
        ledger=cast("FactLedger", FailingLedger(error)),
        clock=ManualClock(),
        project_soon=lambda: None,
        ask_database=_ready,
    )
    with pytest.raises(RequestError) as raised:
        await commands.identify("acme", Identify(user_id="u", names=("Noa", "Nora"), same=True))
    shown = raised.value.body.error
    assert (shown.code, shown.field) == (code, field)
    assert reason in shown.message
    assert "\n" not in shown.message
