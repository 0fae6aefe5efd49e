"""Commands that have their name already, and their work in a later version."""

from typing import Annotated

import typer

from ricordo_services.cli.failures import Failed

Anything = Annotated[list[str] | None, typer.Argument(metavar="...", hidden=True)]


class NotYet(Failed):
    """A later version brings this."""

    def __init__(self, command: str, release: str, instead: str = "") -> None:
        super().__init__(
            f"`{command}` comes with version {release}{'; until then ' if instead else ''}{instead}"
        )


def auth(_: Anything = None) -> None:
    """Make the credentials of bots and workers."""
    raise NotYet("ricordo auth", "0.7", "the local stack draws its own passwords")
