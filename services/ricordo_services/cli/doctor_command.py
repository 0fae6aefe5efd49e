"""`ricordo doctor`: checks servers, workers and models, and says what to do."""

import re
from typing import Final

import typer
from rich.text import Text

from ricordo.urls import bare
from ricordo_services.cli.bus_checks import check_bus
from ricordo_services.cli.client_calls import Call, ServerTarget, data_dir_option, running_stack
from ricordo_services.cli.command_settings import POSTGRES_SETTING, of_stack, read_settings
from ricordo_services.cli.failures import FAILED, Failed, Misused, named
from ricordo_services.cli.findings import Finding, State, check_room, missing
from ricordo_services.cli.model_checks import check_fact_readers, check_models, compare_models
from ricordo_services.cli.output import out_console, plain, print_json
from ricordo_services.cli.worker_reports import assignments

_TYPED: Final = re.compile(r"`((?:RICORDO_\S+ )*ricordo (?:up|dlq list|backfill --only vectors))`")
"""Commands in an advice that need the data folder that `doctor` was given."""
_SIGNS = {
    State.WELL: ("✓", "green"),
    State.NOTED: ("·", "dim"),
    State.DEGRADED: ("!", "bold yellow"),
    State.MISSING: ("✗", "bold red"),
}


async def doctor(call: Call) -> None:
    """Check servers, workers and models, and print what to do."""
    try:
        target = call.target
    except Misused:
        raise
    except Failed as error:
        findings = [missing("nats", "no server is named, and no stack runs here", str(error))]
        findings += check_room(call.folder, read_settings().bus)
    else:
        findings = await _examine(call, target)
    ok = all(finding.state is not State.MISSING for finding in findings)
    if call.as_json:
        print_json({"ok": ok, "findings": [finding.document() for finding in findings]})
    else:
        _show(findings, data_dir_option(call.folder), ok=ok)
    if not ok:
        raise typer.Exit(FAILED)


async def _examine(call: Call, target: ServerTarget) -> list[Finding]:
    from ricordo_services.cli import store_checks as stores  # noqa: PLC0415 - loads the stores' drivers

    settings = read_settings()
    postgres_named = POSTGRES_SETTING in settings.stores.model_fields_set
    # The stores of a stack are checked only if the NATS is that stack's too.
    stack = running_stack(call.folder)
    local = stack is not None and bare(str(stack["nats"])) == bare(target.url)
    if stack is not None and local and (call.data_dir is not None or not postgres_named):
        settings = of_stack(settings, call.folder, stack)
    own = settings.embedding
    bus = await check_bus(target, own, call.folder if local else None)
    found = list(bus.findings)
    reported = bus.worker_reports.embedding(own)
    embedding = reported or own
    named = local or postgres_named
    rows = await stores.check_postgres(settings, named=named)
    found += rows
    if all(finding.state is State.WELL for finding in rows):
        # Copied into another shell, the command is to work by the same models: they stand before it.
        usual = embedding.provider == own.provider == "onnx"
        found += await stores.check_vectors(
            settings, embedding.model, "" if usual else f"{assignments(embedding)} "
        )
    found += await stores.check_graph(settings, named=named)
    found.append(stores.check_index(call.folder if local else None, settings))
    found += await check_models(embedding, by_workers=reported is not None, encoded=bus.encoded)
    found += check_fact_readers(bus.worker_reports)
    return [*found, *compare_models(bus.worker_reports, own)]


def _show(findings: list[Finding], folder: str, *, ok: bool) -> None:
    console = out_console()
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
