"""Options that several commands share, before a command (`ricordo --tenant acme recall`) and behind it."""

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ParamSpec

import typer
from typer.models import ArgumentInfo, OptionInfo


def default_data_dir() -> Path:
    """Return `ricordo` in the user's data folder: `$XDG_DATA_HOME`, else `~/.local/share`."""
    named = os.environ.get("XDG_DATA_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"  # noqa: PTH117 - "" is no path
    return base / "ricordo"


def option(names: str, metavar: str, text: str) -> OptionInfo:
    """Return an option with a value; `names` are separated by blanks."""
    found: OptionInfo = typer.Option(*names.split(), metavar=metavar, help=text)
    return found


def flag(names: str, text: str) -> OptionInfo:
    """Return an option without a value."""
    found: OptionInfo = typer.Option(*names.split(), help=text)
    return found


def argument(metavar: str, text: str) -> ArgumentInfo:
    """Return a positional argument."""
    found: ArgumentInfo = typer.Argument(metavar=metavar, help=text)
    return found


Nats = Annotated[
    str | None,
    option("--nats", "URL", "URL of NATS. Default: RICORDO_NATS_URL, then the stack of the data folder."),
]
Tenant = Annotated[str | None, option("--tenant", "NAME", 'Tenant. Default: "default".')]
DataDir = Annotated[
    Path | None,
    option(
        "--data-dir", "DIR", "Data folder of the local stack. Default: `ricordo` in your own data folder."
    ),
]
Json = Annotated[bool, flag("--json", "Print the reply as it came over the wire, as one line.")]
User = Annotated[str, option("--user -u", "ID", "Id of the user.")]
OnlyUser = Annotated[str | None, option("--user -u", "ID", "This user only.")]
OnlyTenant = Annotated[str | None, option("--tenant", "NAME", "This tenant only. Default: all.")]
Conversation = Annotated[str | None, option("--conversation", "ID", "This conversation only.")]
ShownZone = Annotated[
    str | None,
    option(
        "--timezone",
        "ZONE",
        "Show times in this zone, such as Europe/Rome. Default: the zone of this machine.",
    ),
]
Workers = Annotated[str | None, option("--workers", "A,B", "Run these workers only.")]
RequestId = Annotated[
    str | None,
    option("--request-id", "ID", "Idempotency key: repeating the command with the same one changes nothing."),
]
DoneAsJson = Annotated[bool, flag("--json", "Print what was done as a JSON object.")]
Ids = Annotated[bool, flag("--ids", "Show ids, which other commands take.")]


P = ParamSpec("P")

NoColor = Annotated[bool, flag("--no-color", "Print without colours.")]


@dataclass(frozen=True, slots=True)
class Globals:
    """The options of `ricordo` itself."""

    nats: str | None = None
    tenant: str | None = None
    data_dir: Path | None = None


def set_global_options(
    context: typer.Context, nats: str | None, data_dir: Path | None, tenant: str | None = None
) -> None:
    """Store the options before a command's name; those of an inner group override the outer."""
    outer = global_options(context)
    context.obj = Globals(
        nats=outer.nats if nats is None else nats,
        tenant=outer.tenant if tenant is None else tenant,
        data_dir=outer.data_dir if data_dir is None else data_dir,
    )


def global_options(context: typer.Context) -> Globals:
    """Return the options before the command's name."""
    return context.find_object(Globals) or Globals()


def folder_of(context: typer.Context, data_dir: Path | None) -> Path:
    """Return the data folder: the option of the command, the global one, or the default."""
    return data_dir or global_options(context).data_dir or default_data_dir()


def forbid_color() -> None:
    """Print without colours from now on, by setting NO_COLOR."""
    os.environ["NO_COLOR"] = "1"


def with_no_color(command: Callable[P, None]) -> Callable[P, None]:
    """Add the option `--no-color` to `command`."""

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


def group(summary: str) -> typer.Typer:
    """Return an empty group of commands, which has the global options too."""
    app = typer.Typer(rich_markup_mode=None)

    def heed(
        context: typer.Context, nats: Nats = None, data_dir: DataDir = None, no_color: NoColor = False
    ) -> None:
        set_global_options(context, nats, data_dir)
        if no_color:
            forbid_color()

    app.callback(help=summary)(heed)
    return app
