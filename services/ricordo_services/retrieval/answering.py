"""Answers `query.answer`: a recall, and an answer written from what it found."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from ricordo.language.query_analysis.requested_predicates import CORE
from ricordo.language.query_analysis.search_terms import asks_for_the_former
from ricordo.language.titles import only_greets
from ricordo.memory.answers import (
    SUFFICIENT,
    AnswerMaterial,
    WrittenAnswer,
    answering_facts,
    asks_something,
    fact_confidence,
    felt_as_asked,
    relatives_facts,
    second_is_close,
    write_answer,
    write_refusal,
)
from ricordo.memory.context.token_budget import Count
from ricordo.memory.facts import SINGLE_VALUED, USER, Fact, normalise
from ricordo.memory.model import Memory
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.enumerations import AnsweredBy, AnswerStyle, Degradation
from ricordo.messages.ids import memory_id
from ricordo.models.llm_answers import LlmAnswers, OnSentence
from ricordo.runtime.handling import QueryResult, SendPart
from ricordo.store.database import StoreUnavailable
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.retrieval.context import language_of_reply
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_result import RecalledMemory, RecallResult, accessed

_EVIDENCE_OF_A_FACT = 3  # its latest supporting messages
_FELT = (
    0.7  # the confidence of what expresses the feeling that is all the question names, at least; not fitted
)
_ONLY_TIME = 0.9  # the confidence of what lies in the time that is all the question names


@dataclass(frozen=True, slots=True)
class AnswerService:
    """Answers questions in words.

    Attributes:
        count: counts the tokens of a text.
        writer: the language model that writes answers; None for the rules alone.
    """

    recall: RecallService
    count: Count
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
        material = await self._material(tenant, request, recalled)
        confidence = _confidence(recalled, material)
        written, by = WrittenAnswer(""), AnsweredBy.RULES
        if confidence >= SUFFICIENT and (material.facts or material.memories):
            asked, full = (material, language, recalled.zone), request.style is AnswerStyle.FULL
            if self.writer is not None:
                written = await self.writer.answer(*asked, full=full, on_sentence=on_sentence) or written
                by = AnsweredBy.LLM if written.text else by
            if not written.text:
                # In a thread: the excerpt of a long message would block the event loop.
                written = await asyncio.to_thread(write_answer, *asked, self.count, full=full)
        answered = bool(written.text)
        used = {memory.id for memory in written.memories}
        recalled.memories = [one for one in recalled.memories if one.memory.id in used]
        text = written.text or _refusal(request, recalled, language)
        if on_sentence is not None and by is AnsweredBy.RULES:
            await on_sentence(replace(written, text=text))
        reply = AnswerReply(
            answer=text,
            answered=answered,
            confidence=round(confidence, 4),
            sources=_sources(tenant, written),
            by=by,
            recall_id=recalled.recall_id,
            archived_matches=recalled.archived_matches,
            degraded=tuple(sorted(recalled.degraded)),
        )
        return QueryResult(reply, accessed(request, recalled), recalled.recall_id)

    async def _material(self, tenant: str, request: AnswerRequest, recalled: RecallResult) -> AnswerMaterial:
        language = recalled.analysis.language
        felt_or_all = _asks_for_the_user(recalled) or recalled.analysis.emotion_filter is not None
        asks = felt_or_all or asks_something(request.query, language)
        if _asks_for_a_feeling(recalled):
            memories = [one.memory for one in recalled.relevant_memories]
            if felt := felt_as_asked(request.query, memories, language):
                return AnswerMaterial(question=request.query, memories=felt, is_felt=True)
        if recalled.search_text and not asks:
            return AnswerMaterial(question=request.query)
        relevant = recalled.relevant_memories
        if recalled.relative is not None:
            relevant = _spoken_of(recalled, relevant)
        memories = [one.memory for one in relevant]
        facts = _facts(request, recalled)
        former = await self._former(tenant, request, recalled, facts)
        if asks_for_the_former(request.query) and not _follows(facts, former):
            facts, former = former, ()
        return AnswerMaterial(
            question=request.query,
            facts=facts,
            former=former,
            memories=memories,
            dated=frozenset(one.memory.id for one in relevant if one.signals.dated),
            is_close=second_is_close([(one.memory.content, one.score) for one in relevant]),
            is_list=not recalled.search_text or _is_in_time(recalled),
        )

    async def _former(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]
    ) -> Sequence[Fact]:
        """Return what the best fact superseded, or what is asked for that is no more; latest first."""
        subjects: Sequence[str]
        if asks_for_the_former(request.query) and recalled.analysis.requested.names:
            subjects, predicate = _asked_about(recalled), recalled.analysis.requested.names[0]
        elif facts and facts[0].predicate in SINGLE_VALUED:
            subjects, predicate = (facts[0].subject,), facts[0].predicate
        else:
            return ()
        past: list[Fact] = []
        for subject in subjects:
            question = FactQuestion(
                user_id=request.user_id, entity=subject, predicate=predicate, history=True
            )
            try:
                found = await self.recall.facts.queries.facts(tenant, question)
            except StoreUnavailable:
                recalled.degraded.add(Degradation.ROWS)
                return ()
            said = _within(request, recalled, found)
            of_it = [one for one in said if normalise(one.subject) == normalise(subject)]
            # What was corrected never held.
            past += [one for one in of_it if one.valid_to and one.valid_to != one.valid_from]
        return sorted(past, key=lambda one: one.last_reinforced, reverse=True)


def _follows(facts: Sequence[Fact], former: Sequence[Fact]) -> bool:
    """Whether a fact is told with what it superseded: "You live in Leeds. Before that: York."."""
    if not facts or not former:
        return False
    return facts[0].predicate in SINGLE_VALUED and len({one.subject for one in facts}) == 1


def _asked_about(recalled: RecallResult) -> Sequence[str]:
    """Return whom the question is about: those it names, by ties or by name, or the user."""
    if recalled.relative is not None:
        return recalled.relatives.names
    return recalled.bearers or (USER,)


def _asks_for_the_user(recalled: RecallResult) -> bool:
    """Whether the question is for the user as a whole: "what do you know about me?"."""
    return set(CORE) <= set(recalled.analysis.requested.names) and not only_greets(recalled.search_text)


def _facts(request: AnswerRequest, recalled: RecallResult) -> Sequence[Fact]:
    """Return the facts that answer the question."""
    facts, language = recalled.requested_facts, recalled.analysis.language
    if recalled.relatives.names:
        requested, names = recalled.analysis.requested, recalled.relatives.names
        if _is_ambiguous(recalled):
            return ()
        facts = relatives_facts(request.query, facts, names, requested.besides, language)
        facts = [_called(fact, recalled) for fact in facts if not _is_nameless(fact, recalled)]
    elif not _asks_for_the_user(recalled):
        names = recalled.analysis.entities
        facts = answering_facts(request.query, facts, language, names, recalled.bearers)
    return _within(request, recalled, facts)


def _is_ambiguous(recalled: RecallResult) -> bool:
    """Whether "my friend" may be several, and is asked for something that is not the same of all."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    if tie is None or tie.identifies or len(recalled.relatives.names) == 1:
        return False
    return tie.predicate not in recalled.analysis.requested.names


def _is_nameless(fact: Fact, recalled: RecallResult) -> bool:
    """Whether a fact tells of somebody without a name: "you have a dog" says not what it is called."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    return tie is not None and fact.subject == USER and normalise(fact.object) == normalise(tie.noun)


def _called(fact: Fact, recalled: RecallResult) -> Fact:
    """Return "your sister is called Nora" for "Nora is your sibling", where the sister is asked for."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    if tie is None or fact.subject != USER or fact.predicate != tie.predicate:
        return fact
    return replace(fact, subject=tie.noun, predicate="name", valid_from=None)


def _spoken_of(recalled: RecallResult, relevant: Sequence[RecalledMemory]) -> Sequence[RecalledMemory]:
    """Return the memories that speak of whom the question names by a tie, or support a fact of theirs."""
    relative, names = recalled.relative, recalled.relatives.names
    about = [fact for fact in (*recalled.relatives.facts, *recalled.facts) if fact.speaks_of(names)]
    evidence = {message for fact in about for message in fact.message_ids}
    named = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names]

    def speaks(memory: Memory) -> bool:
        return (
            (relative is not None and relative.is_spoken_of(memory.content))
            or memory.message_id in evidence
            or any(one.search(memory.content) for one in named)  # Al is not in "also"
        )

    return [one for one in relevant if speaks(one.memory)]


def _within(request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts; with filters those that a memory within them supports."""
    if request.filters is None:
        return facts
    evidence = {one.memory.message_id for one in recalled.memories}
    return [one for one in facts if not evidence.isdisjoint(one.message_ids)]


def _is_in_time(recalled: RecallResult) -> bool:
    """Whether the question asks for what was said or done in a time."""
    return recalled.analysis.time is not None and recalled.analysis.time.strict


def _asks_for_a_feeling(recalled: RecallResult) -> bool:
    """Whether the question asks for a feeling and for nothing else: "what made me happy?"."""
    analysis = recalled.analysis
    return (
        analysis.emotion_filter is not None
        and not analysis.liked
        and not (analysis.entities or analysis.topics)
    )


def _confidence(recalled: RecallResult, material: AnswerMaterial) -> float:
    """Return the probability that the facts or the memories hold the answer."""
    of_memories = recalled.confidence if material.memories else 0.0
    if material.memories and not recalled.search_text:
        of_memories = _ONLY_TIME
    if material.is_felt:
        of_memories = max(of_memories, _FELT)
    return max(of_memories, max(map(fact_confidence, material.facts), default=0.0))


def _refusal(request: AnswerRequest, recalled: RecallResult, language: str) -> str:
    about = ", ".join(recalled.analysis.entities or recalled.analysis.topics[:1]) or request.query
    missing = recalled.degraded & {Degradation.ROWS, Degradation.VECTORS}
    return write_refusal(about, recalled.archived_matches, missing, language)


def _sources(tenant: str, written: WrittenAnswer) -> tuple[UUID, ...]:
    """Return the ids of the facts, of the memories, and of the latest evidence of the facts."""
    messages = (each for fact in written.facts for each in fact.message_ids[-_EVIDENCE_OF_A_FACT:])
    evidence = [memory_id(tenant, message) for message in messages]
    ids = [*(fact.id for fact in written.facts), *(memory.id for memory in written.memories), *evidence]
    return tuple(dict.fromkeys(ids))
