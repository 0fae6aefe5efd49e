"""`ricordo doctor`: checks servers, workers and models, and says what to do."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from time import monotonic
from typing import Final

import typer
from rich.text import Text

from ricordo.clock import SystemClock
from ricordo.language.annotations import E5
from ricordo.messages.enumerations import Degradation
from ricordo.settings import STEPS, EmbeddingSettings, StepSettings
from ricordo.urls import bare
from ricordo_services.bus_findings import Finding, State
from ricordo_services.cli.bus_checks import (
    Check,
    System,
    check_nats,
    check_recall,
    check_streams,
    check_workers,
)
from ricordo_services.cli.client_calls import Call, data_dir_option, running_stack
from ricordo_services.cli.command_settings import POSTGRES_SETTING, of_stack, read_settings
from ricordo_services.cli.failures import FAILED, Failed, Misused, named
from ricordo_services.cli.output import out_console, plain, print_json
from ricordo_services.cli.worker_reports import PATIENCE_S, assignments, in_words

_INSTALL: Final = "it has to be there where workers run, and need not be here"
_ANSWER_S: Final = 60.0
"""Seconds that a language model has for a line: it may have to be loaded."""


async def check_models(system: System) -> list[Finding]:
    """Check the embedding model, and its fallback if there is one."""
    settings, by_workers = system.embedding, system.reported is not None
    if settings.provider == "onnx":
        return [_in_process("model", settings.model, settings.precision, by_workers=by_workers)]
    held, reason = await _held(settings)
    fallback = _fallback(settings, held, by_workers=by_workers)
    url, words = bare(settings.ollama_url), in_words(settings)
    # What the workers reach may be out of reach from here: whether a question got its vector counts more.
    in_reach = held is not None and settings.model in held
    if in_reach if system.lacking is None else Degradation.MODEL not in system.lacking:
        return [Finding("model", State.WELL, words), *fallback]
    state, meanwhile = State.MISSING, "messages wait for it, and recall works by words alone"
    if any(finding.state is State.WELL for finding in fallback):
        after = f"after {settings.fallback_after_s:g} s {settings.fallback} encodes in its place"
        state, meanwhile = State.DEGRADED, f"{after}; what the model has encoded is found by words alone"
    if held is None:
        detail, advice = reason, f"does Ollama run there? {meanwhile}"
    elif not in_reach:
        detail, advice = f"{url} does not have {settings.model}", _pulled(settings, settings.model)
    else:
        detail = f"{words}, which is installed there, gave the workers no vector of a question"
        why = "the health of encode says why, once a message waits"
        advice = f"if it was still loading, run this again; else {why}; {meanwhile}"
    return [Finding("model", state, detail, advice), *fallback]


def _fallback(settings: EmbeddingSettings, held: set[str] | None, *, by_workers: bool) -> list[Finding]:
    """Check the fallback; `held` is None if the server did not answer."""
    name, url = settings.fallback, bare(settings.ollama_url)
    if name is None:
        return []
    if name == E5:
        return [_in_process("fallback", name, settings.precision, by_workers=by_workers)]
    if held is None:
        return [Finding("fallback", State.DEGRADED, f"{name} is on the same server")]
    if name in held:
        return [Finding("fallback", State.WELL, f"{name} on {url}")]
    return [Finding("fallback", State.DEGRADED, f"{url} does not have {name}", _pulled(settings, name))]


def _pulled(settings: EmbeddingSettings, model: str) -> str:
    by_hand = f"`ollama pull {model}` there"
    pulled = "a running encode worker has it pulled, and its health says how far; else "
    return f"{pulled if settings.pull else ''}{by_hand}"


async def _held(settings: EmbeddingSettings) -> tuple[set[str] | None, str]:
    """Return which models the Ollama server holds, or None and why that is not known."""
    from ricordo.models.encoder import ModelUnavailable  # noqa: PLC0415 - slow to load
    from ricordo.models.llm.ollama_server import connect  # noqa: PLC0415 - slow to load

    try:
        async with connect(settings.ollama_url, PATIENCE_S) as server:
            return await server.models(settings.model), ""
    except ModelUnavailable as error:
        return None, str(error)


def _in_process(name: str, model: str, precision: str, *, by_workers: bool) -> Finding:
    """Report the model that runs in process; if no worker reports it, check that its files are installed."""
    if not by_workers:
        from ricordo.models.onnx import e5_checkpoint  # noqa: PLC0415 - a tenth of a second

        try:
            e5_checkpoint.installed_e5()
        except e5_checkpoint.CheckpointMissing as error:
            return Finding(name, State.NOTED, f"{model}: {error}", _INSTALL)
    return Finding(name, State.WELL, f"{model}, in process, precision {precision}")


_WITHOUT: Final = (
    "fine as it is; RICORDO_KNOWLEDGE__GLINER_MODEL names a GLiNER model that finds entities for it, "
    "with pip install '.[gliner]' in a checkout where workers run"
)


async def check_fact_readers(system: System) -> list[Finding]:
    """Tell which models read facts; nothing if only the rules do."""
    knowledge = system.reports.reports.get("knowledge", ())
    reports = [one for one in knowledge if one.get("relation_model") or one.get("entity_model")]
    if not reports:
        return []
    entities = {str(report["entity_model"]) for report in reports if report.get("entity_model")}
    detail = "read by the reader"
    if reports[0].get("relation_model"):
        detail += f" and {reports[0]['relation_model']} on {reports[0].get('relation_server')}"
    if entities:
        detail = f"{detail}, with entities by {', '.join(sorted(entities))}"
        return [Finding("facts", State.WELL, detail)]
    return [Finding("facts", State.NOTED, f"{detail}, without entities by GLiNER", _WITHOUT)]


async def compare_models(system: System) -> list[Finding]:
    """Tell of workers whose models differ from these settings or from each other."""
    models, own, theirs = system.reports.models, system.settings.embedding, system.reported
    if len({model for several in models.values() for model in several}) > 1:
        told = "; ".join(f"{worker} by {', '.join(several)}" for worker, several in models.items())
        advice = "start all of them with the same settings"
        return [Finding("models", State.DEGRADED, f"workers use different models: {told}", advice)]
    if theirs is None or assignments(theirs) == assignments(own):
        return []
    detail = f"these say {in_words(own)}; the workers that run go by {in_words(theirs)}"
    return [Finding("settings", State.NOTED, detail, f"give commands theirs: {assignments(theirs)}")]


async def check_llms(system: System) -> list[Finding]:
    """Ask each language model for a line, and tell how long it took and whether it keeps to a schema."""
    from ricordo.models.encoder import InvalidReply, ModelUnavailable  # noqa: PLC0415 - they are slow to load
    from ricordo.models.llm.language_model import GREETING, LanguageModel  # noqa: PLC0415
    from ricordo.models.throttle import Throttle  # noqa: PLC0415

    using: dict[tuple[str, str], list[str]] = {}
    for name in STEPS:
        step: StepSettings = getattr(system.settings, name)
        if step.llm and step.url is not None:
            using.setdefault((step.url, step.llm), []).append(name)
    findings = []
    for (url, model), steps in using.items():
        told = f"{model} on {bare(url)}, for {', '.join(steps)}"
        key, throttle = getattr(system.settings, steps[0]).key, Throttle(SystemClock())
        opening = LanguageModel.open(
            url, model, throttle, key=key and key.get_secret_value(), timeout=_ANSWER_S, pull=False
        )
        began = monotonic()
        try:
            async with opening as opened:
                await opened.ask(GREETING, {})
        except InvalidReply:
            advice = "the steps fall back to the rules: take a server or a model that keeps to a JSON schema"
            findings.append(Finding("llm", State.DEGRADED, f"{told}: it does not keep to a schema", advice))
        except ModelUnavailable as error:
            findings.append(Finding("llm", State.DEGRADED, str(error), "the rules do its steps meanwhile"))
        else:
            findings.append(
                Finding("llm", State.WELL, f"{told}: a line in {monotonic() - began:.1f} s, in its schema")
            )
    return findings


_TYPED: Final = re.compile(r"`((?:RICORDO_\S+ )*ricordo (?:up|dlq list|backfill --only vectors))`")
"""Commands in an advice that need the data folder that `doctor` was given."""
_SIGNS = {
    State.WELL: ("✓", "green"),
    State.NOTED: ("·", "dim"),
    State.DEGRADED: ("!", "bold yellow"),
    State.MISSING: ("✗", "bold red"),
}


async def doctor(call: Call) -> None:
    """Check servers, workers and models, and advise what to do.

    Exits with 1 if something is missing that Ricordo needs.

    Examples:
        ricordo doctor
        ricordo doctor --json
    """
    findings = await _examine(call)
    ok = all(finding.state is not State.MISSING for finding in findings)
    if call.as_json:
        print_json({"ok": ok, "findings": list(map(asdict, findings))})
    else:
        _show(findings, data_dir_option(call.folder), ok=ok)
    if not ok:
        raise typer.Exit(FAILED)


async def _examine(call: Call) -> list[Finding]:
    from ricordo_services.cli import store_checks as stores  # noqa: PLC0415 - loads the stores' drivers

    settings = read_settings()
    try:
        target = call.target
    except Misused:
        raise
    except Failed as error:
        nobody = Finding("nats", State.MISSING, "no server is named, and no stack runs here", str(error))
        return [nobody, *stores.check_room(call.folder, settings.bus)]
    named = POSTGRES_SETTING in settings.stores.model_fields_set
    # The stores of a stack are checked only if the NATS is that stack's too.
    stack = running_stack(call.folder)
    local = stack is not None and bare(str(stack["nats"])) == bare(target.url)
    if stack is not None and local and (call.data_dir is not None or not named):
        settings = of_stack(settings, call.folder, stack)
    system = System(settings, target, call.folder if local else None, names_stores=local or named)
    checks: Sequence[Check] = (
        check_nats,
        check_streams,
        check_workers,
        check_recall,
        stores.check_postgres,
        stores.check_vectors,
        stores.check_graph,
        stores.check_index,
        check_models,
        check_llms,
        check_fact_readers,
        compare_models,
    )
    async with system.exits:
        return [finding for check in checks for finding in await check(system)]


def _show(findings: list[Finding], folder: str, *, ok: bool) -> None:
    console = out_console()
    for finding in findings:
        sign, name = _SIGNS[finding.state], (f"{finding.name:20} ", "bold")
        console.print(Text.assemble(sign, " ", name, plain(finding.detail)))
        if finding.advice:
            advice = named(_TYPED.sub(lambda found: f"`{found[1]}{folder}`", finding.advice))
            console.print(Text(f"  → {advice}", "cyan" if finding.state is not State.NOTED else "dim"))
    console.print()
    verdict = ("all is well", "bold green") if ok else ("something is missing", "bold red")
    if ok and any(finding.state is State.DEGRADED for finding in findings):
        verdict = ("works, degraded", "bold yellow")
    console.print(Text(*verdict))
