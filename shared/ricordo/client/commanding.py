"""The commands: forget, pin, verify, correct, reject, identify, feedback, note, export."""

from collections.abc import Iterable
from typing import Unpack
from uuid import UUID

from pydantic import JsonValue

from ricordo.client.connection import Connection, built
from ricordo.client.options import Correction, Target
from ricordo.messages import commands


class Commanding:
    """The part of the client that asks for something to be done.

    Every call takes `timeout` in seconds and `request_id`, under which it is safe to repeat, and raises
    `RicordoError`.
    """

    def __init__(self, connection: Connection) -> None:
        """Command over `connection`."""
        self._connection = connection

    async def forget(
        self,
        user_id: str,
        *,
        message_id: str | None = None,
        conversation_id: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.ForgetReply:
        """Erase a message or a conversation; with neither named, **all that is held of the user**."""
        fields = {
            "user_id": user_id,
            "message_id": message_id,
            "conversation_id": conversation_id,
            "request_id": request_id,
        }
        command = built(commands.Forget, fields)
        return await self._connection.ask(command, command.name, commands.ForgetReply, timeout)

    async def pin(
        self,
        user_id: str,
        memory_id: UUID | str,
        *,
        pinned: bool = True,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.PinReply:
        """Keep a memory from fading, or let it fade again; pinned, it comes back from the archive."""
        fields = {"user_id": user_id, "memory_id": memory_id, "pinned": pinned, "request_id": request_id}
        command = built(commands.Pin, fields)
        return await self._connection.ask(command, command.name, commands.PinReply, timeout)

    async def verify(
        self,
        user_id: str,
        *,
        verified: bool = True,
        timeout: float | None = None,
        **target: Unpack[Target],
    ) -> commands.VerifyReply:
        """Confirm a memory or a fact (`memory_id` or `fact_id`), or take the confirmation back.

        A confirmed memory does not fade; a confirmed fact is not overturned by messages.
        """
        command = built(commands.Verify, {"user_id": user_id, "verified": verified, **target})
        return await self._connection.ask(command, command.name, commands.VerifyReply, timeout)

    async def correct(
        self, user_id: str, *, timeout: float | None = None, **correction: Unpack[Correction]
    ) -> commands.CorrectReply:
        """Put right a memory (`memory_id`, `content`) or a fact (`fact_id`, `object`).

        What follows from a memory's words, its facts too, is made anew after the reply.
        """
        command = built(commands.Correct, {"user_id": user_id, **correction})
        return await self._connection.ask(command, command.name, commands.CorrectReply, timeout)

    async def reject(
        self,
        user_id: str,
        fact_id: UUID | str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.RejectFactReply:
        """Say that a fact was read wrongly: it goes, and is not read again from the same words."""
        fields = {"user_id": user_id, "fact_id": fact_id, "request_id": request_id}
        command = built(commands.RejectFact, fields)
        return await self._connection.ask(command, command.name, commands.RejectFactReply, timeout)

    async def identify(
        self,
        user_id: str,
        names: tuple[str, str],
        *,
        same: bool | None = True,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.IdentifyReply:
        """Say that two names are one person or animal, or two; None leaves it to the rules again."""
        fields = {"user_id": user_id, "names": names, "same": same, "request_id": request_id}
        command = built(commands.Identify, fields)
        return await self._connection.ask(command, command.name, commands.IdentifyReply, timeout)

    async def feedback(
        self,
        user_id: str,
        recall_id: UUID | str,
        *,
        used: Iterable[UUID | str] = (),
        irrelevant: Iterable[UUID | str] = (),
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.FeedbackReply:
        """Say which memories of a recall were of use, and which were not.

        What was used counts unless that recall had counted it; what was irrelevant loses what that recall has
        added. The last word on a memory holds.

        Args:
            user_id: whose recall it was.
            recall_id: of its reply.
            used: ids of memories.
            irrelevant: ids of others.
            request_id: as of every call.
            timeout: as of every call.

        Returns:
            How many memories became stronger and weaker by it.

        Raises:
            NotFound: one of them is no memory of this user; nothing was changed.
        """
        fields = {
            "user_id": user_id,
            "recall_id": recall_id,
            "used": tuple(used),
            "irrelevant": tuple(irrelevant),
            "request_id": request_id,
        }
        command = built(commands.Feedback, fields)
        return await self._connection.ask(command, command.name, commands.FeedbackReply, timeout)

    async def note(
        self,
        user_id: str,
        conversation_id: str,
        key: str,
        value: JsonValue,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.NoteReply:
        """Put a value into a conversation's working memory; None takes it away."""
        fields = {
            "user_id": user_id,
            "conversation_id": conversation_id,
            "key": key,
            "value": value,
            "request_id": request_id,
        }
        command = built(commands.Note, fields)
        return await self._connection.ask(command, command.name, commands.NoteReply, timeout)

    async def export(
        self,
        user_id: str,
        *,
        cursor: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> commands.ExportReply:
        """Return a page of all that is held of a user; pass its `next` as `cursor` for the one after."""
        fields = {"user_id": user_id, "cursor": cursor, "request_id": request_id}
        command = built(commands.Export, fields)
        return await self._connection.ask(command, command.name, commands.ExportReply, timeout)
