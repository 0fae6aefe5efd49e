"""`ricordo import`: takes in the export of a user."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from uuid import NAMESPACE_OID, uuid5

import typer

from ricordo.client import MemoryClient, Timeout
from ricordo_services.cli import publish_command
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.export_command import ExportFile
from ricordo_services.cli.failures import FAILED, Failed, Interrupted, Misused
from ricordo_services.cli.input_files import rereadable, title
from ricordo_services.cli.output import counted, print_json, print_remark, print_text
from ricordo_services.cli.service_import import RICORDO, import_from_service

if TYPE_CHECKING:
    from ricordo_services.app.jobs import ExportRestore


_AT_ONCE: Final = 200
_PAUSE_S: Final = 0.2
_RESTORED: Final = {
    "memories": "states of memories (those of uninformative ones, too)",
    "derived": "derived memories",
    "words": "decisions on facts",
}
"""What is restored, where its name in the JSON does not say it to people."""
_AGAIN: Final = "what was imported stays, and counts once"


async def import_(
    call: Call,
    file: str,
    *,
    from_: str = RICORDO,
    user: str | None = None,
    wait: bool = False,
    timeout: float = 120.0,
    **options: Any,  # noqa: ANN401 - as `commands.toml` declares them
) -> None:
    """Import the export of a user, or of another service."""
    if from_ != RICORDO:
        await import_from_service(call, file, from_, user, timeout, wait=wait, **options)
        return
    if user is not None or any(options.values()):
        raise Misused("these options are for exports of other services: name the service with --from")
    with rereadable(file) as path:
        await _import(call, ExportFile.read(path, title(file)), timeout, wait=wait)


async def _import(call: Call, exported: ExportFile, timeout: float, *, wait: bool) -> None:
    settings, tenant = stores_of_target(call), call.target.tenant
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong file needs none

    publication = publish_command.Publication(
        partial(publish_command.report_fault, exported.title), exported.title
    )
    try:
        async with AsyncExitStack() as exits:
            client = await exits.enter_async_context(call.client())
            await publish_command.publish_all(
                call,
                client,
                exported.bodies(),
                publication,
                bulk=True,
                wait=True,
                timeout=timeout,
                total=exported.messages - exported.blank,
            )
            opening = jobs.open_restore(settings, tenant, exported.user_id)
            restore = await exits.enter_async_context(opening)
            await _restore(client, exported, restore, publication.failed, timeout)
            if wait:
                await _settled(client, exported.user_id, timeout)
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(f"{exported.title} has an invalid item ({error!r}): {_AGAIN}") from None
    except asyncio.CancelledError:
        raise Interrupted(f"run it again, and it goes on: {_AGAIN}") from None
    _summarise(publication, exported, restore, as_json=call.as_json)
    if publication.faults or restore.tally.left_out:
        raise typer.Exit(FAILED)


async def _restore(
    client: MemoryClient, exported: ExportFile, restore: "ExportRestore", failed: set[str], patience: float
) -> None:
    """Restore what cannot be derived from messages, in order of dependency; skips failed messages.

    Sessions end behind their summaries, so that none is summed up anew.
    """
    for kind in ("message", "document"):
        for item in exported.items(kind):
            if kind != "message" or item["message"]["id"] not in failed:
                restore.names.add(item)
    await _correct(client, exported, restore, patience)
    await restore.decisions(exported.beside["decision"])
    await restore.words(exported.beside["word"])
    await restore.rejections(exported.beside["rejection"])
    await restore.derived(exported.derived)
    for item in exported.beside["session_end"]:
        await client.end_session(exported.user_id, item["conversation_id"], item["ended_at"])
    memories = exported.items("memory")
    while some := list(islice(memories, _AT_ONCE)):
        await restore.use(some)
    await restore.notes(exported.beside["note"])


async def _correct(
    client: MemoryClient, exported: ExportFile, restore: "ExportRestore", patience: float
) -> None:
    """Apply the user's corrections, and wait for their derivations."""
    corrected = await restore.to_correct(exported.corrected)
    for item in corrected:
        here, content = restore.names.known[item["id"]], item["content"]
        request = f"import-{uuid5(NAMESPACE_OID, f'{here} {content}')}"
        await client.correct(exported.user_id, memory_id=here, content=content, request_id=request)
        restore.tally.count("corrections", 1)
    if corrected:
        await client.remembered([item["message_id"] for item in corrected], patience)


async def _settled(client: MemoryClient, user: str, patience: float) -> None:
    """Wait until nothing of the user is pending."""
    clock = asyncio.get_running_loop()
    pending, deadline = -1, clock.time() + patience
    while left := (await client.stats(user)).pending:
        if left != pending:
            pending, deadline = left, clock.time() + patience
        if clock.time() > deadline:
            raise Timeout(
                f"{left} memories are not found yet after {patience:g} s; no data is lost, and it continues"
            )
        await asyncio.sleep(_PAUSE_S)


def _summarise(
    publication: publish_command.Publication, exported: ExportFile, restore: "ExportRestore", *, as_json: bool
) -> None:
    tally = restore.tally
    if as_json:
        print_json(
            {
                "user_id": exported.user_id,
                "messages": publication.remembered,
                "blank": exported.blank,
                "restored": tally.restored,
                "left_out": tally.left_out,
                "failed": len(publication.faults),
            }
        )
        return
    for item in tally.left_out:
        print_remark(f"left out: {item}", "red")
    restored = ", ".join(counted(n, _RESTORED.get(what, what)) for what, n in tally.restored.items() if n)
    blank = f"; {exported.blank} with recalled text only left out" if exported.blank else ""
    more = f"; restored: {restored}" if restored else ""
    failed = f"; {len(publication.faults)} failed" if publication.faults else ""
    print_text(
        f"{counted(publication.remembered, 'messages')} of {exported.user_id} remembered{more}{blank}{failed}"
    )
