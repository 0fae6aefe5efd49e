"""Options that several commands share, before a command (`ricordo --tenant acme recall`) and behind it."""

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ParamSpec

import typer


def default_data_dir() -> Path:
    """Return `ricordo` in the user's data folder: `$XDG_DATA_HOME`, else `~/.local/share`."""
    named = os.environ.get("XDG_DATA_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"  # noqa: PTH117 - "" is no path
    return base / "ricordo"


Nats = Annotated[
    str | None,
    typer.Option(
        "--nats",
        metavar="URL",
        help="URL of NATS. Default: RICORDO_NATS_URL, then the stack of the data folder.",
        show_default=False,
    ),
]
Tenant = Annotated[
    str | None,
    typer.Option("--tenant", metavar="NAME", help='Tenant. Default: "default".', show_default=False),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="Data folder of the local stack. Default: `ricordo` in your own data folder.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the reply as it came over the wire, as one line.")]
User = Annotated[str, typer.Option("--user", "-u", metavar="ID", help="Id of the user.", show_default=False)]
OnlyUser = Annotated[
    str | None,
    typer.Option("--user", "-u", metavar="ID", help="This user only.", show_default=False),
]
OnlyTenant = Annotated[
    str | None,
    typer.Option("--tenant", metavar="NAME", help="This tenant only. Default: all.", show_default=False),
]
Conversation = Annotated[
    str | None,
    typer.Option("--conversation", metavar="ID", help="This conversation only.", show_default=False),
]
ShownZone = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="Show times in this zone, such as Europe/Rome. Default: the zone of this machine.",
        show_default=False,
    ),
]
Workers = Annotated[
    str | None,
    typer.Option("--workers", metavar="A,B", help="Run these workers only.", show_default=False),
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="Idempotency key: repeating the command with the same one changes nothing.",
        show_default=False,
    ),
]
DoneAsJson = Annotated[bool, typer.Option("--json", help="Print what was done as a JSON object.")]
Ids = Annotated[bool, typer.Option("--ids", help="Show ids, which other commands take.")]


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
    """Return an empty group of commands, which has the global options too.

    Args:
        summary: a line for its help page.
    """
    app = typer.Typer(rich_markup_mode=None)

    def heed(
        context: typer.Context, nats: Nats = None, data_dir: DataDir = None, no_color: NoColor = False
    ) -> None:
        set_global_options(context, nats, data_dir)
        if no_color:
            forbid_color()

    app.callback(help=summary)(heed)
    return app
