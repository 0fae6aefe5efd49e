"""Builds the command line. A command is imported only when it is called, so that `ricordo --help` is fast."""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from ricordo_services.cli import catalogue
from ricordo_services.cli.catalogue import CommandEntry
from ricordo_services.cli.command_options import NoColor, forbid_color, option, set_global_options
from ricordo_services.cli.failures import DONE, discard_stream, guarded, program, replace_unencodable

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    code = DONE
    replace_unencodable()
    try:
        application(arguments)(args=list(arguments), prog_name=program())
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else DONE
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stream(sys.stdout)
    return code


def application(arguments: Sequence[str]) -> typer.Typer:
    """Build the command line; only the commands that `arguments` name are imported."""
    app = typer.Typer(
        add_completion=False,
        context_settings=dict(_HELP_OPTIONS),
        help=catalogue.HELP.replace(" ricordo ", f" {program()} "),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_globals)
    for entry in catalogue.ENTRIES:
        if entry.name in arguments:
            _add(app, entry)
        else:
            app.command(entry.name, short_help=entry.summary)(_not_loaded)
    return app


def _add(app: typer.Typer, entry: CommandEntry) -> None:
    module, _, name = entry.place.partition(":")
    found: object = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=entry.name, help=entry.help, no_args_is_help=True)
    elif callable(found):
        app.command(
            entry.name, help=entry.help, short_help=entry.summary, context_settings=dict(entry.settings)
        )(guarded(found))


def _not_loaded() -> None:
    raise AssertionError("a command is loaded when the arguments name it")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load, seldom wanted

        print(f"ricordo {version('ricordo')}")
        raise typer.Exit


def _globals(
    context: typer.Context,
    nats: Annotated[str | None, option("--nats", "URL", "URL of NATS.")] = None,
    tenant: Annotated[str | None, option("--tenant", "NAME", "Tenant.")] = None,
    data_dir: Annotated[
        Path | None, option("--data-dir", "DIR", "The data folder of the local stack.")
    ] = None,
    no_color: NoColor = False,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    set_global_options(context, nats, data_dir, tenant)
    if no_color:
        forbid_color()
