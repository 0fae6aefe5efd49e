"""`ricordo doctor`: what works, what does not, what to do about it."""

import re
from pathlib import Path
from typing import Final

import typer
from rich.text import Text

from ricordo_services.cli.bus_checks import look_at_bus
from ricordo_services.cli.configuration import POSTGRES_SETTING, read_settings, store_settings
from ricordo_services.cli.failures import FAILED, Failed, Misused, named
from ricordo_services.cli.findings import Finding, State, look_at_room, missing
from ricordo_services.cli.model_checks import compare_models, look_at_knowledge, look_at_models
from ricordo_services.cli.options import DataDir, Json, Nats, Tenant, folder_of
from ricordo_services.cli.output import print_json, screen
from ricordo_services.cli.servers import Target, running_stack, said_folder, target
from ricordo_services.cli.views import plain
from ricordo_services.cli.worker_reports import assignments

_TYPED: Final = re.compile(r"`((?:RICORDO_\S+ )*ricordo (?:up|dlq list|backfill --only vectors))`")
"""Commands in an advice that need the data folder that the doctor was given."""
_SIGNS = {
    State.WELL: ("✓", "green"),
    State.NOTED: ("·", "dim"),
    State.DEGRADED: ("!", "bold yellow"),
    State.MISSING: ("✗", "bold red"),
}


async def doctor(
    context: typer.Context,
    *,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Say what works, what does not, and what to do about it."""
    try:
        whom = target(context, nats, tenant, data_dir)
    except Misused:
        raise
    except Failed as error:
        findings = [missing("nats", "no server is named, and no stack runs here", str(error))]
        findings += look_at_room(folder_of(context, data_dir), read_settings().bus)
    else:
        findings = await _examine(context, whom, data_dir)
    ok = all(finding.state is not State.MISSING for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [finding.document() for finding in findings]})
    else:
        _show(findings, said_folder(folder_of(context, data_dir)), ok=ok)
    if not ok:
        raise typer.Exit(FAILED)


async def _examine(context: typer.Context, whom: Target, data_dir: Path | None) -> list[Finding]:
    from ricordo_services.cli import store_checks as stores  # noqa: PLC0415 - loads the stores' drivers

    settings = store_settings(context, data_dir)
    own = settings.embedding
    bus = await look_at_bus(whom, own)
    found = list(bus.findings)
    theirs = bus.at_work.embedding(own)
    embedding = theirs or own
    folder = folder_of(context, data_dir)
    # The stores of a stack are looked at only where the bus is that stack's too.
    stack = running_stack(folder)
    local = stack is not None and stack["nats"] == whom.url
    named = local or POSTGRES_SETTING in settings.stores.model_fields_set
    rows = await stores.look_at_postgres(settings, named=named)
    found += rows
    if all(finding.state is State.WELL for finding in rows):
        # Copied into another shell, the command is to work by the same models: they stand before it.
        usual = embedding.provider == own.provider == "onnx"
        found += await stores.look_at_vectors(
            settings, embedding.model, "" if usual else f"{assignments(embedding)} "
        )
    found += await stores.look_at_graph(settings, named=named)
    found.append(stores.look_at_index(folder if local else None, settings))
    found += await look_at_models(embedding, by_workers=theirs is not None, encoded=bus.encoded)
    found += look_at_knowledge(bus.at_work)
    return [*found, *compare_models(bus.at_work, own)]


def _show(findings: list[Finding], folder: str, *, ok: bool) -> None:
    console = screen()
    for finding in findings:
        sign, style = _SIGNS[finding.state]
        line = Text.assemble((sign, style), " ", (f"{finding.name:20} ", "bold"), plain(finding.detail))
        console.print(line)
        if finding.advice:
            advice = named(_TYPED.sub(lambda found: f"`{found[1]}{folder}`", finding.advice))
            console.print(Text(f"  → {advice}", "cyan" if finding.state is not State.NOTED else "dim"))
    console.print()
    degraded = any(finding.state is State.DEGRADED for finding in findings)
    verdict = "something is missing" if not ok else "works, degraded" if degraded else "all is well"
    console.print(Text(verdict, "bold red" if not ok else "bold yellow" if degraded else "bold green"))
