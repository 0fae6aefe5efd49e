"""`ricordo backfill`: enriches or encodes again what an older version or another model has."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Final

import typer

from ricordo.settings import Settings
from ricordo_services.cli.command_options import DataDir, OnlyTenant, OnlyUser, flag
from ricordo_services.cli.command_settings import required_stores, tenant_of
from ricordo_services.cli.failures import FAILED, Interrupted, complain
from ricordo_services.cli.output import err_console, print_json, print_line, progress
from ricordo_services.cli.worker_reports import worker_reports
from ricordo_services.job_progress import Backfilled, BackfillOrder, Part

_DERIVED: Final[Mapping[Part, str]] = {"all": "derived", "importance": "rated", "vectors": "encoded"}
_OF: Final[Mapping[Part, str]] = {"all": "of", "importance": "rated by", "vectors": "encoded by"}


async def backfill(
    context: typer.Context,
    *,
    user: OnlyUser = None,
    tenant: OnlyTenant = None,
    only: Annotated[
        Part,
        flag(
            "--only",
            "importance: rate again how much memories matter, where older rules or another model did, "
            "and leave all else as it is. vectors: encode again what another embedding model encoded, and "
            "leave all else as it is. all: derive everything again, the importance too, but no vectors.",
        ),
    ] = "all",
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="So many memories at the most.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Say how much it is, and change nothing.")] = False,
    data_dir: DataDir = None,
    as_json: Annotated[bool, flag("--json", "Print the result as one JSON object.")] = False,
) -> None:
    """Derive again what older versions have derived, or encode again what another model has encoded."""
    whose = tenant_of(context, tenant)
    settings = required_stores(context, data_dir)
    await _require_model_of_workers(settings, only, whose)
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    so_far: Backfilled | None = None
    with progress(err_console(), _DERIVED[only], quiet=as_json) as show:

        def report(now: Backfilled) -> None:
            nonlocal so_far
            so_far = now
            show(now.examined, now.outdated)

        order = BackfillOrder(part=only, tenant=whose, user_id=user, limit=limit, dry=dry_run)
        try:
            done = await jobs.run_backfill(settings, order, report, complain)
        except asyncio.CancelledError:
            said = "nothing was changed" if dry_run else _unfinished(so_far, only)
            raise Interrupted(said) from None
    if as_json:
        print_json(_document(done, only, dry=dry_run))
    else:
        print_line(_preview(done, only) if dry_run else _summary(done, only))
    if done.left and not dry_run:
        complain(f"{done.left} memories are not {_OF[only]} {done.version} yet: {_why(done, only)}")
        raise typer.Exit(FAILED)


async def _require_model_of_workers(settings: Settings, part: Part, tenant: str | None) -> None:
    """Require the embedding model of the running workers; warn if none reports one."""
    workers = await worker_reports(settings.bus.url)
    if workers is None:  # the job itself says so
        return
    own = settings.embedding
    workers.refuse_another(own)
    if part != "vectors" or "encode" in workers.models:
        return
    complain(f"no worker that encodes answers and says by which model they work: going on by {own.model}")
    from ricordo_services.cli.store_checks import count_vectors  # noqa: PLC0415 - loads the stores' drivers

    counted = await count_vectors(settings, tenant)
    if isinstance(counted, str):
        return
    others = {model: number for model, number in counted.items() if model != own.model}
    if sum(others.values()) > counted[own.model]:
        told = ", ".join(f"{number} of {model}" for model, number in sorted(others.items()))
        complain(
            f"most memories are not of {own.model} ({told}): if the workers are to go on by another model, "
            "stop this, give it their settings (RICORDO_EMBEDDING__…), and run it again"
        )


def _document(done: Backfilled, part: Part, *, dry: bool) -> dict[str, object]:
    document = asdict(done)
    if dry:
        document = {name: document[name] for name in ("version", "outdated", "by_version", "unencoded")}
    if part != "vectors":
        del document["unencoded"]
    return document


def _preview(done: Backfilled, part: Part) -> str:
    if not done.outdated:
        return _nothing_to_do(done, part)
    found = ", ".join(f"{version or 'none'} {number}" for version, number in done.by_version.items())
    return f"{done.outdated} memories would be {_DERIVED[part]} again by {done.version} (now: {found})"


def _nothing_to_do(done: Backfilled, part: Part) -> str:
    besides = f", but {done.unencoded} that the workers have yet to encode" if done.unencoded else ""
    return f"all memories are {_OF[part]} {done.version}{besides}"


def _summary(done: Backfilled, part: Part) -> str:
    if not done.outdated:
        return _nothing_to_do(done, part)
    if part != "all":
        return (
            f"{done.raised} of {done.outdated} memories {_DERIVED[part]} again by {done.version} "
            f"in {done.seconds:.1f} s"
        )
    return f"{done.raised} of {done.outdated} memories raised to {done.version} in {done.seconds:.1f} s"


def _unfinished(so_far: Backfilled | None, part: Part) -> str:
    done = f"{so_far.examined} of {so_far.outdated} memories are {_DERIVED[part]} again; " if so_far else ""
    return f"{done}run it again, and it goes on with the rest"


def _why(done: Backfilled, part: Part) -> str:
    if part == "vectors":
        return "the model refused them, or they were changed meanwhile; run it again"
    if "+" in done.version:
        return "the model did not answer, or not in sense; run it again when it does"
    return "they were changed meanwhile; run it again"
