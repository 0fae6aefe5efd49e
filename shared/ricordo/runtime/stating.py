"""Who reads messages for what they state: the rules, which need nobody."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.domain.facts import Statement, extract
from ricordo.ports.facts import Utterance
from ricordo.runtime.beside import Beside


class RulesStatementReader:
    """A `StatementReader` that is never away.

    Args:
        beside: where texts are read.
    """

    wavers: Final = False

    def __init__(self, beside: Beside) -> None:
        self._beside = beside

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Read each of `utterances` by rules; see `StatementReader.read`."""
        return await self._beside.each(by_rules, utterances)


def by_rules(utterance: Utterance) -> tuple[Statement, ...]:
    """Return what the rules find that `utterance` states."""
    return extract(
        utterance.content,
        language=utterance.language,
        speaker=utterance.speaker,
        role=utterance.role,
        at=utterance.said_at,
        timezone=ZoneInfo(utterance.timezone),
    )
