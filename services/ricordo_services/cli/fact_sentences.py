"""The sentences that facts rest on: read from the history of what was said."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import Final

from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.queries import Position
from ricordo.messages.views import FactView, HistoryMessage
from ricordo_services.cli.views import plain
from ricordo_services.cli.zones import local_text

_AT_ONCE: Final = 1_000
_LONGEST: Final = 300  # characters of a message of which no sentence names the value
_INSTANT: Final = timedelta(microseconds=1)
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


async def supporting(
    client: MemoryClient, user: str, facts: Sequence[FactView]
) -> Mapping[str, HistoryMessage]:
    """Return the messages that support facts by their ids; those that were forgotten are left out.

    The history is read once, from the instant at which any of the facts was last said back to the first.
    """
    wanted = {message_id for fact in facts for message_id in fact.message_ids}
    found: dict[str, HistoryMessage] = {}
    if not wanted:
        return found
    first = min(fact.first_seen for fact in facts if fact.message_ids)
    last = max(fact.last_reinforced for fact in facts if fact.message_ids)
    before: Position | None = Position(last + _INSTANT)
    while before is not None and found.keys() != wanted:
        page = await client.history(user, before=before, limit=_AT_ONCE)
        found |= {one.id: one for one in page.messages if one.id in wanted}
        before = None if not page.messages or page.messages[0].timestamp < first else page.next
    return found


def sentences_of(
    fact: FactView, messages: Mapping[str, HistoryMessage], zone: tzinfo | None
) -> list[tuple[Text, Text]]:
    """Return what supports a fact, oldest first: when it was said, the words, and the id of the message."""
    said = [messages[one] for one in fact.message_ids if one in messages]
    if not said:
        return [
            (Text(), Text("nothing but your own word" if fact.verified else "what is here no more", "dim"))
        ]
    return [
        (
            Text(f"  {local_text(one.timestamp, zone)}", "dim"),
            Text.assemble(
                plain(sentence_with(fact.object, one.content or "")), (f"  {plain(one.id)}", "dim")
            ),
        )
        for one in said
    ]


def sentence_with(value: str, content: str) -> str:
    """Return the sentences of a message that hold `value`; where none does, how the message begins."""
    from ricordo.memory.facts import normalise  # noqa: PLC0415 - slow to load

    named = [one.strip() for one in _SENTENCES.split(content) if normalise(value) in normalise(one)]
    if named:
        return " ".join(" ".join(named).split())
    begin = " ".join(content.split())
    return begin if len(begin) <= _LONGEST else f"{begin[:_LONGEST]}…"
