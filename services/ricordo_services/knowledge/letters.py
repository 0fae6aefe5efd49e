"""The dead letters of what is to be forgotten."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.messages.codec import readable_id
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, STREAM_DEAD_LETTERS
from ricordo.messages.vocabulary import ForgetScope
from ricordo.ports.bus import StreamAccess
from ricordo.ports.erasing import Burial

_NAMES: Final = {ForgetScope.MESSAGE: "id", ForgetScope.CONVERSATION: "conversation_id"}


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Implements `Letters` on the stream of dead letters."""

    streams: StreamAccess

    async def delete(self, tenant: str, burial: Burial) -> Sequence[str | None]:
        """Delete those of what was buried; see `Letters.delete`."""
        deleted: list[str | None] = []
        subject, sequence = f"{DEAD_LETTER_PREFIX}.*.memory.*.{tenant}.>", 0
        while (letter := await self.streams.after(STREAM_DEAD_LETTERS, sequence, subject)) is not None:
            sequence = letter.sequence
            if _speaks_of(letter.body, burial):
                await self.streams.remove(STREAM_DEAD_LETTERS, sequence)
                deleted.append(readable_id(letter.body))
        return deleted


def _speaks_of(body: bytes, burial: Burial) -> bool:
    """Whether a letter is of what was buried. One that nobody can read as JSON is, if it holds the names."""
    wanted = {"user_id": burial.user_id}
    if burial.scope in _NAMES:
        wanted[_NAMES[burial.scope]] = burial.key
    try:
        said = json.loads(body)
    except ValueError:  # also of no valid UTF-8
        return all(json.dumps(value).encode() in body for value in wanted.values())
    return isinstance(said, dict) and all(said.get(name) == value for name, value in wanted.items())
