"""What stands before the command: `ricordo --tenant acme --no-color recall ...`."""

import os
from dataclasses import dataclass
from pathlib import Path

import typer

from ricordo_services.cli.folders import default_data_dir


@dataclass(frozen=True, slots=True)
class Globals:
    """The options of `ricordo` itself.

    Attributes:
        nats: where NATS answers.
        tenant: whose memories.
        data_dir: the data folder of the local stack.
    """

    nats: str | None = None
    tenant: str | None = None
    data_dir: Path | None = None


def remember(
    context: typer.Context, nats: str | None, data_dir: Path | None, tenant: str | None = None
) -> None:
    """Keep what was said before a command's name for the command; the nearer to it, the more it counts."""
    outer = said_before(context)
    context.obj = Globals(
        nats=outer.nats if nats is None else nats,
        tenant=outer.tenant if tenant is None else tenant,
        data_dir=outer.data_dir if data_dir is None else data_dir,
    )


def said_before(context: typer.Context) -> Globals:
    """Return what was said before the command's name."""
    return context.find_object(Globals) or Globals()


def folder_of(context: typer.Context, data_dir: Path | None) -> Path:
    """Return the data folder that is meant: named behind the command, before it, or nowhere."""
    return data_dir or said_before(context).data_dir or default_data_dir()


def forbid_color() -> None:
    """Print without colours from now on: what prints looks at the same variable that a user may set."""
    os.environ["NO_COLOR"] = "1"
