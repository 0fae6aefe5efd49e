"""What a pass of lifecycle tells of itself: between the command, the worker and who does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

ORDER: Final = ("summarize", "reflect", "expire", "compress", "decay", "retain", "archive")
"""All passes by name, as `all` runs them: first what condenses, then what archives, last what tells of it."""


@dataclass(slots=True)
class PassSummary:
    """What a pass has done so far.

    Attributes:
        name: of the pass.
        examined: what it has looked at.
        changed: of these, what it changed.
        archived: of these, what it archived.
        created: new memories that it wrote.
        failed: items that it could not do, as the log says; it left them and went on.
        seconds: how long it took.
        expected: about how much there is to look at, in all.
    """

    name: str
    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    seconds: float = 0.0
    expected: int = 0


Report = Callable[[PassSummary], None]


def silent(_: PassSummary) -> None:
    """Tell nobody."""


class RunsElsewhere(Exception):
    """The pass is run by another process at this moment; only one at a time may."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the pass {name} runs elsewhere at this moment: let it end, and run it again")
        self.name = name
