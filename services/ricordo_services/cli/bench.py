"""`ricordo bench` and `ricordo eval`: hand over to what measures, which is loaded for nothing else."""

import importlib
from collections.abc import Collection
from typing import Annotated

import typer
from pydantic import ValidationError

from ricordo.settings import Settings
from ricordo_services.bench.names import ALL, BENCHES, EVALUATIONS
from ricordo_services.cli.configuration import first_fault, keep_logs_quiet
from ricordo_services.cli.failures import Failed, Misused

Name = Annotated[str | None, typer.Argument(metavar="NAME", help="Which one.", show_default=False)]


def bench(context: typer.Context, name: Name = None) -> None:
    """Measure speed and size on this machine."""
    _check(name, (*BENCHES, ALL))
    _hand_over("ricordo_services.bench.command", name, context)


def evaluate(context: typer.Context, name: Name = None) -> None:
    """Measure the quality of what is derived and recalled, on a data set."""
    _check(name or "", EVALUATIONS)
    _hand_over("ricordo_services.evaluation.command", name, context)


def _check(name: str | None, names: Collection[str]) -> None:
    """Refuse a name that nothing has before what has the names is loaded, which takes seconds."""
    if name is None or name in names or name.startswith("-"):  # an option, which only its owner knows
        return
    fault = f"there is no {name!r}" if name else "which one is missing"
    raise Misused(f"{fault}: choose from {', '.join(names)}")


def _hand_over(place: str, name: str | None, context: typer.Context) -> None:
    """Call the `main` of a module with the arguments behind the command; it returns the exit code."""
    keep_logs_quiet()
    try:
        code: int = importlib.import_module(place).main([*([name] if name else []), *context.args])
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        raise Failed(first_fault(error)) from None
    raise typer.Exit(code)
