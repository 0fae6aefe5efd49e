"""`ricordo reindex`: the graph and the vector index are written anew from PostgreSQL."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Final

import typer

from ricordo.settings import Settings
from ricordo_services.cli.failures import Interrupted
from ricordo_services.cli.options import DataDir, OnlyTenant, OnlyUser
from ricordo_services.cli.output import margin, print_json, print_line
from ricordo_services.cli.progress import progress
from ricordo_services.cli.stores import named_stores, tenant_of
from ricordo_services.progress import Projected, Reindexed, ReindexOrder

_OF: Final[dict[Projected, str]] = {"graph": "facts", "vectors": "memories"}
_ABOUT: Final[dict[Projected, tuple[str, ...]]] = {
    "graph": ("projection", "users", "found", "written", "removed", "seconds"),
    "vectors": ("projection", "found", "written", "seconds"),
}


async def reindex(
    context: typer.Context,
    *,
    graph: Annotated[bool, typer.Option("--graph", help="The graph of facts alone.")] = False,
    vectors: Annotated[bool, typer.Option("--vectors", help="The vector index alone.")] = False,
    user: OnlyUser = None,
    tenant: OnlyTenant = None,
    data_dir: DataDir = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line: the graph, then the vectors.")
    ] = False,
) -> None:
    """Write the graph and the vector index anew from PostgreSQL."""
    whose = tenant_of(context, tenant)
    settings = named_stores(context, data_dir)
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
    """Write one projection, and show how far it is.

    Raises:
        Interrupted: it was stopped; says how far it came.
    """
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    so_far: Reindexed | None = None
    with progress(margin(), _OF[order.projection], quiet=quiet) as show:

        def report(now: Reindexed) -> None:
            nonlocal so_far
            so_far = now
            show(now.written, now.found)

        try:
            return await jobs.run_reindex(settings, order, report)
        except asyncio.CancelledError:
            raise Interrupted(_unfinished(so_far)) from None


def _summary(done: Reindexed) -> str:
    if done.projection == "vectors":
        return f"vectors: {done.written} memories handed to the index in {done.seconds:.1f} s"
    return (
        f"graph: {done.written} facts of {done.users} users written, {done.removed} that are none removed, "
        f"in {done.seconds:.1f} s"
    )


def _unfinished(so_far: Reindexed | None) -> str:
    if so_far is None:
        return "nothing was changed"
    of = _OF[so_far.projection]
    return (
        f"{so_far.projection}: {so_far.written} of {so_far.found} {of}; run it again, and it does all of it"
    )
