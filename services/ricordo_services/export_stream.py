"""Reads the export of a user from the bus, as whole items; the last one proves that none is missing."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

from ricordo.client import MemoryClient, Timeout, Unavailable
from ricordo.messages.commands import ExportReply
from ricordo.messages.message_types import JsonObject

_TRIES: Final = 5
_PAUSE_S: Final = 1.0
END: Final = "end"
"""The last item, with the number of items before it, so that a truncated export is detected."""


async def exported_items(
    client: MemoryClient, user: str, timeout: float | None = None
) -> AsyncGenerator[JsonObject, None]:
    """Yield all that is held of a user, item by item, and the end; joins items that come in pieces.

    Args:
        timeout: seconds to wait for each page.

    Raises:
        RicordoError: it was not answered, several times.
    """
    pieces: list[str] = []
    cursor: str | None = None
    count = 0
    while True:
        page = await _page(client, user, cursor, timeout)
        for item in page.items:
            whole: JsonObject = item
            if item["item"] == "piece":
                if item["number"] == 0:  # of another item; or of the same, which has changed meanwhile
                    pieces.clear()
                pieces.append(str(item["text"]))
                if len(pieces) != item["pieces"]:
                    continue
                whole = json.loads("".join(pieces))
            count += 1
            yield whole
        if page.next is None:
            break
        cursor = page.next
    yield {"item": END, "user_id": user, "items": count}


async def _page(client: MemoryClient, user: str, cursor: str | None, timeout: float | None) -> ExportReply:
    for _ in range(0 if cursor is None else _TRIES - 1):  # who begins is told at once
        with suppress(Unavailable, Timeout):
            return await client.export(user, cursor=cursor, timeout=timeout)
        await asyncio.sleep(_PAUSE_S)
    return await client.export(user, cursor=cursor, timeout=timeout)
