"""Collects the memories that may answer a question, as the reader of answers reads them."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np

from ricordo.language.annotations import Role
from ricordo.language.query_analysis.search_terms import asks_for
from ricordo.memory.context.formatting import has_single_speaker
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo.messages.answers import AnswerRequest
from ricordo.messages.ids import memory_id
from ricordo.models.reader.question_pairs import ASKER, ASSISTANT, Passage
from ricordo_services.retrieval.asked_facts import speaking_of_relatives
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_result import RecallResult

_RECALLED: Final = 10
_OF_FACTS: Final = 4
"""Memories that support facts which the question asks for, and were not recalled."""


class AnswerCandidate(NamedTuple):
    """A memory that may answer.

    Attributes:
        likeness: cosine similarity to the question, [-1, 1].
        facts: that it is evidence for, whether they hold or not.
    """

    memory: Memory
    passage: Passage
    likeness: float
    facts: Sequence[Fact]


async def find_candidates(
    recall: RecallService, tenant: str, request: AnswerRequest, recalled: RecallResult
) -> Sequence[AnswerCandidate]:
    """Return what may answer, best first; nothing without the store."""
    facts: Sequence[Fact] | None = None
    with recalled.outcome.part():
        memories = await _memories(recall, tenant, request, recalled)
        before = await _before(recall, tenant, request.user_id, memories)
        messages = [one.message_id for one in memories if one.message_id]
        facts = await recall.gather.facts.of_messages(tenant, request.user_id, messages)
    if facts is None:
        return ()
    alone = has_single_speaker(memories)
    likeness = {one.memory.id: float(np.max(one.signals.semantic)) for one in recalled.memories}
    least = min(likeness.values(), default=0.0)
    return [
        AnswerCandidate(
            one,
            Passage(_who(one, alone=alone), one.content, before.get(one.preceding_id, "")),
            likeness.get(one.id, least),
            [fact for fact in facts if one.message_id in fact.message_ids],
        )
        for one in memories
    ]


async def _memories(
    recall: RecallService, tenant: str, request: AnswerRequest, recalled: RecallResult
) -> Sequence[Memory]:
    """Return the best of what was recalled, what corrects it, and what supports the facts asked for."""
    of_assistant = asks_for("assistant", recalled.question.text)
    found = [one.memory for one in recalled.memories if of_assistant or one.memory.role is not Role.ASSISTANT]
    memories: Sequence[Memory] = found[:_RECALLED]
    if request.filters is not None:
        return memories
    known = {one.message_id for one in memories}
    evidence = [fact.message_ids[-1] for fact in recalled.requested_facts if fact.message_ids]
    missing = [one for one in dict.fromkeys(evidence) if one not in known][:_OF_FACTS]
    corrections = [one for memory in memories for one in memory.corrected_by[:1]]
    ids = {memory_id(tenant, message) for message in missing}.union(corrections)
    ids -= {one.id for one in memories}
    further = await recall.memories.memories(tenant, request.user_id, [*ids]) if ids else ()
    every = [*memories, *further]
    is_about_them = recalled.question.relative is not None and not recalled.question.earlier.text
    return speaking_of_relatives(recalled, every) if is_about_them else every


async def _before(
    recall: RecallService, tenant: str, user_id: str, memories: Sequence[Memory]
) -> Mapping[UUID | None, str]:
    """Return the turn before each memory, by its id."""
    known = {one.id: one for one in memories}
    wanted = {one.preceding_id for one in memories if one.preceding_id}
    missing = [one for one in wanted if one not in known]
    rows = await recall.memories.memories(tenant, user_id, missing) if missing else ()
    every = {**known, **{one.id: one for one in rows}}
    alone = has_single_speaker([*every.values()])
    return {one: f"{_who(every[one], alone=alone)}: {every[one].content}" for one in wanted if one in every}


def _who(memory: Memory, *, alone: bool) -> str:
    """Return who says a memory, as the reader knows it."""
    if memory.role is not Role.USER:
        return ASSISTANT
    return ASKER if alone or not memory.speaker else memory.speaker
