"""Command methods of the client."""

from collections.abc import Iterable
from typing import Unpack
from uuid import UUID

from pydantic import JsonValue

from ricordo.client.connection import ConnectionMethods
from ricordo.client.exceptions import InvalidRequest
from ricordo.client.options import AssertedFactFields, CommandOptions, CorrectionFields, EditFields, Target
from ricordo.messages import commands


class CommandMethods(ConnectionMethods):
    """Command methods.

    Every call takes `timeout` in seconds and a `request_id`, which makes it safe to repeat, and raises
    `RicordoError`.
    """

    async def forget(
        self,
        user_id: str,
        *,
        message_id: str | None = None,
        conversation_id: str | None = None,
        memory_id: UUID | str | None = None,
        **options: Unpack[CommandOptions],
    ) -> commands.ForgetReply:
        """Erase a message, a conversation or a memory; with none of them, **all data of the user**.

        The memory of a message is erased with that. A derived one goes alone, with what was derived from it,
        and is not derived again from the same memories.
        """
        scopes = {"message_id": message_id, "conversation_id": conversation_id}
        if memory_id is None:
            fields = {"user_id": user_id, **scopes, **options}
            return await self._ask(commands.Forget, commands.ForgetReply, fields)
        if given := [name for name, value in scopes.items() if value is not None]:
            raise InvalidRequest(f"{given[0]} must not be given together with memory_id", given[0])
        fields = {"user_id": user_id, "memory_id": memory_id, **options}
        return await self._ask(commands.Discard, commands.ForgetReply, fields)

    async def pin(
        self, user_id: str, memory_id: UUID | str, *, pinned: bool = True, **options: Unpack[CommandOptions]
    ) -> commands.PinReply:
        """Protect a memory from fading, or end that; pinning also restores it from the archive."""
        fields = {"user_id": user_id, "memory_id": memory_id, "pinned": pinned, **options}
        return await self._ask(commands.Pin, commands.PinReply, fields)

    async def edit(
        self, user_id: str, memory_id: UUID | str, **changes: Unpack[EditFields]
    ) -> commands.EditReply:
        """Change the kind, importance, tags or expiry of a memory; what is not given stays.

        What is set so is not derived again; use adds to an importance.
        """
        fields = {"user_id": user_id, "memory_id": memory_id, **changes}
        return await self._ask(commands.Edit, commands.EditReply, fields)

    async def verify(
        self, user_id: str, *, verified: bool = True, **target: Unpack[Target]
    ) -> commands.VerifyReply:
        """Confirm a memory or a fact (`memory_id` or `fact_id`), or withdraw the confirmation.

        A confirmed memory does not fade; messages do not override a confirmed fact.
        """
        fields = {"user_id": user_id, "verified": verified, **target}
        return await self._ask(commands.Verify, commands.VerifyReply, fields)

    async def correct(self, user_id: str, **correction: Unpack[CorrectionFields]) -> commands.CorrectReply:
        """Correct a memory (`memory_id`, `content`), or the value or times of a fact (`fact_id`).

        Of `object`, `valid_from` and `valid_to`, what is not given stays; None as `valid_to` says that the
        fact holds.

        Values derived from a memory, including facts, are computed again after the reply.
        """
        fields = {"user_id": user_id, **correction}
        return await self._ask(commands.Correct, commands.CorrectReply, fields)

    async def reject(
        self, user_id: str, fact_id: UUID | str, **options: Unpack[CommandOptions]
    ) -> commands.RejectFactReply:
        """Remove a fact that was read wrongly; the same words do not produce it again."""
        fields = {"user_id": user_id, "fact_id": fact_id, **options}
        return await self._ask(commands.RejectFact, commands.RejectFactReply, fields)

    async def assert_facts(
        self, user_id: str, facts: Iterable[AssertedFactFields], **options: Unpack[CommandOptions]
    ) -> commands.AssertReply:
        """Hand in facts that your own language model has read.

        A fact with a `message_id` counts as evidence of that message: it must stand in the user's words, and
        is erased with them; a message that has not arrived is waited for. One without is your bot's word,
        and is erased with the user only.

        Returns:
            For each fact, whether it was accepted, its id, or else the reason.

        Raises:
            Unavailable: a message has not arrived within four seconds; no fact of it was taken.
        """
        fields = {"user_id": user_id, "facts": tuple(facts), **options}
        return await self._ask(commands.Assert, commands.AssertReply, fields)

    async def identify(
        self,
        user_id: str,
        names: tuple[str, str],
        *,
        same: bool | None = True,
        **options: Unpack[CommandOptions],
    ) -> commands.IdentifyReply:
        """Declare that two names are one person or animal, or two; None leaves it to the rules."""
        fields = {"user_id": user_id, "names": names, "same": same, **options}
        return await self._ask(commands.Identify, commands.IdentifyReply, fields)

    async def feedback(
        self,
        user_id: str,
        recall_id: UUID | str,
        *,
        used: Iterable[UUID | str] = (),
        irrelevant: Iterable[UUID | str] = (),
        **options: Unpack[CommandOptions],
    ) -> commands.FeedbackReply:
        """Report which memories of a recall were used and which were irrelevant.

        Used memories are reinforced unless the recall already did that; irrelevant ones lose what the recall
        added. The last feedback on a memory counts.

        Returns:
            Number of memories that became stronger and weaker.

        Raises:
            NotFound: one of them is not a memory of this user; nothing was changed.
        """
        fields = {
            "user_id": user_id,
            "recall_id": recall_id,
            "used": tuple(used),
            "irrelevant": tuple(irrelevant),
            **options,
        }
        return await self._ask(commands.Feedback, commands.FeedbackReply, fields)

    async def note(
        self,
        user_id: str,
        conversation_id: str,
        key: str,
        value: JsonValue,
        **options: Unpack[CommandOptions],
    ) -> commands.NoteReply:
        """Store a value in a conversation's working memory; None removes it."""
        fields = {
            "user_id": user_id,
            "conversation_id": conversation_id,
            "key": key,
            "value": value,
            **options,
        }
        return await self._ask(commands.Note, commands.NoteReply, fields)

    async def export(
        self, user_id: str, *, cursor: str | None = None, **options: Unpack[CommandOptions]
    ) -> commands.ExportReply:
        """Return a page of all data of a user; pass its `next` as `cursor` for the following one."""
        fields = {"user_id": user_id, "cursor": cursor, **options}
        return await self._ask(commands.Export, commands.ExportReply, fields)
