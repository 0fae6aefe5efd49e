"""What stands before a command: `ricordo --tenant acme --no-color recall`; of colours, behind it too."""

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ParamSpec

import typer

from ricordo_services.cli.folders import default_data_dir

P = ParamSpec("P")

NoColor = Annotated[bool, typer.Option("--no-color", help="Print without colours.")]


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


def with_no_color(command: Callable[P, None]) -> Callable[P, None]:
    """Return `command` with one more option, `--no-color`, of which it need not know."""

    @functools.wraps(command)
    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        if kwargs.pop("no_color", False):
            forbid_color()
        command(*args, **kwargs)

    own = inspect.signature(command)
    option = inspect.Parameter("no_color", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=NoColor)
    parameters = [*own.parameters.values(), option]
    # Where `inspect.signature` looks, and so Typer.
    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call
