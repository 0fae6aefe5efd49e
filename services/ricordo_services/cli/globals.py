"""What stands before the command: `ricordo --tenant acme --no-color recall ...`."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Globals:
    """The options of `ricordo` itself.

    Attributes:
        nats: where NATS answers.
        tenant: whose memories.
    """

    nats: str | None = None
    tenant: str | None = None


def forbid_color() -> None:
    """Print without colours from now on: what prints looks at the same variable that a user may set."""
    os.environ["NO_COLOR"] = "1"
