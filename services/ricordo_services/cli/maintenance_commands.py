"""`ricordo migrate|reindex|backfill|lifecycle|bench|eval`: what an administrator runs beside the workers."""

import asyncio
import importlib
import importlib.util
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import asdict
from functools import partial
from types import ModuleType
from typing import Annotated, Final, TypeVar

import typer
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from ricordo.messages.message_types import parse_instant
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call, FolderJsonCall
from ricordo_services.cli.command_settings import first_fault, owner_dsn, required_stores, store_settings
from ricordo_services.cli.failures import FAILED, Failed, Interrupted, Misused, complain, sentence
from ricordo_services.cli.options import OnlyUser, ServerOptions, argument, flag, offered, option
from ricordo_services.cli.output import progress
from ricordo_services.cli.worker_reports import worker_reports
from ricordo_services.job_progress import (
    ORDER,
    BackfillOrder,
    BackfillProgress,
    Part,
    PassSummary,
    Projected,
    ReindexOrder,
    ReindexProgress,
    RunsElsewhere,
)

ALL: Final = "all"
_TENANT: Final = "This tenant only. Default: all."
_REINDEXED: Final[Mapping[Projected, str]] = {"graph": "facts", "vectors": "memories"}
_DERIVED: Final[Mapping[Part, str]] = {"all": "derived", "importance": "rated", "vectors": "encoded"}

P = TypeVar("P", BackfillProgress, ReindexProgress, PassSummary)


async def _with_progress(
    what: str,  # is counted
    work: Callable[..., Awaitable[P]],
    counts: Callable[[P], tuple[int, int]],  # what is done, and what there is in all
    *,
    quiet: bool,
) -> P:
    """Run `work` and show its progress; an interruption tells it, too."""
    so_far = ""
    with progress(what, quiet=quiet) as show:

        def report(now: P) -> None:
            nonlocal so_far
            done, total = counts(now)
            so_far = f"{done} of {total} {what}; "
            show(done, total)

        try:
            return await work(report=report)
        except asyncio.CancelledError:
            raise Interrupted(f"{so_far}run it again to finish") from None


async def migrate(call: FolderJsonCall) -> None:
    """Upgrade the database schema and the streams to this version.

    `up` does this by itself; in a cluster it runs once before the workers, with the owner of the schema
    in RICORDO_STORES__POSTGRES_ADMIN_DSN.

    Examples:
        ricordo migrate
    """
    settings = store_settings(call)
    owner_dsn(settings)
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and wrong usage none

    done = await jobs.prepare(settings)
    call.print_result({"done": done}, "\n".join(done) or "nothing to do")


async def reindex(
    call: Annotated[Call, offered("data_dir", tenant=_TENANT, as_json="Print one JSON object per line.")],
    *,
    graph: Annotated[bool, flag("--graph", "Only the graph of facts.")] = False,
    vectors: Annotated[bool, flag("--vectors", "Only the vector index.")] = False,
    user: OnlyUser = None,
) -> None:
    """Rebuild the graph and the vector index from PostgreSQL.

    Use it if one of them was lost or damaged, or is older or newer than PostgreSQL. It works while the
    workers run, and can be stopped and run again at any time. Facts of the graph that are not in
    PostgreSQL are removed; nothing is encoded again.

    Examples:
        ricordo reindex
        ricordo reindex --graph
        ricordo reindex --vectors --user davide
    """
    tenant, settings = call.only_tenant, required_stores(call)
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    chosen: dict[Projected, bool] = {"graph": graph or not vectors, "vectors": vectors or not graph}
    for projection in (name for name, wanted in chosen.items() if wanted):
        order = ReindexOrder(projection=projection, tenant=tenant, user_id=user)
        done = await _with_progress(
            _REINDEXED[projection],
            partial(jobs.run_reindex, settings, order),
            lambda now: (now.written, now.found),
            quiet=call.as_json,
        )
        document, written = asdict(done), f"{done.written} facts of {done.users} users written"
        if projection == "vectors":
            del document["users"]
            written = f"{done.written} memories handed to the index"
        call.print_result(document, f"{projection}: {written} in {done.seconds:.1f} s")


async def backfill(
    call: Annotated[Call, offered("data_dir", tenant=_TENANT, as_json="Print one JSON object.")],
    *,
    user: OnlyUser = None,
    only: Annotated[
        Part,
        typer.Option(
            help="importance: what older rules or another model rated. vectors: what another model encoded. "
            "all: everything, the importance too, but no vectors."
        ),
    ] = "all",
    limit: Annotated[int | None, option("N", "Maximum number.", min=1, show_default=False)] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Count what is affected, and change nothing.")] = False,
) -> None:
    """Derive again what an older version derived, or encode again what another model encoded.

    It works while the workers run, and can be stopped at any time: the next run continues. Values that a
    bot set and the effects of use are kept. With a language model (RICORDO_LLM__URL) it also derives
    again what was derived without one.

    Examples:
        ricordo backfill --dry-run
        ricordo backfill
        ricordo backfill --user davide --only importance --limit 1000
        ricordo backfill --only vectors
    """
    tenant, settings = call.only_tenant, required_stores(call)
    await _require_model_of_workers(settings, only, tenant)
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    order = BackfillOrder(part=only, tenant=tenant, user_id=user, limit=limit, dry=dry_run)
    done = await _with_progress(
        _DERIVED[only],
        partial(jobs.run_backfill, settings, order, notify=complain),
        lambda now: (now.examined, now.outdated),
        quiet=call.as_json,
    )
    shown = ("version", "outdated", "by_version", "unencoded") if dry_run else asdict(done)
    left_out = () if only == "vectors" else ("unencoded",)
    document = {name: getattr(done, name) for name in shown if name not in left_out}
    call.print_result(document, _backfill_summary(done, only, dry_run=dry_run))
    if done.left and not dry_run:
        why = "they were changed meanwhile; run it again"
        if only == "vectors":
            why = "the model refused them, or they were changed meanwhile; run it again"
        elif "+" in done.version:
            why = "the model did not answer, or not in sense; run it again when it does"
        complain(f"{done.left} memories are not {_DERIVED[only]} by {done.version} yet: {why}")
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
    others = {model: number for model, number in sorted(counted.models.items()) if model != own.model}
    if sum(others.values()) > counted.models[own.model]:
        models = ", ".join(f"{number} of {model}" for model, number in others.items())
        complain(
            f"most memories are not of {own.model} ({models}): if the workers are to go on by another model, "
            "stop this, give it their settings (RICORDO_EMBEDDING__…), and run it again"
        )


def _backfill_summary(done: BackfillProgress, part: Part, *, dry_run: bool) -> str:
    if not done.outdated:
        besides = f", but {done.unencoded} that the workers have yet to encode" if done.unencoded else ""
        return f"all memories are {_DERIVED[part]} by {done.version}{besides}"
    again = f"{_DERIVED[part]} again by {done.version}"
    if dry_run:
        found = ", ".join(f"{version or 'none'} {number}" for version, number in done.by_version.items())
        return f"{done.outdated} memories would be {again} (now: {found})"
    return f"{done.raised} of {done.outdated} memories {again} in {done.seconds:.1f} s"


def lifecycle(servers: Annotated[ServerOptions, offered("nats", "data_dir")]) -> None:
    """Run passes such as decay, archive and reflect now.

    Examples:
        ricordo lifecycle run decay
        ricordo lifecycle run all
        ricordo lifecycle run decay --now 2026-03-01T00:00:00Z --json
    """


async def run(
    call: Annotated[Call, offered("data_dir", tenant=_TENANT, as_json="Print one JSON object per pass.")],
    name: Annotated[str, argument("PASS", f"{', '.join(ORDER)}, or all of these")],
    *,
    now: Annotated[str | None, option("INSTANT", "Time to assume, with a UTC offset.")] = None,
    user: OnlyUser = None,
) -> None:
    """Run a pass now and print what it did."""
    if name not in (*ORDER, ALL):
        raise Misused(f"there is no pass {name}: choose from {', '.join((*ORDER, ALL))}")
    try:
        instant = None if now is None else parse_instant(now)
    except PydanticCustomError as error:
        raise Misused(f"--now {error.message()}") from None
    tenant, settings = call.only_tenant, required_stores(call)
    from ricordo_services.app import passes  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    incomplete = False
    for each in ORDER if name == ALL else (name,):
        try:
            done = await _with_progress(
                f"examined by {each}",
                partial(passes.run_pass, settings, each, now=instant, user_id=user, tenant=tenant),
                lambda now: (now.examined, max(now.examined, now.expected)),
                quiet=call.as_json,
            )
        except RunsElsewhere as error:
            complain(sentence(error))
            incomplete = True
        else:
            _print_pass(call, done)
            incomplete = incomplete or done.failed > 0
    if incomplete:
        raise typer.Exit(FAILED)


def _print_pass(call: Call, done: PassSummary) -> None:
    names = ("examined", "changed", "archived", "created", "seconds")
    counts: dict[str, object] = {"pass": done.name, **{name: getattr(done, name) for name in names}}
    shown = counts | {"seconds": f"{done.seconds:.2f}"} | ({"failed": done.failed} if done.failed else {})
    call.print_result(counts, "  ".join(f"{key} {value}" for key, value in shown.items()))


_Measurement = Annotated[str | None, argument("NAME", "Name of the measurement.")]


def bench(context: typer.Context, name: _Measurement = None) -> None:
    """Measure speed and size on this machine."""
    names = _lab("lab_names")
    _hand_over("bench.bench_command", name, (*names.BENCHES, names.ALL), context)


def eval_(context: typer.Context, name: _Measurement = None) -> None:
    """Measure the quality of analysis and recall on a data set."""
    _hand_over("evaluation.evaluation_command", name or "", _lab("lab_names").EVALUATIONS, context)


def _lab(module: str) -> ModuleType:
    """Import a module of the lab, which the wheel of the product does not contain."""
    if importlib.util.find_spec("ricordo_lab") is None:
        raise Misused(
            "benchmarks and evaluations are not installed: clone the repository and run `make setup` there"
        )
    return importlib.import_module(f"ricordo_lab.{module}")


def _hand_over(module: str, name: str | None, names: Collection[str], context: typer.Context) -> None:
    """Call `main` of a module of the lab with the arguments behind the command, and exit with its code.

    An unknown name is refused before the lab is loaded, which takes seconds; an option, the lab parses.
    """
    if name is not None and name not in names and not name.startswith("-"):
        fault = f"there is no {name!r}" if name else "which one is missing"
        raise Misused(f"{fault}: choose from {', '.join(names)}")
    try:
        code: int = _lab(module).main([*([name] if name else []), *context.args])
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        raise Failed(first_fault(error)) from None
    raise typer.Exit(code)
