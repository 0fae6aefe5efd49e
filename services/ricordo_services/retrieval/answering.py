"""Answers `query.answer`: a recall, a reading of what it found, and an answer written from what answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.annotations import Role
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import SINGLE_VALUED
from ricordo.language.query_analysis.search_terms import (
    asks_for_a_time,
    asks_for_the_assistant,
    asks_for_the_former,
    asks_something,
    is_for_a_time,
)
from ricordo.memory.answers import (
    AnswerMaterial,
    JudgedPassage,
    WrittenAnswer,
    answering_passages,
    fact_confidence,
    told_facts,
    write_answer,
    write_refusal,
)
from ricordo.memory.context.formatting import has_single_speaker
from ricordo.memory.context.token_budget import Count
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.enumerations import AnsweredBy, AnswerStyle, Degradation
from ricordo.messages.ids import memory_id
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm_answers import LlmAnswers, OnSentence
from ricordo.models.reader.answer_reader import AnswerReader
from ricordo.models.reader.question_pairs import ASKER, ASSISTANT, Passage
from ricordo.runtime.handling import QueryResult, SendPart
from ricordo.store.database import StoreUnavailable
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.retrieval.asked_facts import (
    asks_for_the_user,
    felt_as_asked,
    plainly_asked,
    speaking_of_relatives,
)
from ricordo_services.retrieval.context import language_of_reply
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_result import RecalledMemory, RecallResult, accessed

_EVIDENCE_OF_A_FACT: Final = 3  # its latest supporting messages
_JUDGED: Final = 10
"""Recalled memories that are read with the question."""
_OF_FACTS: Final = 4
"""Memories that support facts which the question asks for, and were not recalled."""
_FELT: Final = 0.7  # the confidence of what expresses the feeling that is all the question names; not fitted
_ONLY_TIME: Final = 0.9  # the confidence of what lies in the time that is all the question names


@dataclass(frozen=True, slots=True)
class AnswerService:
    """Answers questions in words.

    Attributes:
        reader: judges which passages answer.
        count: counts the tokens of a text.
        least: the probability from which on a question is answered, where the request says none.
        writer: the language model that writes answers; None for the rules alone.
    """

    recall: RecallService
    reader: AnswerReader
    count: Count
    least: float
    writer: LlmAnswers | None = None

    async def __call__(self, tenant: str, request: AnswerRequest, /) -> QueryResult:
        """Recall, and answer from the facts and memories that were found."""
        return await self._answer(tenant, request)

    async def in_parts(self, tenant: str, request: AnswerRequest, send: SendPart, /) -> QueryResult:
        """Answer, and send each sentence of the model as soon as it is checked; else the answer as one."""

        async def on_sentence(written: WrittenAnswer) -> None:
            await send(AnswerPart(text=written.text, sources=_sources(tenant, written)))

        return await self._answer(tenant, request, on_sentence)

    async def _answer(
        self, tenant: str, request: AnswerRequest, on_sentence: OnSentence | None = None
    ) -> QueryResult:
        recalled = await self.recall(tenant, request)
        language = language_of_reply(request, recalled)
        least = self.least if request.min_confidence is None else request.min_confidence
        material, confidence = await self._material(tenant, request, recalled, least)
        if confidence < least:
            material = replace(material, facts=(), former=(), passages=(), memories=())
        written, by = WrittenAnswer(""), AnsweredBy.RULES
        if material.facts or material.passages:
            asked, full = (material, language, recalled.zone), request.style is AnswerStyle.FULL
            if self.writer is not None:
                written = await self.writer.answer(*asked, full=full, on_sentence=on_sentence) or written
                by = AnsweredBy.LLM if written.text else by
            if not written.text:
                # In a thread: the excerpt of a long message would block the event loop.
                written = await asyncio.to_thread(write_answer, *asked, self.count, full=full)
        if self.recall.follow_ups is not None:
            await self.recall.follow_ups.conclude(tenant, request, recalled, material.passages)
        used = {memory.id for memory in written.memories}
        recalled.memories = [one for one in recalled.memories if one.memory.id in used]
        text = written.text or _refusal(recalled, language)
        if on_sentence is not None and by is AnsweredBy.RULES:
            await on_sentence(replace(written, text=text))
        reply = AnswerReply(
            answer=text,
            answered=bool(written.text),
            confidence=round(confidence, 4),
            sources=_sources(tenant, written),
            by=by,
            recall_id=recalled.recall_id,
            archived_matches=recalled.archived_matches,
            degraded=tuple(sorted(recalled.degraded)),
        )
        return QueryResult(reply, accessed(request, recalled), recalled.recall_id)

    async def _material(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult, least: float
    ) -> tuple[AnswerMaterial, float]:
        """Return what the answer is made of, and how certain it is."""
        material = AnswerMaterial(
            question=recalled.question, asks_when=asks_for_a_time(recalled.question), now=recalled.now
        )
        if not recalled.search_text or is_for_a_time(recalled.analysis):
            within = [one.memory for one in recalled.memories if _is_in_time(one, recalled)]
            passages: Sequence[JudgedPassage] = [JudgedPassage(one, _ONLY_TIME) for one in within]
            return replace(material, passages=passages, is_list=True), _ONLY_TIME if within else 0.0
        if felt := felt_as_asked(recalled):
            return replace(material, passages=[JudgedPassage(one, _FELT) for one in felt]), _FELT
        if not (asks_for_the_user(recalled) or asks_something(recalled.question, recalled.analysis.language)):
            return material, 0.0
        if facts := _within(request, recalled, plainly_asked(recalled)):
            before = await self._former(tenant, request, recalled, facts)
            return replace(material, facts=facts, former=before), max(map(fact_confidence, facts))
        judged = sorted(await self._judged(tenant, request, recalled), key=lambda one: -one.probability)
        former = asks_for_the_former(recalled.question)
        passages = answering_passages(judged, least, former=former)
        names = recalled.relatives.names or recalled.bearers
        facts = told_facts(passages, recalled.analysis.requested.names, names, former=former)
        material = replace(
            material,
            passages=passages,
            memories=[one.memory for one in judged if former or not one.memory.corrected_by],
            facts=facts,
            former=() if former else await self._former(tenant, request, recalled, facts),
        )
        best = judged[0].probability if judged else 0.0
        return material, passages[0].probability if passages else min(best, least)

    async def _judged(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult
    ) -> Sequence[JudgedPassage]:
        """Return what was recalled, each with what the reader says of it; nothing without the reader."""
        try:
            memories = await self._candidates(tenant, request, recalled)
            before = await self._before(tenant, request.user_id, memories)
            messages = [one.message_id for one in memories if one.message_id]
            facts = await self.recall.facts.queries.of_messages(tenant, request.user_id, messages)
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return ()
        alone = has_single_speaker(memories)
        passages = [
            Passage(_who(one, alone=alone), one.content, before.get(one.preceding_id, "")) for one in memories
        ]
        question = recalled.question
        if recalled.relative is not None and recalled.relatives.names:
            question = f"{question} ({', '.join(recalled.relatives.names[:3])})"
        try:
            with recalled.timing("read"):
                verdicts = await self.reader.judge(question, passages, _likeness(recalled, memories))
        except ModelUnavailable:
            recalled.degraded.add(Degradation.MODEL)
            return ()
        return [
            JudgedPassage(
                memory,
                verdict.probability,
                verdict.words,
                [fact for fact in facts if memory.message_id in fact.message_ids],
            )
            for memory, verdict in zip(memories, verdicts, strict=True)
        ]

    async def _candidates(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult
    ) -> Sequence[Memory]:
        """Return the best of what was recalled, what corrects it, and what supports the facts asked for."""
        of_assistant = asks_for_the_assistant(recalled.question)
        found = [
            one.memory
            for one in recalled.memories
            if one.memory.id not in recalled.beside
            and (of_assistant or one.memory.role is not Role.ASSISTANT)
        ]
        memories: Sequence[Memory] = found[:_JUDGED]
        if request.filters is not None:
            return memories
        known = {one.message_id for one in memories}
        evidence = [fact.message_ids[-1] for fact in recalled.requested_facts if fact.message_ids]
        missing = [one for one in dict.fromkeys(evidence) if one not in known][:_OF_FACTS]
        corrections = [one for memory in memories for one in memory.corrected_by[:1]]
        ids = {memory_id(tenant, message) for message in missing}.union(corrections)
        ids -= {one.id for one in memories}.union(recalled.beside)
        further = await self.recall.memories.memories(tenant, request.user_id, [*ids]) if ids else ()
        every = [*memories, *further]
        return every if recalled.relative is None else speaking_of_relatives(recalled, every)

    async def _before(self, tenant: str, user_id: str, memories: Sequence[Memory]) -> dict[UUID | None, str]:
        """Return the turn before each memory, by its id."""
        known = {one.id: one for one in memories}
        wanted = {one.preceding_id for one in memories if one.preceding_id}
        missing = [one for one in wanted if one not in known]
        rows = await self.recall.memories.memories(tenant, user_id, missing) if missing else ()
        every = {**known, **{one.id: one for one in rows}}
        alone = has_single_speaker([*every.values()])
        return {
            one: f"{_who(every[one], alone=alone)}: {every[one].content}" for one in wanted if one in every
        }

    async def _former(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]
    ) -> Sequence[Fact]:
        """Return what the best fact superseded, latest first."""
        if not facts or facts[0].predicate not in SINGLE_VALUED:
            return ()
        subject, predicate = facts[0].subject, facts[0].predicate
        question = FactQuestion(user_id=request.user_id, entity=subject, predicate=predicate, history=True)
        try:
            found = await self.recall.facts.queries.facts(tenant, question)
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return ()
        # What was corrected never held.
        past = [
            one
            for one in found
            if normalise(one.subject) == normalise(subject)
            and one.valid_to
            and one.valid_to != one.valid_from
        ]
        return sorted(past, key=lambda one: one.last_reinforced, reverse=True)


def _is_in_time(one: RecalledMemory, recalled: RecallResult) -> bool:
    """Whether it was said, or happens, in the time that is all the question names."""
    return not recalled.search_text or float(np.max(one.signals.temporal)) >= 1.0


def _likeness(recalled: RecallResult, memories: Sequence[Memory]) -> Sequence[float]:
    """Return how similar each memory is to the question; the others as the least similar one."""
    known = {one.memory.id: float(np.max(one.signals.semantic)) for one in recalled.memories}
    least = min(known.values(), default=0.0)
    return [known.get(one.id, least) for one in memories]


def _who(memory: Memory, *, alone: bool) -> str:
    """Return who says a memory, as the reader knows it."""
    if memory.role is not Role.USER:
        return ASSISTANT
    return ASKER if alone or not memory.speaker else memory.speaker


def _within(request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts; with filters those that a memory within them supports."""
    if request.filters is None:
        return facts
    evidence = {one.memory.message_id for one in recalled.memories}
    return [one for one in facts if not evidence.isdisjoint(one.message_ids)]


def _refusal(recalled: RecallResult, language: str) -> str:
    about = ", ".join(recalled.analysis.entities or recalled.analysis.topics[:1]) or recalled.question
    missing = recalled.degraded & {Degradation.ROWS, Degradation.VECTORS, Degradation.MODEL}
    return write_refusal(about, recalled.archived_matches, missing, language)


def _sources(tenant: str, written: WrittenAnswer) -> tuple[UUID, ...]:
    """Return the ids of the facts, of the memories, and of the latest evidence of the facts."""
    messages = (each for fact in written.facts for each in fact.message_ids[-_EVIDENCE_OF_A_FACT:])
    evidence = [memory_id(tenant, message) for message in messages]
    ids = [*(fact.id for fact in written.facts), *(memory.id for memory in written.memories), *evidence]
    return tuple(dict.fromkeys(ids))
