"""`ricordo bench`: hands over to the benchmarks, which are loaded for nothing else."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Annotated, Final, cast

import typer

from ricordo_services.cli.failures import Failed

PLACE: Final = "ricordo_services.bench.command"
"""The module whose `main` takes the arguments behind `bench` and returns an exit code."""


def bench(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which one; all without.", show_default=False)
    ] = None,
) -> None:
    """Measure speed and size on this machine."""
    if importlib.util.find_spec(PLACE) is None:
        raise Failed("this installation holds no benchmarks")
    main = cast(Callable[[Sequence[str]], int], importlib.import_module(PLACE).main)
    raise typer.Exit(main([*([name] if name else []), *context.args]))
