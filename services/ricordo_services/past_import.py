"""Imports what another service exports: who is who in it, what it would become, and the import itself.

An export is read twice: once to count it and to find out who is who, before anything is published, and once
to publish it. Nothing here prints: the command line, the gateway and the album use it.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from ricordo.client import InvalidRequest, MemoryClient, RicordoError
from ricordo.client.connection import read
from ricordo.messages.enumerations import MessageState
from ricordo.messages.events import MessageReceived
from ricordo.messages.message_types import Instant
from ricordo_services.bulk_publication import BulkPublication
from ricordo_services.importers import parse_export
from ricordo_services.importers.archive import ExportArchive
from ricordo_services.importers.conversion import Conversion, Survey
from ricordo_services.importers.entries import DateOrder, Entry, ParserOptions, PastMessage
from ricordo_services.ingest_watch import IngestWatch

SHOWN: Final = 20
"""Names, or malformed entries, that people are shown."""
_ASKED_AT_ONCE: Final = 16
_AT_ONCE: Final = 500

Progress = Callable[[int, int], object]
"""Is told how many messages are published, and of how many."""


class NamedSpeaker(BaseModel):
    """A speaker of an export, and the user whose messages theirs become."""

    name: str
    messages: int
    user_id: str
    is_user: bool = Field(description="Whether this is the user whose past is imported, or an assistant.")


class SurveyedConversation(BaseModel):
    """A conversation of an export."""

    id: str
    title: str
    messages: int
    first: Instant
    last: Instant


class MalformedEntry(BaseModel):
    """An entry that cannot be imported."""

    place: str
    detail: str


class Preview(BaseModel):
    """What an import would bring, counted without publishing anything."""

    messages: int = Field(description="To be published; the parts of long ones count each.")
    conversations: int
    first: Instant | None
    last: Instant | None
    cut: int = Field(description="Messages longer than the limit, which are cut into parts.")
    skipped: dict[str, int] = Field(description="By reason.")
    malformed: list[MalformedEntry] = Field(description="The first 20.")
    speakers: list[NamedSpeaker] = Field(description="The 100 with the most messages.")
    most_active: list[SurveyedConversation]
    unclear: str | None = Field(description="Why nobody can tell which speaker the user is; null if one can.")


_SPEAKERS: Final = 100


@dataclass(frozen=True, slots=True)
class PastImport:
    """An opened export of another service that is to become the past of a user."""

    export: ExportArchive
    options: ParserOptions
    conversion: Conversion
    me: Sequence[str] = ()  # the user's names in the export, as the user writes them

    @classmethod
    def of(
        cls,
        service: str,
        user_id: str,
        export: ExportArchive,
        *,
        me: Sequence[str] = (),
        timezone: str | None = None,
        date_order: DateOrder | None = None,
        conversation: str | None = None,
        prefix: str | None = None,
    ) -> Self:
        """Return the import of an opened export.

        Args:
            service: one of `PARSERS`.
            user_id: whose past it is to become.
            me: the user's names in the export.
            timezone: the user's, by its name, and that of times without any; None for the machine's.
            date_order: of WhatsApp, where several fit.
            conversation: the name of a WhatsApp chat whose file has none.
            prefix: begins the ids of other speakers; None for `USER:SERVICE:`.

        Raises:
            ZoneInfoNotFoundError: there is no such zone.
        """
        names = frozenset(name.strip().casefold() for name in me)
        others = f"{user_id}:{service}:" if prefix is None else prefix
        zone = None if timezone is None else ZoneInfo(timezone)
        conversion = Conversion(service, user_id, names, others, timezone)
        return cls(export, ParserOptions(zone, date_order, conversation), conversion, me)

    def entries(self) -> Iterator[Entry]:
        """Yield the messages of the export, and what is skipped.

        Raises:
            UnreadableExport: it is not an export of the service, or is broken.
        """
        return parse_export(self.conversion.service, self.export, self.options)

    def survey(self) -> Survey:
        """Read the export and count what it contains; takes about a minute for a million messages.

        Raises:
            UnreadableExport: it is not an export of the service, or is broken.
        """
        return Survey.of(self.entries())

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        """Yield the place and the body of each message.

        Raises:
            UnreadableExport: it is not an export of the service, or is broken.
        """
        messages = (entry for entry in self.entries() if isinstance(entry, PastMessage))
        return ((message.place, body) for message in messages for body in self.conversion.bodies(message))

    def unclear_user(self, survey: Survey, me: str = "--me") -> str | None:
        """Say why nobody can tell which speaker the user is, and what to do; None if one can.

        Args:
            me: what the option is called by which the user says it.
        """
        names, speakers = self.conversion.names, survey.speakers.values()
        if not speakers or any(speaker.is_called(names) for speaker in speakers):
            return None
        if survey.own and not self.me:
            return None
        wrong = "the export does not say which speaker you are"
        if self.me:
            wrong = f"nobody is called {' or '.join(self.me)} in the export"
        found = [(name, number) for name, number in survey.names() if name]
        if not found:
            return f"{wrong}: leave out {me}"
        shown = [f"“{name}” ({n} {'message' if n == 1 else 'messages'})" for name, n in found[:SHOWN]]
        others = f" and {len(found) - SHOWN} others" if len(found) > SHOWN else ""
        return f"{wrong}: add {me} with your name, which is one of {', '.join(shown)}{others}"

    def preview(self, survey: Survey, me: str = "--me") -> Preview:
        """Return what the import would bring; `me` as for `unclear_user`."""
        conversion, spans = self.conversion, survey.conversations.values()
        others = {speaker.key for speaker in survey.others(conversion.names)}
        return Preview(
            messages=survey.messages,
            conversations=len(survey.conversations),
            first=min((span.first for span in spans), default=None),
            last=max((span.last for span in spans), default=None),
            cut=survey.cut,
            skipped={reason.value: number for reason, number in survey.skipped.most_common()},
            malformed=[MalformedEntry(place=s.place, detail=s.detail) for s in survey.malformed[:SHOWN]],
            speakers=[
                NamedSpeaker(
                    name=survey.speakers[key].name,
                    messages=number,
                    user_id=conversion.speaker_id(survey.speakers[key])
                    if key in others
                    else conversion.user_id,
                    is_user=key not in others,
                )
                for key, number in survey.spoken.most_common(_SPEAKERS)
            ],
            most_active=[
                SurveyedConversation(
                    id=conversion.conversation_id(each.sample),
                    title=each.sample.title,
                    messages=each.messages,
                    first=each.first,
                    last=each.last,
                )
                for each in survey.most_active()
            ],
            unclear=self.unclear_user(survey, me),
        )

    async def count_known(self, client: MemoryClient, survey: Survey) -> int | None:
        """Count the messages that are stored already, by samples of many; None if nobody can tell."""
        bodies = (body for message in survey.samples for body in self.conversion.bodies(message))
        ids = [json.loads(body)["id"] for body in bodies]
        known = 0
        try:
            for start in range(0, len(ids), _ASKED_AT_ONCE):
                found = await asyncio.gather(*map(client.status, ids[start : start + _ASKED_AT_ONCE]))
                known += sum(one.state is not MessageState.UNKNOWN for one in found)
        except RicordoError:
            return None
        return round(known * survey.messages / max(len(ids), 1))

    async def publish(
        self, client: MemoryClient, watch: IngestWatch | None, total: int, progress: Progress | None = None
    ) -> BulkPublication[str]:
        """Publish all messages on the bulk lane; a repeat adds nothing. A thread reads them.

        What ingest has refused is counted apart by `finish` of the result, as far as `watch` can tell.

        Args:
            total: the number of messages, of the survey.

        Raises:
            UnreadableExport: it is broken.
            RicordoError: nothing more can be published; what was stays, and a repeat goes on.
        """
        work = BulkPublication[str](client, watch, waits_for_room=True)
        bodies, done = self.bodies(), 0
        while chunk := await asyncio.to_thread(_read_chunk, bodies):
            for place, message in chunk:
                if isinstance(message, str):
                    work.reject(place, message)
            await work.publish([(p, message) for p, message in chunk if not isinstance(message, str)])
            done += len(chunk)
            if progress is not None:
                progress(done, total)
        return work


def _read_chunk(bodies: Iterator[tuple[str, bytes]]) -> list[tuple[str, MessageReceived | str]]:
    """Return the next messages with their places; in the place of one that is wrong, what is."""
    return [(place, _read(body)) for place, body in islice(bodies, _AT_ONCE)]


def _read(body: bytes) -> MessageReceived | str:
    try:
        return read(MessageReceived, json.loads(body))
    except InvalidRequest as error:
        return str(error)
