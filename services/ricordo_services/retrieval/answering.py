"""Answers `query.answer`: a recall, a reading of what it found, and an answer written from what answers."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import SINGLE_VALUED
from ricordo.language.query_analysis.search_terms import (
    asks_for,
    asks_something,
    question_parts,
)
from ricordo.memory.answer_writing import write_answer, write_refusal
from ricordo.memory.answers import (
    AnswerMaterial,
    JudgedPassage,
    WrittenAnswer,
    answering_passages,
    fact_confidence,
    told_facts,
)
from ricordo.memory.context.token_budget import Count
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.enumerations import AnsweredBy, AnswerStyle, Degradation
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm_answers import LlmAnswers, OnSentence
from ricordo.models.reader.answer_reader import AnswerReader
from ricordo.models.reader.question_pairs import with_earlier
from ricordo.runtime.handling import QueryResult, SendPart
from ricordo.store.fact_queries import FactQuestion
from ricordo_services.retrieval.answer_candidates import AnswerCandidate, find_candidates
from ricordo_services.retrieval.asked_facts import (
    asks_for_the_user,
    felt_as_asked,
    plainly_asked,
    says_any,
    somebody_alone,
)
from ricordo_services.retrieval.context import language_of_reply
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_plan import latest_evidence
from ricordo_services.retrieval.recall_result import RecallResult, accessed

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
        parts = await self._parts(tenant, request, recalled, least)
        found = [one for one in parts if one.confidence >= least and (one.facts or one.passages)]
        written, by = WrittenAnswer(""), AnsweredBy.RULES
        if found:
            full = request.style is AnswerStyle.FULL
            if self.writer is not None:
                asked = AnswerMaterial.joined(found, recalled.question.text), language, recalled.question.zone
                written = await self.writer.answer(*asked, full=full, on_sentence=on_sentence) or written
                by = AnsweredBy.LLM if written.text else by
            if not written.text:
                # In a thread: the excerpt of a long message would block the event loop.
                texts = [
                    await asyncio.to_thread(
                        write_answer, one, language, recalled.question.zone, self.count, full=full
                    )
                    for one in found
                ]
                written = WrittenAnswer.joined(texts)
            for one in parts:
                if one not in found:
                    refused = WrittenAnswer(write_refusal(one.question, 0, _missing(recalled), language))
                    written = WrittenAnswer.joined([written, refused])
                    if on_sentence is not None and by is AnsweredBy.LLM:
                        await on_sentence(refused)
        if self.recall.follow_ups is not None:
            passages = [passage for one in found for passage in one.passages]
            await self.recall.follow_ups.conclude(tenant, request, recalled, passages)
        confidence = min((one.confidence for one in found), default=max(one.confidence for one in parts))
        used = {memory.id for memory in written.memories}
        recalled = replace(recalled, memories=[one for one in recalled.memories if one.memory.id in used])
        # It names the question, and not whom that names: of them much may be known.
        refusal = write_refusal(
            recalled.question.asked, recalled.archived_matches, _missing(recalled), language
        )
        text = written.text or refusal
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
            degraded=tuple(sorted(recalled.outcome.degraded)),
        )
        return QueryResult(reply, accessed(request, recalled), recalled.recall_id)

    async def _parts(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult, least: float
    ) -> Sequence[AnswerMaterial]:
        """Return what answers each part of the question."""
        parts = question_parts(recalled.question.asked)
        if len(parts) == 1 and (whole := await self._whole(tenant, request, recalled)) is not None:
            return [whole]
        if len(parts) > 1:
            recalled = replace(recalled, question=replace(recalled.question, relative=None))  # of one of them
        candidates = await find_candidates(self.recall, tenant, request, recalled)
        # A part leans on the one before it, and the first of "when and where is it?" on the next.
        first = parts[1] if len(parts[0].split()) == 1 < len(parts) else ""
        found = []
        for part, beside in zip(parts, [first, *parts], strict=False):
            judged = await self._judged(recalled, candidates, part, beside or recalled.question.earlier.text)
            found.append(await self._answered(tenant, request, recalled, judged, part, least))
        return found

    async def _whole(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult
    ) -> AnswerMaterial | None:
        """Return what answers a question for a time, a feeling or a fact; None where a passage has to."""
        material = _material(recalled, recalled.question.asked)
        if not recalled.question.search_text or recalled.question.names_only_time:
            within = [
                JudgedPassage(one.memory, _ONLY_TIME)
                for one in recalled.memories  # what was said, or happens, in the time
                if not recalled.question.search_text or float(np.max(one.signals.temporal)) >= 1.0
            ]
            return replace(material, passages=within, is_list=True, confidence=_ONLY_TIME * bool(within))
        if recalled.question.earlier.text:
            return None
        if felt := felt_as_asked(recalled):
            return replace(material, passages=[JudgedPassage(one, _FELT) for one in felt], confidence=_FELT)
        if not (
            asks_for_the_user(recalled)
            or asks_something(recalled.question.asked, recalled.question.analysis.language)
        ):
            return material
        if facts := _within(request, recalled, plainly_asked(recalled)):
            before = await self._former(tenant, request, recalled, facts)
            confidence = max(map(fact_confidence, facts))
            return replace(material, facts=facts, former=before, confidence=confidence)
        return None

    async def _answered(  # noqa: PLR0917 - who asks what, and what was found
        self,
        tenant: str,
        request: AnswerRequest,
        recalled: RecallResult,
        judged: Sequence[JudgedPassage],
        question: str,
        least: float,
    ) -> AnswerMaterial:
        """Return what answers a question of which the passages have been judged."""
        material = _material(recalled, question)
        former = asks_for("former", question)
        if alone := somebody_alone(recalled, question):  # whatever is said of somebody tells who that is
            least_of = [self.least * says_any(alone, one.memory) for one in judged]
            pairs = zip(judged, least_of, strict=True)
            judged = [replace(one, probability=max(one.probability, share)) for one, share in pairs]
        passages = answering_passages(judged, least, former=former, every=material.is_list)
        names = recalled.relatives.names or recalled.bearers
        facts = told_facts(passages, recalled.question.analysis.requested.names, names, former=former)
        best = judged[0].probability if judged else 0.0
        return replace(
            material,
            passages=passages,
            memories=[one.memory for one in judged if former or not one.memory.corrected_by],
            facts=facts,
            former=() if former else await self._former(tenant, request, recalled, facts),
            confidence=passages[0].probability if passages else min(best, least),
        )

    async def _judged(
        self, recalled: RecallResult, candidates: Sequence[AnswerCandidate], question: str, earlier: str
    ) -> Sequence[JudgedPassage]:
        """Return the candidates, each with what the reader says of it, likeliest first."""
        if recalled.question.relative is not None and recalled.relatives.names:
            names = f" ({', '.join(recalled.relatives.names[:3])})"
            question, earlier = (question, earlier + names) if earlier else (question + names, "")
        passages, likeness = [one.passage for one in candidates], [one.likeness for one in candidates]
        try:
            with recalled.outcome.part("read"):
                verdicts = await self.reader.judge(with_earlier(question, earlier), passages, likeness)
        except ModelUnavailable:
            recalled.outcome.degraded.add(Degradation.MODEL)
            return ()
        judged = [
            JudgedPassage(one.memory, verdict.probability, verdict.words, one.facts)
            for one, verdict in zip(candidates, verdicts, strict=True)
        ]
        return sorted(judged, key=lambda one: -one.probability)

    async def _former(
        self, tenant: str, request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]
    ) -> Sequence[Fact]:
        """Return what the best fact superseded, latest first."""
        if not facts or facts[0].predicate not in SINGLE_VALUED:
            return ()
        subject, predicate = facts[0].subject, facts[0].predicate
        question = FactQuestion(user_id=request.user_id, entity=subject, predicate=predicate, history=True)
        found: Sequence[Fact] = ()
        with recalled.outcome.part():
            found = await self.recall.gather.facts.facts(tenant, question)
        # What was corrected never held.
        past = [
            one
            for one in found
            if normalise(one.subject) == normalise(subject)
            and one.valid_to
            and one.valid_to != one.valid_from
        ]
        return sorted(past, key=lambda one: one.last_reinforced, reverse=True)


def _material(recalled: RecallResult, question: str) -> AnswerMaterial:
    """Return what a question asks for by its form and by what it leans on, without an answer."""
    asked = f"{recalled.question.earlier.question} {question}".strip()
    return AnswerMaterial(
        question=question,
        asks_when=asks_for("time", asked),
        is_list=asks_for("several", asked),
        now=recalled.question.now,
    )


def _within(request: AnswerRequest, recalled: RecallResult, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts; with filters those that a memory within them supports."""
    if request.filters is None:
        return facts
    evidence = {one.memory.message_id for one in recalled.memories}
    return [one for one in facts if not evidence.isdisjoint(one.message_ids)]


def _missing(recalled: RecallResult) -> Collection[str]:
    """Return the parts of the memory that were away, without which nothing is known of what it holds."""
    return recalled.outcome.degraded & {Degradation.ROWS, Degradation.VECTORS, Degradation.MODEL}


def _sources(tenant: str, written: WrittenAnswer) -> tuple[UUID, ...]:
    """Return the ids of the facts, of the memories, and of the latest evidence of the facts."""
    ids = [*(fact.id for fact in written.facts), *(memory.id for memory in written.memories)]
    return tuple(dict.fromkeys([*ids, *latest_evidence(tenant, written.facts)]))
