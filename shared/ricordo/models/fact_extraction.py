"""Extracts facts from messages, by rules or by a language model with the rules behind it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from ricordo.language.annotations import Role
from ricordo.language.document import document_of
from ricordo.language.instructions import without_instructions
from ricordo.memory.facts import Statement, extract
from ricordo.memory.facts.relation_validation import (
    Passage,
    RecognisedEntity,
    Relation,
    RelationFault,
    ValidatedStatements,
    validate_relations,
)
from ricordo.memory.facts.utterances import Utterance
from ricordo.memory.llm_description import LlmMessage
from ricordo.models.gliner_recogniser import GlinerRecogniser
from ricordo.models.ollama.relations import OllamaRelationReader
from ricordo.models.throttle import Throttle, portions_of_messages
from ricordo.runtime.scheduling import CpuExecutor

_READ: Final = "llm_answered"
_UNREAD: Final = "llm_unanswered"
_RELATIONS: Final = "llm_facts"


class FactExtractor(Protocol):
    """Extracts what messages state, by rules or by a model with the rules behind it; it never fails."""

    @property
    def nondeterministic(self) -> bool:
        """Whether another read of a message may differ: then the first result is kept."""
        ...

    async def read(self, utterances: Sequence[Utterance]) -> Sequence[Sequence[Statement]]:
        """Return what each of `utterances` states, in their order; nothing of one that states nothing."""
        ...


class RuleFactExtractor:
    """A `FactExtractor` that is never away.

    Args:
        beside: where texts are read.
    """

    nondeterministic: Final = False

    def __init__(self, beside: CpuExecutor) -> None:
        self._beside = beside

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Read each of `utterances` by rules; see `FactExtractor.read`."""
        return await self._beside.map(by_rules, utterances)


class LlmFactExtractor:
    """A `FactExtractor` that asks a language model too, and lets the rules alone answer when that does not.

    What the rules read stands; what the model says beyond it counts as far as the message bears it out.
    What a user has not said, or said without a word, is not shown to it.

    Args:
        rules: read every message.
        beside: where what the model says is held against the texts.
        reader: the language model.
        throttle: limits its use.
        recogniser: names the entities for it; None for nobody.
        throttle_of_entities: limits the use of that.
        batch: messages in a request at the most.
        lacking: what is missing for good, in words; empty for nothing.
    """

    nondeterministic: Final = True

    def __init__(
        self,
        rules: RuleFactExtractor,
        beside: CpuExecutor,
        reader: OllamaRelationReader,
        throttle: Throttle,
        *,
        recogniser: GlinerRecogniser | None = None,
        throttle_of_entities: Throttle | None = None,
        batch: int = 8,
        lacking: str = "",
    ) -> None:
        self._rules = rules
        self._beside = beside
        self._reader = reader
        self._throttle = throttle
        self._recogniser = recogniser
        self._throttle_of_entities = throttle_of_entities or throttle
        self._batch = batch
        self._lacking = lacking
        self._counts: Counter[str] = Counter()

    @property
    def counters(self) -> Mapping[str, int]:
        """What it counts: messages that the model read or should have, what it added, what was dropped."""
        names = (_READ, _UNREAD, _RELATIONS, *map(_dropped, RelationFault))
        return {name: self._counts[name] for name in names}

    @property
    def problem(self) -> str:
        """What hampers it, in words; empty for nothing."""
        reason = self._throttle_of_entities.reason or self._throttle.reason
        return f"facts are read by rules alone: {reason}" if reason else self._lacking

    @property
    def entities(self) -> str | None:
        """The name of the model that recognises entities; None for none."""
        return None if self._recogniser is None else self._recogniser.model

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Extract the facts of each utterance."""
        found = await self._rules.read(utterances)
        asked = [number for number, one in enumerate(utterances) if _may_state(one)]
        if not asked:
            return found
        told = await self._told([_said(utterances[number]) for number in asked])
        heard = await self._beside.map(
            _hear,
            [
                (passage, relations, found[number], utterances[number])
                for number, (passage, relations) in zip(asked, told, strict=True)
                if relations is not None
            ],
        )
        answered = [n for n, (_, relations) in zip(asked, told, strict=True) if relations is not None]
        for number, testimony in zip(answered, heard, strict=True):
            found[number] = testimony.statements
            self._counts[_RELATIONS] += testimony.added
            self._counts.update(map(_dropped, testimony.faults))
        self._counts[_READ] += len(answered)
        self._counts[_UNREAD] += len(asked) - len(answered)
        return found

    async def _told(self, said: Sequence[LlmMessage]) -> list[tuple[Passage, Sequence[Relation] | None]]:
        """Return what the model says of each message; None of one that it has not answered for."""
        deadline = self._throttle.deadline()
        named = await self._recognised([one.shown for one in said], deadline)
        passages = [Passage(one, tuple(names or ())) for one, names in zip(said, named, strict=True)]
        shown = [one for one, names in zip(passages, named, strict=True) if names is not None]
        some = portions_of_messages(shown, lambda one: one.said, self._batch)
        told = iter(await self._throttle.each(some, self._reader.relate, deadline))
        return [
            (one, None if names is None else next(told)) for one, names in zip(passages, named, strict=True)
        ]

    async def _recognised(
        self, texts: Sequence[str], deadline: float
    ) -> list[Sequence[RecognisedEntity] | None]:
        if self._recogniser is None:
            return [()] * len(texts)
        some = (texts[at : at + self._batch] for at in range(0, len(texts), self._batch))
        return await self._throttle_of_entities.each(some, self._recogniser.entities, deadline)


def by_rules(utterance: Utterance) -> tuple[Statement, ...]:
    """Return what the rules find that `utterance` states."""
    return extract(
        document_of(utterance.content, utterance.language),
        speaker=utterance.speaker,
        role=utterance.role,
        at=utterance.said_at,
        timezone=ZoneInfo(utterance.timezone),
        presumed=True,
        denied=True,
    )


def _may_state(utterance: Utterance) -> bool:
    return utterance.role == Role.USER and any(map(str.isalpha, without_instructions(utterance.content)))


def _said(utterance: Utterance) -> LlmMessage:
    content = without_instructions(utterance.content)
    return LlmMessage(content, utterance.language, Role(utterance.role), utterance.speaker)


def _hear(one: tuple[Passage, Sequence[Relation], Sequence[Statement], Utterance]) -> ValidatedStatements:
    passage, relations, read, utterance = one
    return validate_relations(
        passage, relations, read, at=utterance.said_at, zone=ZoneInfo(utterance.timezone)
    )


def _dropped(fault: RelationFault) -> str:
    return f"dropped_{fault.value}"
