"""Builds the command line. A command is imported only when it is called, so that `ricordo --help` is fast."""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from ricordo_services.cli.failures import DONE, discard_stream, guarded, program, replace_unencodable
from ricordo_services.cli.options import EVERY_OPTION, Offered, ServerOptions, flag, given, offered

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}
_PASS_ON: Final = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

_LISTED: Final = (
    ("up_command", "up"),
    ("demo_command", "demo"),
    ("album_command", "album"),
    ("up_command", "worker"),
    ("access_commands", "mcp tools"),
    ("maintenance_commands", "migrate"),
    ("publish_command", "publish"),
    ("query_commands", "recall context answer history timeline expand"),
    ("browsing_commands", "memory memories entities graph users"),
    ("curation_commands", "end-session"),
    ("query_commands", "facts"),
    ("curation_commands", "verify correct reject pin edit feedback identify"),
    ("query_commands", "working"),
    ("curation_commands", "note"),
    ("query_commands", "status stats"),
    ("doctor_command", "doctor"),
    ("dead_letter_commands", "dlq"),
    ("access_commands", "key"),
    ("offline_commands", "analyze enrich extract"),
    ("maintenance_commands", "lifecycle bench eval reindex backfill"),
    ("backup_commands", "backup restore forgotten"),
    ("export_command", "export"),
    ("import_command", "import"),
    ("forget_command", "forget"),
    ("access_commands", "auth"),
)
COMMANDS: Final = {name: module for module, names in _LISTED for name in names.split()}
"""The module of each command, in the order of `ricordo --help`."""
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "dlq": ("list", "show", "replay", "discard"),
    "key": ("create", "list", "revoke"),
    "lifecycle": ("run",),
    "forgotten": ("save", "apply"),
    "auth": ("server", "add-bot", "rotate", "remove"),
}
"""Commands that have commands, in the same module."""


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
        help=(ricordo.__doc__ or "").replace(" ricordo ", f" {program()} "),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(typed(ricordo))
    # Only the list of all commands says more of those that are not named.
    first_lines = summaries() if not arguments or arguments[0].startswith("-") else {}
    for name, module in COMMANDS.items():
        if name in arguments:
            _load(app, name, importlib.import_module(f"{__package__}.{module}"))
        else:
            app.command(name, short_help=first_lines.get(name))(_not_loaded)
    return app


def summaries() -> dict[str, str]:
    """Return the first line of each command, read from the sources: importing all of them takes seconds."""
    found = {}
    for name, module in COMMANDS.items():
        source = _source(module)
        begin = re.search(rf"^(?:async )?def {name.replace('-', '_')}_?\(", source, re.MULTILINE)
        documented = source[begin.end() if begin else 0 :]
        found[name] = documented.split('"""', 2)[1].partition("\n")[0]
    return found


@cache
def _source(module: str) -> str:
    return Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


def _load(app: typer.Typer, name: str, module: ModuleType) -> None:
    if name not in GROUPS:
        _add(app, name, module)
        return
    command = _function(module, name)
    group = typer.Typer(rich_markup_mode=None)
    group.callback()(typed(command))
    for part in GROUPS[name]:
        _add(group, part, module)
    app.add_typer(group, name=name, help=page(command), no_args_is_help=True)


def _add(app: typer.Typer, name: str, module: ModuleType) -> None:
    command = _function(module, name)
    # A command that takes the context hands other options over to what knows them, and has their help.
    settings = _PASS_ON if "context" in inspect.signature(command).parameters else {}
    text = page(command)
    first = text.partition("\n\n")[0]
    app.command(name, help=text, short_help=first, context_settings=settings)(typed(command))


def _function(module: ModuleType, name: str) -> Callable[..., object]:
    """Return the function of a command; one that Python has a word for ends with an underscore."""
    plain = name.replace("-", "_")
    function: Callable[..., object] = getattr(module, f"{plain}_", None) or getattr(module, plain)
    return function


def page(command: Callable[..., object]) -> str:
    """Return the text of a command's help: its docstring, with paragraphs of indented lines kept as they are.

    In these, the program is named as it can be typed here.
    """

    def kept(paragraph: str) -> str:
        return "\b\n" + paragraph.replace("\n    ", "\n  ").replace("ricordo ", f"{program()} ")

    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(kept(each) if "\n    " in each else each for each in paragraphs)


def typed(command: Callable[..., object]) -> Callable[..., None]:
    """Return `command` as Typer calls it: a dataclass among its parameters stands for options, its fields.

    Those of `call` come last, as many commands share them, and count before the command's name, too.
    """
    own = inspect.signature(command).parameters
    parameters = [_parameter("context", typer.Context)]
    groups: dict[str, tuple[type, list[inspect.Parameter]]] = {}
    for name in sorted(filter("context".__ne__, own), key="call".__eq__):
        kind, *notes = get_args(own[name].annotation) or (own[name].annotation,)
        if is_dataclass(kind) and isinstance(kind, type):
            groups[name] = kind, list(_options(kind, *notes))
            parameters += groups[name][1]
        else:
            parameters.append(_parameter(name, own[name].annotation, own[name].default))
    parameters.append(
        _parameter("no_color", Annotated[bool, flag("--no-color", "Print without colours.")], False)
    )

    @guarded
    def run(**values: Any) -> object:  # noqa: ANN401 - the options of any command
        return command(**{name: value() if name in groups else value for name, value in values.items()})

    def call(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - likewise
        if values.pop("no_color"):
            os.environ["NO_COLOR"] = "1"
        if "context" in own:
            values["context"] = context
        for name, (kind, options) in groups.items():
            chosen = {option.name: values.pop(option.name) for option in options}
            if issubclass(kind, ServerOptions):
                context.obj = chosen = (context.obj or {}) | given(chosen)
            values[name] = partial(kind, **chosen)
        run(**values)

    # Where `inspect.signature` looks, and so Typer.
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _options(group: type[Any], note: Offered = EVERY_OPTION) -> Iterator[inspect.Parameter]:
    """Yield the fields of a dataclass that are offered, as parameters, with the help that is noted."""
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if field.name in (note.names or hints):
            kind, declared = get_args(hints[field.name])
            declared = copy(declared)
            declared.help = note.texts.get(field.name, declared.help)
            yield _parameter(field.name, Annotated[kind, declared], field.default)


def _parameter(name: str, annotation: object, default: object = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _not_loaded() -> None:
    raise AssertionError("a command is loaded when the arguments name it")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow to load, seldom wanted

        print(f"ricordo {version('ricordo')}")
        raise typer.Exit


def ricordo(
    servers: Annotated[
        ServerOptions,
        offered(nats="URL of NATS.", tenant="Tenant.", data_dir="The data folder of the local stack."),
    ],
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """A memory for bots and assistants that remembers the way people do.

    Begin with  ricordo demo  to see it at work, or  ricordo up  to run it on this machine. Commands that
    call a running Ricordo find it by --nats, then RICORDO_NATS_URL, then the stack that `up` runs.
    """
