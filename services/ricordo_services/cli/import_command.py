"""`ricordo import`: takes in the export of a user, or what another service exports.

That of a service is read twice: once to count it and to find out who is who, before anything is published,
and once to publish it.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ricordo.client import MemoryClient, Timeout
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import FAILED, Failed, Interrupted, Misused
from ricordo_services.cli.input_files import ExportFile, Item, rereadable, title
from ricordo_services.cli.options import Patience, argument, flag, option, reworded
from ricordo_services.cli.output import Show, counted, print_remark, progress
from ricordo_services.cli.publish_command import LinePublisher
from ricordo_services.cli.service_import import RICORDO, ServiceOptions, import_from_service

if TYPE_CHECKING:
    from ricordo_services.app.jobs import ExportRestore

_PAUSE_S: Final = 0.2
_RESTORED: Final = {
    "memories": "states of memories (those of uninformative ones, too)",
    "derived": "derived memories",
    "words": "decisions on facts",
}
"""What is restored, where its name in the JSON does not say it to people."""
_AGAIN: Final = "what was imported stays, and counts once"
_REASON: Final = 200  # characters


async def import_(
    call: Annotated[Call, reworded(as_json="Print the result as one JSON object.")],
    file: Annotated[
        str,
        argument(
            "FILE", "A file of `ricordo export` or of the service, plain or gzipped; - for standard input."
        ),
    ],
    *,
    from_: Annotated[
        str,
        option("SERVICE", "chatgpt, claude, whatsapp, telegram, slack, discord, mbox, or ricordo.", "--from"),
    ] = RICORDO,
    user: Annotated[
        str | None, option("ID", "With --from: id of the user whose past this is.", "--user", "-u")
    ] = None,
    wait: Annotated[
        bool,
        flag(
            "--wait",
            "Return when everything is remembered; of `ricordo export`, when summaries and insights can be "
            "found too.",
        ),
    ] = False,
    timeout: Patience = 120.0,
    service: ServiceOptions,
) -> None:
    """Import the export of a user, or chats of another service.

    A file of `ricordo export` goes into any tenant of any Ricordo. Messages are published on the import
    queue; when they are remembered, the rest is restored: use, pins, corrections, the user's decisions on
    facts and names, notes, summaries and insights. It needs the address of PostgreSQL and of the graph too,
    like `reindex`.

    With --from, a file as another service exports it: a zip, an unpacked folder, JSON or text. Messages of
    --user are those of --me, or those that the export says are yours; each other speaker becomes a user,
    whose id begins with --prefix. Times without an offset are of --timezone, or of this machine's zone.
    --dry-run counts without a server.

    Both can be stopped and run again: everything counts once.

    Examples:
        ricordo import davide.jsonl --wait
        ricordo export --user davide | ricordo import - --tenant acme --json
        ricordo import --from chatgpt chatgpt-export.zip --user davide --dry-run
        ricordo import --from whatsapp 'WhatsApp Chat with Nora.txt' --user davide --me 'Davide Rossi'
    """
    if from_ != RICORDO:
        await import_from_service(call, file, from_, user, service, wait=wait, timeout=timeout)
        return
    if user is not None or any(asdict(service).values()):
        raise Misused("these options are for exports of other services: name the service with --from")
    with rereadable(file) as path:
        await _import(call, ExportFile.read(path, title(file)), timeout, wait=wait)


async def _import(call: Call, exported: ExportFile, timeout: float, *, wait: bool) -> None:
    settings, tenant = stores_of_target(call), call.target.tenant
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong file needs none

    try:
        async with call.client() as client:
            publication = LinePublisher(client, lambda number: f"{exported.title}, line {number}", bulk=True)
            total = len(exported.places["message"]) - exported.blank
            await publication.run(call, exported.bodies(), wait=True, timeout=timeout, total=total)
            failed = {fault.message_id for fault in publication.faults}
            async with jobs.open_restore(settings, tenant, exported.user_id, client) as restore:
                with progress("restored", quiet=call.as_json) as show:
                    await restore.run(_watched(exported, show), failed, timeout)
            if wait:
                await _settled(client, exported.user_id, timeout)
    except (KeyError, TypeError, ValueError) as error:
        reason = " ".join(repr(error).split())[:_REASON]
        raise Failed(f"{exported.title} has an invalid item ({reason}): {_AGAIN}") from None
    except asyncio.CancelledError:
        raise Interrupted(f"run it again, and it goes on: {_AGAIN}") from None
    _summarise(call, publication, exported, restore)
    if publication.faults or restore.left_out:
        raise typer.Exit(FAILED)


def _watched(exported: ExportFile, show: Show) -> Callable[[str], Iterator[Item]]:
    """Return what reads the items of a kind, and shows how many are done with; memories are read twice."""
    again = {"memory": 2, "fact": 0, "entity": 0}
    total = sum(again.get(kind, 1) * len(places) for kind, places in exported.places.items())
    done = itertools.count(1)

    def items(kind: str) -> Iterator[Item]:
        for item in exported.items(kind):
            show(next(done), total)
            yield item

    return items


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
    call: Call, publication: LinePublisher, exported: ExportFile, restore: "ExportRestore"
) -> None:
    for item in () if call.as_json else restore.left_out:
        print_remark(f"left out: {item}", "red")
    document = {
        "user_id": exported.user_id,
        "messages": publication.remembered,
        "blank": exported.blank,
        "restored": restore.restored,
        "left_out": restore.left_out,
        "failed": len(publication.faults),
    }
    restored = ", ".join(counted(n, _RESTORED.get(what, what)) for what, n in restore.restored.items() if n)
    more = f"; restored: {restored}" if restored else ""
    blank = f"; {exported.blank} with recalled text only left out" if exported.blank else ""
    failed = f"; {len(publication.faults)} failed" if publication.faults else ""
    messages = f"{counted(publication.remembered, 'messages')} of {exported.user_id} remembered"
    call.print_result(document, f"{messages}{more}{blank}{failed}")
