"""`ricordo migrate|reindex|lifecycle`: schema and streams, projections, and the passes of lifecycle."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Final

import typer
from pydantic_core import PydanticCustomError

from ricordo.messages.message_types import parse_instant
from ricordo.settings import Settings
from ricordo_services.cli.command_options import (
    DataDir,
    DoneAsJson,
    OnlyTenant,
    OnlyUser,
    argument,
    flag,
    group,
    option,
)
from ricordo_services.cli.command_settings import required_stores, store_settings, tenant_of
from ricordo_services.cli.failures import FAILED, Failed, Interrupted, Misused, complain, guarded, sentence
from ricordo_services.cli.output import err_console, print_json, print_line, progress
from ricordo_services.job_progress import (
    ORDER,
    PassSummary,
    Projected,
    Reindexed,
    ReindexOrder,
    RunsElsewhere,
)


async def migrate(context: typer.Context, *, data_dir: DataDir = None, as_json: DoneAsJson = False) -> None:
    """Bring the database's schema and the streams to this version."""
    settings = store_settings(context, data_dir)
    if settings.stores.postgres_admin_dsn is None:
        raise Failed(
            "RICORDO_STORES__POSTGRES_ADMIN_DSN names no owner of the schema: it takes one to migrate it"
        )
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and wrong usage none

    done = await jobs.prepare(settings)
    if as_json:
        print_json({"done": done})
        return
    for step in done:
        print_line(step)
    if not done:
        err_console().print("nothing to do")


_OF: Final[dict[Projected, str]] = {"graph": "facts", "vectors": "memories"}
_ABOUT: Final[dict[Projected, tuple[str, ...]]] = {
    "graph": ("projection", "users", "found", "written", "removed", "seconds"),
    "vectors": ("projection", "found", "written", "seconds"),
}


async def reindex(
    context: typer.Context,
    *,
    graph: Annotated[bool, flag("--graph", "The graph of facts alone.")] = False,
    vectors: Annotated[bool, flag("--vectors", "The vector index alone.")] = False,
    user: OnlyUser = None,
    tenant: OnlyTenant = None,
    data_dir: DataDir = None,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object a line: the graph, then the vectors.")
    ] = False,
) -> None:
    """Write the graph and the vector index anew from PostgreSQL."""
    whose = tenant_of(context, tenant)
    settings = required_stores(context, data_dir)
    chosen: dict[Projected, bool] = {"graph": graph or not vectors, "vectors": vectors or not graph}
    for projection in (one for one, wanted in chosen.items() if wanted):
        order = ReindexOrder(projection=projection, tenant=whose, user_id=user)
        done = await _reindexed(settings, order, quiet=as_json)
        if as_json:
            fields = asdict(done)
            print_json({name: fields[name] for name in _ABOUT[projection]})
        else:
            print_line(_summary(done))


async def _reindexed(settings: Settings, order: ReindexOrder, *, quiet: bool) -> Reindexed:
    """Rebuild one projection and show its progress."""
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    so_far: Reindexed | None = None
    with progress(err_console(), _OF[order.projection], quiet=quiet) as show:

        def report(now: Reindexed) -> None:
            nonlocal so_far
            so_far = now
            show(now.written, now.found)

        try:
            return await jobs.run_reindex(settings, order, report)
        except asyncio.CancelledError:
            raise Interrupted(_reindex_so_far(so_far)) from None


def _summary(done: Reindexed) -> str:
    if done.projection == "vectors":
        return f"vectors: {done.written} memories handed to the index in {done.seconds:.1f} s"
    return (
        f"graph: {done.written} facts of {done.users} users written, {done.removed} that are none removed, "
        f"in {done.seconds:.1f} s"
    )


def _reindex_so_far(so_far: Reindexed | None) -> str:
    if so_far is None:
        return "nothing was changed"
    of = _OF[so_far.projection]
    return (
        f"{so_far.projection}: {so_far.written} of {so_far.found} {of}; run it again, and it does all of it"
    )


ALL: Final = "all"
_COUNTS: Final = ("examined", "changed", "archived", "created", "seconds")

app = group("Run the passes that let memories fade and keep them in order.")


@dataclass(frozen=True, slots=True)
class _Order:
    """The options of a run."""

    settings: Settings
    now: datetime | None
    user: str | None
    tenant: str | None


@app.command("run")
@guarded
async def run(
    context: typer.Context,
    name: Annotated[str, argument("PASS", f"{', '.join(ORDER)}, or {ALL} of these")],
    *,
    now: Annotated[str | None, option("--now", "INSTANT", "As if it were then, with an offset.")] = None,
    user: OnlyUser = None,
    tenant: OnlyTenant = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, flag("--json", "Print a JSON object a pass.")] = False,
) -> None:
    """Run a pass now and say what it did."""
    names = _named(name)
    order = _Order(
        now=_instant(now),
        user=user,
        tenant=tenant_of(context, tenant),
        settings=required_stores(context, data_dir),
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
    """Run one pass and show its progress."""
    from ricordo_services.app import passes  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    so_far = PassSummary(name)
    with progress(err_console(), name, quiet=quiet) as show:

        def report(now: PassSummary) -> None:
            nonlocal so_far
            so_far = now
            show(now.examined, max(now.examined, now.expected))

        try:
            return await passes.run_pass(
                order.settings, name, now=order.now, user_id=order.user, tenant=order.tenant, report=report
            )
        except asyncio.CancelledError:
            raise Interrupted(_pass_so_far(so_far)) from None


def _pass_so_far(so_far: PassSummary) -> str:
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
