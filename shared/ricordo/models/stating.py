"""Reading messages for what they state, as a port."""

from collections.abc import Sequence
from typing import Protocol

from ricordo.memory.facts import Statement
from ricordo.memory.facts.utterances import Utterance


class StatementReader(Protocol):
    """Reads what messages state: rules, or a model with the rules behind it. It always answers."""

    @property
    def wavers(self) -> bool:
        """Whether it may read a message otherwise the next time: then what it has read once stands."""
        ...

    async def read(self, utterances: Sequence[Utterance]) -> Sequence[Sequence[Statement]]:
        """Return what each of `utterances` states, in their order; nothing of one that states nothing."""
        ...
