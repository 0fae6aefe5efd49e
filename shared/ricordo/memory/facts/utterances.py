"""Messages as fact extraction reads them, and the evidence that it extracts from them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ricordo.language.facts.evidence import Evidence
from ricordo.language.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What knowledge reads of a message; `timezone` is the IANA name of the user's at that moment.

    Attributes:
        corrects: the message that it puts right, if any.
        reading: what its text says; None where it was not read.
        previous, previous_reading: the turn before; empty and None for none.
    """

    memory_id: UUID
    message_id: str
    user_id: str
    role: str
    speaker: str
    language: str
    content: str
    said_at: datetime
    timezone: str = "UTC"
    corrects: "Utterance | None" = None
    reading: Reading | None = None
    previous: str = ""
    previous_reading: Reading | None = None

    @property
    def corrected(self) -> tuple["Utterance", ...]:
        """What it puts right, be it by way of others, the latest first."""
        return () if self.corrects is None else (self.corrects, *self.corrects.corrected)

    @property
    def put_right(self) -> tuple[str, ...]:
        """The texts of `corrected`."""
        return tuple(one.content for one in self.corrected)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEvidence:
    """What one message states: its evidence, none when it states nothing, with the words that carry each.

    Attributes:
        text_hash: of the text it was read in. If the memory has another text by now, nothing of it is stored
            and its stage stays; None does not check.
        put_right: the texts that it corrects, checked like `text_hash`.
    """

    memory_id: UUID
    message_id: str
    user_id: str
    said_at: datetime
    evidence: tuple[Evidence, ...] = ()
    quotes: tuple[str, ...] = ()
    text_hash: bytes | None = None
    put_right: tuple[str, ...] | None = None
