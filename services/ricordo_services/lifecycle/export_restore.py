"""Restores what the messages of an export do not contain, after these were ingested again.

Memories have other ids in another tenant: those of messages follow from their messages, others from their
kind and their sources. Each step is safe to repeat.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.clock import Clock
from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemorySource, MemoryType, Role
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.user_assertions import Rejection
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import KeyTopic, Memory, derived_id
from ricordo.memory.working_memory import MAX_NOTES
from ricordo.messages.commands import Assert
from ricordo.messages.enumerations import ArchiveReason
from ricordo.messages.events import DerivedEvent, MemoryChanged
from ricordo.messages.ids import memory_id, request_key
from ricordo.messages.message_types import parse_instant
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.database import RequestConflict
from ricordo.store.entity_store import NobodyKnown, NotTwoNames, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.imports import ImportedRejection, ImportedUse, ImportStore
from ricordo.store.working_memory_store import NoteStore, TombstoneExists, TooManyNotes, WorkingNote
from ricordo_services.lifecycle.derived_events import archived, derived_memory_events
from ricordo_services.lifecycle.lifecycle_handlers import REINFORCED_FIELDS

Item = Mapping[str, Any]


def instant_of(text: str | None) -> datetime | None:
    """Parse an instant, or None."""
    return None if text is None else parse_instant(text)


def event_times_of(item: Item) -> tuple[EventTime, ...]:
    """Parse the event times; exports before 0.3 have at most one."""
    times = item.get("event_times")
    if times is None:
        times = [{"start": item["event_start"], "end": item["event_end"]}] if item["event_end"] else []
    return tuple(EventTime(parse_instant(one["start"]), parse_instant(one["end"])) for one in times)


def evidence_of(item: Item) -> Evidence:
    """Parse the assertion of a user on a fact."""
    return Evidence(
        subject=item["subject"],
        predicate=item["predicate"],
        object=item["object"],
        message_id=item["request"],
        at=parse_instant(item["said_at"]),
        polarity=item["polarity"],
        valid_from=instant_of(item["valid_from"]),
        valid_to=instant_of(item["valid_to"]),
        kind=item["kind"],
        position=item["position"],
        subject_tie=item["subject_tie"],
        object_tie=item["object_tie"],
    )


def rejected_of(item: Item) -> ImportedRejection:
    """Parse the rejection of a statement by a user."""
    fields = ("message_id", "subject", "predicate", "object", "quote")
    return ImportedRejection(
        request_id=item["request"],
        ordinal=item["ordinal"],
        fact_id=UUID(item["fact_id"]),
        rejection=Rejection(**{name: item[name] for name in fields}),
        at=parse_instant(item["rejected_at"]),
    )


_AT_ONCE: Final = 200
_COMPUTED: Final = (MemoryKind.SUMMARY, MemoryKind.SYNTHESIS)
_FIELDS: Final = (*REINFORCED_FIELDS, "pinned", "verified", "compressed")
_TEXTS: Final = (
    *("content", "title", "summary", "language", "speaker", "timezone", "conversation_id", "location"),
)
_INSTANTS: Final = ("created_at", "expires_at")
_USE: Final = (
    *("access_count", "reinforcement", "importance", "importance_beyond"),
    *("pinned", "verified", "archive_reason", "compressed"),
)
_LISTS: Final = ("participants", "topics", "questions_addressed", "tags", "refs")


@dataclass(slots=True)
class Names:
    """Maps ids of exported memories to their ids in this tenant."""

    tenant: str
    known: dict[str, UUID] = field(default_factory=dict)
    extracts: dict[str, int] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        """Add the ids of an item."""
        if item["item"] == "message":
            self.known[item["memory_id"]] = memory_id(self.tenant, item["message"]["id"])
        elif item["item"] == "document":
            self.extracts |= {one: place for place, one in enumerate(item["extract_ids"])}

    def name(self, item: Item) -> bool:
        """Compute the id of a derived memory; return whether all its sources have one."""
        sources = [self.known.get(one) for one in item["source_ids"]]
        present = [one for one in sources if one is not None]
        if len(present) < len(sources):
            return False
        kind = MemoryKind(item["kind"])
        if kind in _COMPUTED:
            named = derived_id(self.tenant, kind, present)
        elif item["id"] in self.extracts:
            named = derived_id(self.tenant, kind, present, about=str(self.extracts[item["id"]]))
        else:
            named = derived_id(self.tenant, kind, present, about=item["about"] or item["id"])
        self.known[item["id"]] = named
        return True


@dataclass(slots=True)
class Tally:
    """Counts of restored items, and the items that were left out."""

    restored: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def count(self, what: str, number: int) -> None:
        """Count restored items."""
        self.restored[what] = self.restored.get(what, 0) + number


@dataclass(frozen=True, slots=True)
class ExportRestore:
    """Restores the exported data of one user.

    Attributes:
        note_lifetime: how long a note stays in working memory here.
    """

    tenant: str
    user_id: str
    names: Names
    imports: ImportStore
    ledger: FactLedger
    note_store: NoteStore
    emitter: Emitter
    clock: Clock
    note_lifetime: timedelta
    tally: Tally = field(default_factory=Tally)

    async def decisions(self, items: Iterable[Item]) -> None:
        """Restore decisions on the identity of names."""
        for item in items:
            if item["same"] is None:
                continue
            pair = (str(item["first"]), str(item["second"]))
            try:
                await self._decide(pair, item)
                self.tally.count("decisions", 1)
            except (NotTwoNames, NobodyKnown, UnknownNames, TooManyDecisions) as error:
                self.tally.left_out.append(f"a decision on who is who: {error}")

    async def _decide(self, pair: tuple[str, str], item: Item) -> None:
        request = f"{pair[0]} {pair[1]} {item['same']} {item['decided_at']}"
        await self.ledger.decide(
            self.tenant,
            self.user_id,
            pair,
            same=bool(item["same"]),
            by=item["decided_by"],
            request_id=request_key(self.tenant, self.user_id, "import", request),
            decided_at=parse_instant(item["decided_at"]),
        )

    async def to_correct(self, items: Sequence[Item]) -> list[Item]:
        """Return the corrected memories that are here but were not corrected here."""
        found = {one["id"]: self.names.known[one["id"]] for one in items if one["id"] in self.names.known}
        done = await self.imports.corrected(self.tenant, self.user_id, list(found.values()))
        return [one for one in items if one["id"] in found and found[one["id"]] not in done]

    async def words(self, items: Iterable[Item]) -> None:
        """Restore the user's and the bot's assertions on facts."""
        words: dict[str, list[Evidence]] = {}
        asserted: dict[str, list[Item]] = {}
        for item in sorted(items, key=lambda one: (one["request"], one["ordinal"])):
            if item["kind"] == "said":
                asserted.setdefault(item["request"], []).append(item)
            else:
                words.setdefault(item["request"], []).append(evidence_of(item))
        if words:
            new = await self.imports.words(self.tenant, self.user_id, words)
            self.tally.count("words", new)
        if asserted:
            found = [self._asserted(request, some) for request, some in asserted.items()]
            new = await self.imports.assertions(self.tenant, self.user_id, found)
            self.tally.count("words", new)
            if left := sum(map(len, asserted.values())) - new:
                self.tally.left_out.append(f"{left} assertions of a bot, whose messages are not here")

    def _asserted(self, request: str, items: Sequence[Item]) -> ExtractedEvidence:
        """Return what a bot asserted of a message, or, where `request` is its key, of itself."""
        source = self._source(request)
        evidence = tuple(replace(evidence_of(one), message_id=source) for one in items)
        return ExtractedEvidence(
            memory_id=memory_id(self.tenant, source),
            message_id=source,
            user_id=self.user_id,
            said_at=evidence[0].at,
            evidence=evidence,
            quotes=tuple(one["quote"] for one in items),
        )

    def _source(self, message_id: str) -> str:
        """Return the id of a message, or, for the key of a bot's own word, the key here."""
        is_message = not message_id or " " not in message_id
        return message_id if is_message else request_key(self.tenant, self.user_id, Assert.name, "")

    async def rejections(self, items: Iterable[Item]) -> None:
        """Restore the user's rejections of misread statements."""
        rejected = [rejected_of({**item, "message_id": self._source(item["message_id"])}) for item in items]
        if rejected:
            new = await self.imports.rejections(self.tenant, self.user_id, rejected)
            self.tally.count("rejections", new)

    async def derived(self, items: Iterable[Item]) -> None:
        """Write derived memories, each after its sources."""
        waiting, more = list(items), True
        while waiting and more:
            ready = [one for one in waiting if self.names.name(one)]
            waiting, more = [one for one in waiting if one["id"] not in self.names.known], bool(ready)
            for start in range(0, len(ready), _AT_ONCE):
                await self._write(ready[start : start + _AT_ONCE])
        self.tally.left_out += [f"{_one(one['kind'])} whose sources are not here" for one in waiting]

    async def _write(self, items: Sequence[Item]) -> None:
        insights = {
            one["id"]: UUID(one["about"])
            for one in items
            if one.get("about") and not one["verified"] and one["source"] != MemorySource.USER_CORRECTION
        }
        here = await self.imports.insights(self.tenant, self.user_id, list(insights.values()))
        # An insight that was drawn here from the same messages stays, with its own reinforcement.
        self.names.known |= {one: here[about] for one, about in insights.items() if about in here}
        memories = [self._memory(one) for one in items if insights.get(one["id"]) not in here]
        about = {
            self.names.known[one["id"]]: UUID(one["about"]) for one in items if one.get("about") is not None
        }
        written = await self.imports.derived(self.tenant, memories, about, self.clock.now())
        await self.emitter.emit(
            self.tenant, derived_memory_events(memories, [one for one in written if not one.remembered])
        )
        self.tally.count("derived", len(written))

    def _memory(self, item: Item) -> Memory:
        """Return a memory as created or corrected; its reinforcement is restored later."""
        fields: dict[str, Any] = {name: item[name] for name in _TEXTS}
        fields |= {name: instant_of(item[name]) for name in _INSTANTS}
        fields |= {name: tuple(item[name]) for name in _LISTS}
        return Memory(
            **fields,
            event_times=event_times_of(item),
            id=self.names.known[item["id"]],
            tenant=self.tenant,
            user_id=self.user_id,
            type=MemoryType(item["type"]),
            kind=MemoryKind(item["kind"]),
            role=Role(item["role"]),
            source=MemorySource(item["source"]),
            source_ids=tuple(self.names.known[one] for one in item["source_ids"]),
            key_topics=tuple(KeyTopic(**one) for one in item["key_topics"]),
            emotion=Emotion(
                valence=item["valence"],
                arousal=item["arousal"],
                dominance=item["dominance"],
                primary=item["primary_emotion"],
                keywords=tuple(item["emotional_keywords"]),
                trigger=item.get("emotional_trigger", ""),
            ),
            importance=item["importance"],
            trust=item["trust"],
            confidence=item["confidence"],
            verified=item["verified"],
        )

    async def use(self, items: Iterable[Item]) -> None:
        """Restore reinforcement and curation of memories; at most some hundred at once."""
        kept = [self._use(one) for one in items if one["id"] in self.names.known]
        changed = await self.imports.use(self.tenant, self.user_id, kept)
        self.tally.count("memories", len(changed))
        live = tuple(one for one, reason in changed.items() if reason is None)
        events: list[DerivedEvent] = []
        if live:
            events.append(MemoryChanged(user_id=self.user_id, memory_ids=live, fields=_FIELDS))
        for reason in ArchiveReason:
            gone = [(one, self.user_id) for one, why in changed.items() if why == reason]
            events += archived(gone, reason)
        await self.emitter.emit(self.tenant, events)

    def _use(self, item: Item) -> ImportedUse:
        state = [item[one] for one in (*REINFORCED_FIELDS, "pinned", "verified", "archived_at", "compressed")]
        here, synthesis = self.names.known[item["id"]], item["synthesis_id"]
        return ImportedUse(
            id=here,
            event_id=uuid5(NAMESPACE_OID, f"{self.tenant}/{here}/import/{state}"),
            **{name: item[name] for name in _USE},
            last_accessed=instant_of(item["last_accessed"]),
            stored_at=parse_instant(item["stored_at"]),
            archived_at=instant_of(item["archived_at"]),
            synthesis_id=None if synthesis is None else self.names.known.get(synthesis),
        )

    async def notes(self, items: Iterable[Item]) -> None:
        """Restore notes that have not expired, with the time at which they were set."""
        oldest = self.clock.now() - self.note_lifetime
        for item in items:
            at = parse_instant(item["set_at"])
            if at <= oldest:
                continue
            request = f"{item['conversation_id']} {item['key']} {item['set_at']}"
            note = WorkingNote(
                user_id=self.user_id,
                conversation_id=item["conversation_id"],
                key=item["key"],
                value=item["value"],
                request_id=request_key(self.tenant, self.user_id, "import", request),
            )
            try:
                await self.note_store.note(
                    self.tenant, note, at, live_since=oldest, limit=MAX_NOTES, late=True
                )
                self.tally.count("notes", 1)
            except (TombstoneExists, TooManyNotes) as error:
                self.tally.left_out.append(f"a note: {error}")
            except RequestConflict:
                self.tally.left_out.append("a note: its request id was used for another note")


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"
