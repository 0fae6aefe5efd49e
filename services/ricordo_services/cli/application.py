"""Builds the command line. A command is imported only when it is called, so that `ricordo --help` is fast."""

import importlib
import inspect
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ricordo_services.cli.failures import DONE, discard_stream, guarded, program, replace_unencodable

if TYPE_CHECKING:
    from ricordo_services.cli.client_calls import Call

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}
_TYPES: Final = {
    "text": str | None,
    "texts": list[str] | None,
    "path": Path | None,
    "flag": bool,
    "integer": int,
    "number": float | None,
}
"""The types of options that `commands.toml` declares by itself."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command, or a group of commands."""

    name: str
    place: str = ""  # module and function; empty for a group
    summary: str = ""
    details: str = ""
    examples: tuple[str, ...] = ()
    # The options of a `Call` that it takes.
    common: tuple[str, ...] = ("nats", "tenant", "data_dir", "as_json")
    # How parameters are declared, by their names, where they differ from `SHARED`.
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    passes_arguments: bool = False  # takes any option: what it hands over to knows them, and has their help
    commands: tuple["CommandEntry", ...] = ()

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> "CommandEntry":
        """Read a table of `commands.toml`."""
        lists = {name: tuple(table[name]) for name in ("examples", "common") if name in table}
        return cls(**{**table, **lists, "commands": tuple(map(cls.read, table.get("commands", ())))})

    @property
    def settings(self) -> dict[str, object]:
        """The settings of the command's context."""
        if not self.passes_arguments:
            return {}
        return {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @property
    def help(self) -> str:
        """The text of the command's help page."""
        # \b keeps the lines of a paragraph as they are.
        examples = "\n".join(("\b", "Examples:", *(f"  {line}" for line in self.examples)))
        examples = examples.replace("ricordo ", f"{program()} ")
        return "\n\n".join(filter(None, (self.summary, self.details, examples if self.examples else "")))


_COMMANDS: Final = tomllib.loads((resources.files(__package__) / "commands.toml").read_text(encoding="utf-8"))
SHARED: Final[Mapping[str, Mapping[str, Any]]] = _COMMANDS["options"]
"""The options of several commands, by parameter."""
PROGRAM: Final = CommandEntry.read(_COMMANDS["program"])
"""`ricordo` itself: the options before a command's name."""
ENTRIES: Final = tuple(map(CommandEntry.read, _COMMANDS["command"]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line, and return the exit code: 0 done, 1 failed, 2 usage."""
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
        help=PROGRAM.summary.replace(" ricordo ", f" {program()} "),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_typed(PROGRAM, _program))
    for entry in ENTRIES:
        if entry.name not in arguments:
            app.command(entry.name, short_help=entry.summary)(_not_loaded)
        elif entry.commands:
            group = typer.Typer(rich_markup_mode=None)
            group.callback()(_typed(entry, _group))
            for each in entry.commands:
                _add(group, each)
            app.add_typer(group, name=entry.name, help=entry.help, no_args_is_help=True)
        else:
            _add(app, entry)
    return app


def _add(app: typer.Typer, entry: CommandEntry) -> None:
    module, _, name = entry.place.partition(":")
    command = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    app.command(entry.name, help=entry.help, short_help=entry.summary, context_settings=entry.settings)(
        _typed(entry, guarded(command))
    )


def _typed(entry: CommandEntry, command: Callable[..., object]) -> Callable[..., object]:
    """Return `command` as Typer calls it: with the options of its entry, those in common as a `Call`."""
    own = inspect.signature(command).parameters
    common = entry.common if "call" in own else ()

    def call(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - the options of any command
        if values.pop("no_color"):
            os.environ["NO_COLOR"] = "1"
        named = {name: values.pop(name) for name in common}
        if "call" in own:
            from ricordo_services.cli.client_calls import Call  # noqa: PLC0415 - slow to load, and help needs none

            outer = context.find_object(Call) or Call()
            values["call"] = replace(
                outer, **{name: value for name, value in named.items() if value is not None}
            )
        if "context" in own:
            values["context"] = context
        command(**values)

    parameters = [inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    last = (*common, "no_color")
    for name, parameter in own.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:  # which stands for what `commands.toml` types
            others = (each for each in entry.options if each not in own and each not in last)
            parameters += [_parameter(entry, each) for each in others]
        elif name not in ("call", "context"):
            parameters.append(_parameter(entry, name, parameter))
    parameters += [_parameter(entry, name) for name in last]
    # Where `inspect.signature` looks, and so Typer.
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _parameter(entry: CommandEntry, name: str, own: inspect.Parameter | None = None) -> inspect.Parameter:
    """Return a parameter with its declaration: positional ones are arguments, all others are options."""
    settings = {**SHARED.get(name, {}), **entry.options.get(name, {})}
    if own is not None and not settings:  # it declares itself
        return own.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    flags = settings.pop("flags", f"--{name.strip('_').replace('_', '-')}").split()
    kind, default = _TYPES[settings.pop("type", "text")], settings.pop("default", None)
    if own is not None:
        kind, default = own.annotation, own.default
    elif kind is bool:
        default = bool(default)
    positional = own is not None and own.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    declared = typer.Argument(**settings) if positional else typer.Option(*flags, **settings)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared]
    )


def _not_loaded() -> None:
    raise AssertionError("a command is loaded when the arguments name it")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load, seldom wanted

        print(f"ricordo {version('ricordo')}")
        raise typer.Exit


def _group(context: typer.Context, call: "Call") -> None:
    context.obj = call


def _program(
    context: typer.Context,
    call: "Call",
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    context.obj = call
