"""Extracts evidence from messages and their corrections, and folds it into facts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.corrections.correction_parsing import read_correction
from ricordo.language.corrections.replacement import apply_correction
from ricordo.language.document import document_of
from ricordo.language.facts.entity_names import StatementKey, is_name, normalise, statement_key
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.vocabulary import USER
from ricordo.language.reading import amended
from ricordo.language.text import text_hash
from ricordo.memory.facts.fact_model import Fact, MessageContribution
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import MessageIds
from ricordo.messages.events import FactsExtracted, FactsRequested, MemoryEncoded
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.fact_ledger import FactLedger
from ricordo_services.stage_events import stage_events

Text = tuple[UUID, str]
"""The memory id and the text of a message: its own text, or the corrected one."""

_NONE: Final[Mapping[Text, Sequence[Statement]]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Amendment:
    """A message before and after its correction."""

    before: Utterance
    after: Utterance


async def read_statements(
    reader: FactExtractor, utterances: Sequence[Utterance], kept: Mapping[Text, Sequence[Statement]] = _NONE
) -> list[Sequence[Statement]]:
    """Return the statements of each utterance; a correction also denies the wrong ones.

    A correction that does not name the words to replace has only its own statements.
    """
    amended = [_amendment(one) for one in utterances]
    needed = [
        *utterances,
        *(one for each in amended if each is not None for one in (each.before, each.after)),
    ]
    unread = {text_of(one): one for one in needed if text_of(one) not in kept}
    found = await reader.read(list(unread.values())) if unread else ()
    stated = {**kept, **dict(zip(unread, found, strict=True))}
    return [
        stated[text_of(one)] if each is None else _with_amendment(one, each, stated)
        for one, each in zip(utterances, amended, strict=True)
    ]


def _with_amendment(
    correction: Utterance, amendment: _Amendment, stated: Mapping[Text, Sequence[Statement]]
) -> Sequence[Statement]:
    """Return the statements of a correction's own words and of the corrected message."""
    own = stated[text_of(correction)]
    before, after = stated[text_of(amendment.before)], stated[text_of(amendment.after)]
    after = [*after, *_missed_statements(before, after, amendment.after.content)]
    return [*own, *_changed_statements(correction, own, before, after)]


def text_of(utterance: Utterance) -> Text:
    """Return the memory id and the text of an utterance."""
    return utterance.memory_id, utterance.content


def _amendment(utterance: Utterance) -> _Amendment | None:
    """Return the amendment of a correction; None if it corrects nothing, or does not say what."""
    if utterance.corrects is None:
        return None
    before = _corrected(utterance.corrects)
    text = apply_correction(*(document_of(one.content, one.language) for one in (before, utterance)))
    if text is None:
        return None
    reading = before.reading and amended(before.reading, before.content, text)
    return _Amendment(before, replace(before, content=text, reading=reading))


def _corrected(utterance: Utterance) -> Utterance:
    """Return the corrected message of a correction, else the utterance itself."""
    amendment = _amendment(utterance)
    return utterance if amendment is None else amendment.after


def _missed_statements(
    before: Sequence[Statement], after: Sequence[Statement], content: str
) -> Iterator[Statement]:
    """Yield statements that were not found again, although their words are still there."""
    known = {(normalise(one.subject), normalise(one.object)) for one in after}
    text = normalise(content)
    for one in before:
        subject, value = normalise(one.subject), normalise(one.object)
        is_present = value in text and (subject == USER or subject in text) and normalise(one.quote) in text
        if is_present and (subject, value) not in known:
            yield one


def _changed_statements(
    utterance: Utterance, own: Sequence[Statement], before: Sequence[Statement], after: Sequence[Statement]
) -> Iterator[Statement]:
    """Yield the statements that a correction adds, and denials of those that it removes."""
    quote = utterance.content.strip()
    begin = utterance.content.index(quote)
    span = begin, begin + len(quote)
    stated, former, right = [{key_of_statement(one) for one in each} for each in (own, before, after)]
    for one in after:
        if key_of_statement(one) not in former | stated:
            yield replace(one, quote=quote, span=span)
    for one in before:
        if one.polarity != "denied" and key_of_statement(one) not in right | stated:
            yield replace(one, quote=quote, span=span, polarity="denied", valid_from=None, valid_to=None)


def key_of_statement(one: Statement) -> StatementKey:
    """Return the form under which spellings of one statement are compared."""
    return statement_key(one.subject, one.predicate, one.object)


@dataclass(frozen=True, slots=True)
class FactHandler:
    """Handles `memory.encoded` and `facts.requested`."""

    ledger: FactLedger
    clock: Clock
    reader: FactExtractor

    async def __call__(
        self, tenant: str, events: Sequence[Envelope[MemoryEncoded | FactsRequested]]
    ) -> Sequence[Outcome]:
        """Read and fold; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        utterances = await self.ledger.load(tenant, ids)
        if not utterances:
            return [Done()] * len(events)
        evidence = await self._evidence(tenant, utterances)
        contributions, progress = await self.ledger.record(tenant, evidence, self.clock.now())
        done = {one.memory_id: one for one in progress}
        extracted = partial(_extracted, contributions=contributions)
        corrections = _corrections(utterances)

        def outcome(memory_id: UUID) -> Outcome:
            """Return what follows from a message and its corrections: whatever else the batch contains."""
            read = [done.get(one) for one in (memory_id, *corrections[memory_id])]
            return Done(tuple(event for one in read for event in stage_events(tenant, one, extracted)))

        return [outcome(one.body.memory_id) for one in events]

    async def _evidence(self, tenant: str, utterances: Sequence[Utterance]) -> list[ExtractedEvidence]:
        """Return the evidence of messages; the first reading of a nondeterministic reader is kept.

        The evidence of a correction depends on the messages it corrects, too: it is kept if theirs is.
        """
        kept = await self._kept(tenant, utterances) if self.reader.nondeterministic else {}
        evidence = {
            one.memory_id: kept[one.memory_id]
            for one in utterances
            if all(each.memory_id in kept for each in (one, *one.corrected))
        }
        unread = [one for one in utterances if one.memory_id not in evidence]
        stated = await read_statements(self.reader, unread, _by_text(unread, kept))
        evidence |= {
            one.memory_id: to_evidence(one, found) for one, found in zip(unread, stated, strict=True)
        }
        return [
            replace(
                evidence[one.memory_id],
                text_hash=text_hash(one.content),
                put_right=one.put_right if _corrects(one) else None,
            )
            for one in utterances
        ]

    async def _kept(self, tenant: str, utterances: Sequence[Utterance]) -> Mapping[UUID, ExtractedEvidence]:
        """Return the stored evidence of messages, and of those they correct, if it fits their text."""
        messages = {each.memory_id: each for one in utterances for each in (one, *one.corrected)}
        kept = await self.ledger.evidence_of_memories(tenant, list(messages))
        return {one: row for one, row in kept.items() if _fits(messages[one], row)}


def _corrections(utterances: Sequence[Utterance]) -> Mapping[UUID, Sequence[UUID]]:
    """Return the corrections of each message, be it by way of others, in the order of their ids."""
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for one in sorted(utterances, key=lambda one: one.memory_id):
        for corrected in one.corrected:
            found[corrected.memory_id].append(one.memory_id)
    return found


def _fits(utterance: Utterance, stored: ExtractedEvidence) -> bool:
    """Return whether stored evidence of a message was read from its current text."""
    return all(
        utterance.content.startswith(quote, row.position)
        for row, quote in zip(stored.evidence, stored.quotes, strict=True)
    )


def _by_text(
    utterances: Sequence[Utterance], kept: Mapping[UUID, ExtractedEvidence]
) -> Mapping[Text, Sequence[Statement]]:
    """Return the stored statements of corrected messages, if these are no corrections themselves."""
    corrected = (each for one in utterances for each in one.corrected)
    return {
        text_of(one): statements_of_evidence(kept[one.memory_id])
        for one in corrected
        if one.memory_id in kept and not _corrects(one)
    }


def _corrects(utterance: Utterance) -> bool:
    return read_correction(document_of(utterance.content, utterance.language)) is not None


def to_evidence(utterance: Utterance, statements: Sequence[Statement]) -> ExtractedEvidence:
    """Return statements as evidence, except those whose subject or object is no name."""
    statements = [one for one in statements if is_name(one.subject) and is_name(one.object)]
    return ExtractedEvidence(
        memory_id=utterance.memory_id,
        message_id=utterance.message_id,
        user_id=utterance.user_id,
        said_at=utterance.said_at,
        quotes=tuple(one.quote for one in statements),
        evidence=tuple(one.evidence(utterance.message_id, utterance.said_at) for one in statements),
    )


def statements_of_evidence(stored: ExtractedEvidence) -> tuple[Statement, ...]:
    """Return the statements of stored evidence: the inverse of `to_evidence`."""
    return tuple(
        Statement(**one.claim(), quote=quote, span=(one.position, one.position + len(quote)))
        for one, quote in zip(stored.evidence, stored.quotes, strict=True)
    )


def _extracted(ids: MessageIds, contributions: Mapping[str, MessageContribution]) -> FactsExtracted:
    message_id, conversation_id = ids["message_id"], ids["conversation_id"]
    assert message_id is not None  # noqa: S101 - only messages are read
    assert conversation_id is not None  # noqa: S101 - and each is of a conversation
    of_message = contributions.get(message_id, MessageContribution())
    facts = of_message.supported
    return FactsExtracted(
        user_id=ids["user_id"],
        conversation_id=conversation_id,
        message_id=message_id,
        memory_id=ids["memory_id"],
        facts=len(facts),
        fact_ids=_ids(facts),
        new=_ids(of_message.new),
        reinforced=_ids(of_message.reinforced),
        superseded=_ids(of_message.superseded),
        disputed=_ids(of_message.disputed),
        contradictions=sum(1 for fact in facts if fact.contradictions),
    )


def _ids(facts: Sequence[Fact]) -> tuple[UUID, ...]:
    return tuple(fact.id for fact in facts)
