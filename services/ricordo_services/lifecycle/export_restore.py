"""Restores what the messages of an export do not say, after these were ingested again.

That is what people and bots decided, how memories were used, and the texts of memories without a message,
if their sources are here: nobody records which of these a language model wrote. All else is derived again.
Memories have other ids in another tenant: those of messages follow from their messages, others from their
kind and their sources. Each step is safe to repeat.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from pydantic import TypeAdapter

from ricordo.client import MemoryClient
from ricordo.clock import Clock
from ricordo.language.annotations import EventTime, MemoryKind, MemorySource
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import derived_id
from ricordo.memory.working_memory import MAX_NOTES
from ricordo.messages.commands import Assert
from ricordo.messages.enumerations import ArchiveReason
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import MemoryChanged, MemoryCreated
from ricordo.messages.ids import memory_id, request_key
from ricordo.messages.message_types import parse_instant
from ricordo.runtime.event_publishing import Emitter
from ricordo.store import rows
from ricordo.store.entity_store import NobodyKnown, NotTwoNames, TooManyDecisions, UnknownNames
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.idempotency import RequestConflict
from ricordo.store.imports import ImportedRejection, ImportStore
from ricordo.store.working_memory_store import NoteStore, TombstoneExists, TooManyNotes, WorkingNote
from ricordo_services.lifecycle.derived_events import archived
from ricordo_services.lifecycle.lifecycle_handlers import REINFORCED_FIELDS

Item = dict[str, Any]
Items = Callable[[str], Iterator[Item]]
"""Returns the items of a kind, in the order of the export."""

_AT_ONCE: Final = 200
_COMPUTED: Final = (MemoryKind.SUMMARY, MemoryKind.SYNTHESIS)
_FIELDS: Final = (*REINFORCED_FIELDS, "pinned", "verified", "compressed")
_STATE: Final = (
    *("access_count", "last_accessed", "reinforcement", "pinned", "verified", "archived_at", "compressed"),
)
_LATER_COLUMNS: Final = {"emotional_trigger": "", "refs": (), "event_times": ()}
"""Columns of a memory that earlier exports do not have."""

_evidence: Final = TypeAdapter(Evidence).validate_python
_rejected: Final = TypeAdapter(ImportedRejection).validate_python
_event_times: Final = TypeAdapter(tuple[EventTime, ...]).validate_python


@dataclass(frozen=True, slots=True)
class ExportRestore:
    """Restores the exported data of one user.

    Attributes:
        note_lifetime: how long a note stays in working memory here.
        ids: of exported memories, by their ids in the export.
        extracts: places of extracts in their documents, by their ids in the export.
        restored: numbers of items, by what they are.
        left_out: what was not restored, for people.
    """

    tenant: str
    user_id: str
    client: MemoryClient
    imports: ImportStore
    ledger: FactLedger
    note_store: NoteStore
    emitter: Emitter
    clock: Clock
    note_lifetime: timedelta
    ids: dict[str, UUID] = field(default_factory=dict)
    extracts: dict[str, int] = field(default_factory=dict)
    restored: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)

    async def run(self, items: Items, failed: Collection[str | None], patience: float) -> None:
        """Restore all items, in order of dependency.

        Sessions end behind their summaries, so that none is summed up anew.

        Args:
            failed: messages that were not ingested.
            patience: seconds without any progress after which corrected memories are no longer waited for.

        Raises:
            KeyError, TypeError, ValueError: an item does not have the form of its kind.
        """
        for item in items("message"):
            if (message_id := item["message"]["id"]) not in failed:
                self.ids[item["memory_id"]] = memory_id(self.tenant, message_id)
        for item in items("document"):
            self.extracts.update({one: place for place, one in enumerate(item["extract_ids"])})
        few = [item for item in items("memory") if item["message_id"] is None or _is_corrected(item)]
        corrected = [item for item in few if item["message_id"] is not None]
        if begun := await self._correct(corrected):
            await self.client.remembered(begun, patience)
        await self._facts(items)
        await self._identities(items("decision"))
        await self._derived([item for item in few if item["message_id"] is None])
        for item in items("session_end"):
            await self.client.end_session(self.user_id, item["conversation_id"], item["ended_at"])
        memories = (item for item in items("memory") if item["id"] in self.ids)
        while some := list(islice(memories, _AT_ONCE)):
            await self._use(some)
        await self._notes(items("note"))

    async def _correct(self, items: Iterable[Item]) -> list[str]:
        """Have memories say what the user stands behind; return the messages of those that did not."""
        here = {self.ids[item["id"]]: item for item in items if item["id"] in self.ids}
        texts = {one: item["content"] for one, item in here.items()}
        wrong = sorted(await self.imports.to_correct(self.tenant, self.user_id, texts))
        for one in wrong:
            request = f"import-{uuid5(NAMESPACE_OID, f'{one} {texts[one]}')}"
            await self.client.correct(self.user_id, memory_id=one, content=texts[one], request_id=request)
            self.restored["corrections"] += 1
        return [here[one]["message_id"] for one in wrong]

    async def _facts(self, items: Items) -> None:
        """Restore what the user and bots asserted of facts, and what the user rejected."""
        words: dict[str, list[Evidence]] = {}
        asserted: list[ExtractedEvidence] = []
        ordered = sorted(items("word"), key=itemgetter("request", "ordinal"))
        for request, found in groupby(ordered, itemgetter("request")):
            decided = list(found)
            if decided[0]["kind"] == "said":
                asserted.append(self._asserted(self._source(request), decided))
            else:
                words[request] = [_word(item, request) for item in decided]
        rejected = [
            _rejected(item | {"request_id": item["request"], "rejection": item | {"message_id": source}})
            for item in items("rejection")
            for source in [self._source(item["message_id"])]
        ]
        new = await self.imports.decisions(self.tenant, self.user_id, words, asserted, rejected)
        if ordered:
            self.restored["words"] += new.words + new.asserted
        if rejected:
            self.restored["rejections"] += new.rejected
        if left := sum(len(one.evidence) for one in asserted) - new.asserted:
            self.left_out.append(f"{left} assertions of a bot, whose messages are not here")

    def _asserted(self, message_id: str, items: Sequence[Item]) -> ExtractedEvidence:
        evidence = tuple(_word(item, message_id) for item in items)
        return ExtractedEvidence(
            memory_id=memory_id(self.tenant, message_id),
            message_id=message_id,
            user_id=self.user_id,
            said_at=evidence[0].at,
            evidence=evidence,
            quotes=tuple(item["quote"] for item in items),
        )

    def _source(self, message_id: str) -> str:
        """Return the id of a message, or, for the key of a bot's own word, the key here."""
        is_key = " " in message_id
        return request_key(self.tenant, self.user_id, Assert.name, "") if is_key else message_id

    async def _identities(self, items: Iterable[Item]) -> None:
        """Restore decisions on the identity of names."""
        for item in items:
            if item["same"] is None:
                continue
            pair = (str(item["first"]), str(item["second"]))
            try:
                await self.ledger.decide(
                    self.tenant,
                    self.user_id,
                    pair,
                    same=bool(item["same"]),
                    by=item["decided_by"],
                    request_id=self._request(*pair, item["same"], item["decided_at"]),
                    decided_at=parse_instant(item["decided_at"]),
                )
                self.restored["decisions"] += 1
            except (NotTwoNames, NobodyKnown, UnknownNames, TooManyDecisions) as error:
                self.left_out.append(f"a decision on who is who: {error}")

    def _request(self, *content: object) -> str:
        return request_key(self.tenant, self.user_id, "import", " ".join(map(str, content)))

    async def _derived(self, items: Sequence[Item]) -> None:
        """Write memories without a message whose sources are here; the user's word on one wins here, too."""
        ready = [item for item in items if self._is_named(item)]
        for start in range(0, len(ready), _AT_ONCE):
            await self._write(ready[start : start + _AT_ONCE])
        await self._correct(item for item in ready if _is_held(item))
        missing = (item["kind"] for item in items if item["id"] not in self.ids)
        self.left_out.extend(f"{_with_article(kind)} whose sources are not here" for kind in missing)

    def _is_named(self, item: Item) -> bool:
        """Give a memory its id here; return whether all its sources have one."""
        sources = [self.ids[one] for one in item["source_ids"] if one in self.ids]
        if len(sources) < len(item["source_ids"]):
            return False
        kind, about = MemoryKind(item["kind"]), item["about"] or item["id"]
        if kind in _COMPUTED:
            about = ""
        elif item["id"] in self.extracts:
            about = str(self.extracts[item["id"]])
        self.ids[item["id"]] = derived_id(self.tenant, kind, sources, about=about)
        return True

    async def _write(self, items: Sequence[Item]) -> None:
        insights = {item["id"]: UUID(item["about"]) for item in items if item["about"] and not _is_held(item)}
        drawn = await self.imports.insights(self.tenant, self.user_id, list(insights.values()))
        # An insight that was drawn here from the same messages stays, with its own reinforcement.
        known = {one: drawn[about] for one, about in insights.items() if about in drawn}
        new = [self._row(item) for item in items if item["id"] not in known]
        self.ids.update(known)
        written = await self.imports.derived(self.tenant, self.user_id, new, self.clock.now())
        waiting = [one for one in written if not one.remembered]
        await self.emitter.emit(self.tenant, [MemoryCreated(**one.ids) for one in waiting], bulk=True)
        self.restored["derived"] += len(written)

    def _row(self, item: Item) -> dict[str, Any]:
        """Return the columns of a memory, with the ids that it and its sources have here."""
        columns = {**_LATER_COLUMNS, **item}
        return columns | {
            "id": self.ids[item["id"]],
            "source_ids": [self.ids[one] for one in item["source_ids"]],
            "about": item["about"] and UUID(item["about"]),
            "event_times": rows.ranges(_event_times(columns["event_times"])),
        }

    async def _use(self, items: Sequence[Item]) -> None:
        """Restore reinforcement and curation of memories; at most some hundred at once."""
        changed = await self.imports.use(self.tenant, self.user_id, [self._state(item) for item in items])
        self.restored["memories"] += len(changed)
        live = tuple(one for one, reason in changed.items() if reason is None)
        events: list[DerivedEvent] = []
        events += [MemoryChanged(user_id=self.user_id, memory_id=one, fields=_FIELDS) for one in live]
        for reason in ArchiveReason:
            gone = [(one, self.user_id) for one, why in changed.items() if why == reason]
            events += archived(gone, reason)
        await self.emitter.emit(self.tenant, events)

    def _state(self, item: Item) -> dict[str, Any]:
        here, state = self.ids[item["id"]], {name: item[name] for name in _STATE}
        counted = f"{self.tenant}/{here}/import/{list(state.values())}"
        return state | {
            "id": here,
            "event_id": uuid5(NAMESPACE_OID, counted),
            "stored_at": item["stored_at"],
            "archive_reason": item["archive_reason"],
            "synthesis_id": self.ids.get(item["synthesis_id"]),
        }

    async def _notes(self, items: Iterable[Item]) -> None:
        """Restore notes that have not expired, with the time at which they were set."""
        oldest = self.clock.now() - self.note_lifetime
        for item in items:
            at = parse_instant(item["set_at"])
            if at <= oldest:
                continue
            where = {name: item[name] for name in ("conversation_id", "key")}
            request = self._request(*where.values(), item["set_at"])
            note = WorkingNote(user_id=self.user_id, **where, value=item["value"], request_id=request)
            try:
                await self.note_store.note(
                    self.tenant, note, at, live_since=oldest, limit=MAX_NOTES, late=True
                )
                self.restored["notes"] += 1
            except (TombstoneExists, TooManyNotes, RequestConflict) as error:
                self.left_out.append(f"a note: {error}")


def _is_corrected(item: Item) -> bool:
    return bool(item["source"] == MemorySource.USER_CORRECTION)


def _is_held(item: Item) -> bool:
    return _is_corrected(item) or bool(item["verified"])


def _word(item: Item, message_id: str) -> Evidence:
    """Return the assertion of a user or a bot on a fact."""
    return _evidence({**item, "message_id": message_id, "at": item["said_at"]})


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"
