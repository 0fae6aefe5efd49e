"""`ricordo lifecycle run`: the passes that let memories fade and keep them in order."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Final

import typer
from pydantic_core import PydanticCustomError

from ricordo.messages.base import parse_instant
from ricordo.settings import Settings
from ricordo_services.cli.failures import FAILED, Interrupted, Misused, complain, guarded, sentence
from ricordo_services.cli.groups import group
from ricordo_services.cli.options import DataDir, OnlyTenant, OnlyUser
from ricordo_services.cli.output import margin, print_json, print_line
from ricordo_services.cli.progress import progress
from ricordo_services.cli.stores import named_stores, tenant_of
from ricordo_services.progress import ORDER, PassSummary, RunsElsewhere

ALL: Final = "all"
_COUNTS: Final = ("examined", "changed", "archived", "created", "seconds")

app = group("Run the passes that let memories fade and keep them in order.")


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be passed over, and as of when."""

    settings: Settings
    now: datetime | None
    user: str | None
    tenant: str | None


@app.command("run")
@guarded
async def run(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="PASS",
            help=f"{', '.join(ORDER)}, or {ALL} of these",
            show_default=False,
        ),
    ],
    *,
    now: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="As if it were then, with an offset.", show_default=False),
    ] = None,
    user: OnlyUser = None,
    tenant: OnlyTenant = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a pass.")] = False,
) -> None:
    """Run a pass now and say what it did."""
    names = _named(name)
    order = _Order(
        now=_instant(now),
        user=user,
        tenant=tenant_of(context, tenant),
        settings=named_stores(context, data_dir),
    )
    incomplete = False
    for one in names:
        try:
            summary = await _made(order, one, quiet=as_json)
        except RunsElsewhere as error:
            complain(sentence(error))
            incomplete = True
        else:
            _show(summary, as_json=as_json)
            incomplete = incomplete or summary.failed > 0
    if incomplete:
        raise typer.Exit(FAILED)


def _named(name: str) -> tuple[str, ...]:
    if name not in (*ORDER, ALL):
        raise Misused(f"there is no pass {name}: choose from {', '.join((*ORDER, ALL))}")
    return ORDER if name == ALL else (name,)


async def _made(order: _Order, name: str, *, quiet: bool) -> PassSummary:
    """Make one pass, and show how far it is.

    Raises:
        Interrupted: it was stopped; says how far it came.
        RunsElsewhere: another process makes it.
    """
    from ricordo_services.app import passes  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    so_far = PassSummary(name)
    with progress(margin(), name, quiet=quiet) as show:

        def report(now: PassSummary) -> None:
            nonlocal so_far
            so_far = now
            show(now.examined, max(now.examined, now.expected))

        try:
            return await passes.run_pass(
                order.settings, name, now=order.now, user_id=order.user, tenant=order.tenant, report=report
            )
        except asyncio.CancelledError:
            raise Interrupted(_unfinished(so_far)) from None


def _unfinished(so_far: PassSummary) -> str:
    done = f"{so_far.changed} changed of {so_far.examined} examined"
    return f"{so_far.name}: {done}; run it again, and it does the rest"


def _show(summary: PassSummary, *, as_json: bool) -> None:
    fields = asdict(summary)
    counts = {"pass": summary.name, **{name: fields[name] for name in _COUNTS}}
    if as_json:
        print_json(counts)
    else:
        failed = {"failed": summary.failed} if summary.failed else {}
        print_line("  ".join(f"{key} {_short(value)}" for key, value in {**counts, **failed}.items()))


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _instant(now: str | None) -> datetime | None:
    if now is None:
        return None
    try:
        return parse_instant(now)
    except PydanticCustomError as error:
        raise Misused(f"--now {error.message()}") from None
