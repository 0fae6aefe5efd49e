"""The registry of the contract: which body and which reply belong to a name."""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from ricordo.messages import commands, events, queries
from ricordo.messages.base import Message
from ricordo.messages.subjects import STREAM_IN, stream_of


class ContractKind(StrEnum):
    """How a subject is used."""

    EVENT = "event"
    QUERY = "query"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Contract:
    """One subject of the contract.

    Attributes:
        name: such as `message.received` or `query.recall`.
        kind: event, query or command.
        body: the model of the event or request.
        reply: the model of the reply; None for events.
    """

    name: str
    kind: ContractKind
    body: type[Message]
    reply: type[Message] | None = None

    @property
    def stream(self) -> str | None:
        """The stream that keeps it; None for queries and commands."""
        return stream_of(self.name)

    @property
    def from_bots(self) -> bool:
        """Whether bots write the body; else workers do."""
        return self.kind is not ContractKind.EVENT or self.stream == STREAM_IN


def _event(body: type[events.MessageReceived | events.SessionEnded | events.DerivedEvent]) -> Contract:
    return Contract(body.name, ContractKind.EVENT, body)


def _query(name: str, body: type[Message], reply: type[Message]) -> Contract:
    return Contract(name, ContractKind.QUERY, body, reply)


def _command(name: str, body: type[Message], reply: type[Message]) -> Contract:
    return Contract(name, ContractKind.COMMAND, body, reply)


_ALL: Final = (
    _event(events.MessageReceived),
    _event(events.MessageImported),
    _event(events.SessionEnded),
    _event(events.MemoryCreated),
    _event(events.MemoryEncoded),
    _event(events.MemoryEnriched),
    _event(events.MemoryIndexed),
    _event(events.FactsExtracted),
    _event(events.MemoryRemembered),
    _event(events.MemoryAccessed),
    _event(events.MemoryChanged),
    _event(events.MemoryDecayed),
    _event(events.MemoryArchived),
    _event(events.MemoryCompressed),
    _event(events.MemoryReflected),
    _event(events.MemoryForgotten),
    _event(events.SessionSummarized),
    _query("query.recall", queries.RecallRequest, queries.RecallReply),
    _query("query.context", queries.ContextRequest, queries.ContextReply),
    _query("query.history", queries.HistoryRequest, queries.HistoryReply),
    _query("query.facts", queries.FactsRequest, queries.FactsReply),
    _query("query.timeline", queries.TimelineRequest, queries.TimelineReply),
    _query("query.working", queries.WorkingRequest, queries.WorkingReply),
    _query("query.status", queries.StatusRequest, queries.StatusReply),
    _query("query.stats", queries.StatsRequest, queries.StatsReply),
    _query("query.expand", queries.ExpandRequest, queries.ExpandReply),
    _command("command.forget", commands.Forget, commands.ForgetReply),
    _command("command.pin", commands.Pin, commands.PinReply),
    _command("command.verify", commands.Verify, commands.VerifyReply),
    _command("command.correct", commands.Correct, commands.CorrectReply),
    _command("command.reject", commands.RejectFact, commands.RejectFactReply),
    _command("command.identify", commands.Identify, commands.IdentifyReply),
    _command("command.feedback", commands.Feedback, commands.FeedbackReply),
    _command("command.note", commands.Note, commands.NoteReply),
    _command("command.export", commands.Export, commands.ExportReply),
)

CONTRACTS: Final = MappingProxyType({contract.name: contract for contract in _ALL})
"""Every subject's contract by its name."""
