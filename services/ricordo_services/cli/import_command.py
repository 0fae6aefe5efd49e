"""`ricordo import`: takes in the export of a user."""

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from uuid import NAMESPACE_OID, uuid5

import typer

from ricordo.client import MemoryClient, Timeout
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.export_command import ExportFile
from ricordo_services.cli.failures import FAILED, Failed, Interrupted, Misused
from ricordo_services.cli.input_files import rereadable, title
from ricordo_services.cli.output import counted, print_remark
from ricordo_services.cli.publish_command import Publication
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

    try:
        async with call.client() as client:
            publication = Publication(client, lambda number: f"{exported.title}, line {number}", bulk=True)
            total = exported.messages - exported.blank
            await publication.run(call, exported.bodies(), wait=True, timeout=timeout, total=total)
            async with jobs.open_restore(settings, tenant, exported.user_id) as restore:
                await _restore(publication, exported, restore, timeout)
            if wait:
                await _settled(client, exported.user_id, timeout)
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(f"{exported.title} has an invalid item ({error!r}): {_AGAIN}") from None
    except asyncio.CancelledError:
        raise Interrupted(f"run it again, and it goes on: {_AGAIN}") from None
    _summarise(call, publication, exported, restore)
    if publication.faults or restore.tally.left_out:
        raise typer.Exit(FAILED)


async def _restore(
    publication: Publication, exported: ExportFile, restore: "ExportRestore", patience: float
) -> None:
    """Restore what cannot be derived from messages, in order of dependency; skips failed messages.

    Sessions end behind their summaries, so that none is summed up anew.
    """
    client, failed = publication.client, {fault.message_id for fault in publication.faults}
    for kind in ("message", "document"):
        for item in exported.items(kind):
            if kind != "message" or item["message"]["id"] not in failed:
                restore.names.add(item)
    await _correct(client, exported, restore, patience)
    await restore.words(exported.beside["word"])
    await restore.decisions(exported.beside["decision"])
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


def _summarise(call: Call, publication: Publication, exported: ExportFile, restore: "ExportRestore") -> None:
    tally = restore.tally
    for item in () if call.as_json else tally.left_out:
        print_remark(f"left out: {item}", "red")
    document = {
        "user_id": exported.user_id,
        "messages": publication.remembered,
        "blank": exported.blank,
        "restored": tally.restored,
        "left_out": tally.left_out,
        "failed": len(publication.faults),
    }
    restored = ", ".join(counted(n, _RESTORED.get(what, what)) for what, n in tally.restored.items() if n)
    more = f"; restored: {restored}" if restored else ""
    blank = f"; {exported.blank} with recalled text only left out" if exported.blank else ""
    failed = f"; {len(publication.faults)} failed" if publication.faults else ""
    messages = f"{counted(publication.remembered, 'messages')} of {exported.user_id} remembered"
    call.print_result(document, f"{messages}{more}{blank}{failed}")
