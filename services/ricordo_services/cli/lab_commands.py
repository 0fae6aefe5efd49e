"""`ricordo bench` and `ricordo eval`: call the lab, which is loaded for these commands only."""

import importlib
import importlib.util
from collections.abc import Collection
from types import ModuleType

import typer
from pydantic import ValidationError

from ricordo.settings import Settings
from ricordo_services.cli.command_settings import first_fault
from ricordo_services.cli.failures import Failed, Misused


def bench(context: typer.Context, name: str | None = None) -> None:
    """Measure speed and size on this machine."""
    names = _lab("lab_names")
    _check(name, (*names.BENCHES, names.ALL))
    _hand_over("bench.bench_command", name, context)


def evaluate(context: typer.Context, name: str | None = None) -> None:
    """Measure the quality of what is derived and recalled, on a data set."""
    _check(name or "", _lab("lab_names").EVALUATIONS)
    _hand_over("evaluation.evaluation_command", name, context)


def _lab(module: str) -> ModuleType:
    """Import a module of the lab, which the wheel of the product does not contain."""
    if importlib.util.find_spec("ricordo_lab") is None:
        raise Misused(
            "benchmarks and evaluations are not installed: clone the repository and run `make setup` there"
        )
    return importlib.import_module(f"ricordo_lab.{module}")


def _check(name: str | None, names: Collection[str]) -> None:
    """Refuse an unknown name before the lab is loaded, which takes seconds."""
    if name is None or name in names or name.startswith("-"):  # an option, which the lab parses
        return
    fault = f"there is no {name!r}" if name else "which one is missing"
    raise Misused(f"{fault}: choose from {', '.join(names)}")


def _hand_over(module: str, name: str | None, context: typer.Context) -> None:
    """Call `main` of a module of the lab with the arguments behind the command, and exit with its code."""
    try:
        code: int = _lab(module).main([*([name] if name else []), *context.args])
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        raise Failed(first_fault(error)) from None
    raise typer.Exit(code)
