"""Links batches of memories in a process of its own; what to do comes on standard input."""

import asyncio
import json
import sys
from uuid import UUID

from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.store.link_store import LinkStore
from ricordo_services.enrichment.related_memories import RelatedMemories, RememberedNeighbourhoods


async def _main() -> None:
    task = json.load(sys.stdin)
    async with Database.connect(task["dsn"], size=2) as database, CpuExecutor() as beside:
        remembered = RememberedNeighbourhoods(2**30)
        worker = RelatedMemories(LinkStore(database), beside, (task["model"],), task["threshold"], remembered)
        for batch in task["batches"]:
            await worker.link(task["tenant"], task["model"], dict.fromkeys(map(UUID, batch), task["user_id"]))


if __name__ == "__main__":
    asyncio.run(_main())
