"""Extracts facts from messages, by their readings, and with a language model on Ollama in addition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator

from ricordo.language.annotations import Role
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.reading import STATED
from ricordo.language.temporal.moments import find_zone
from ricordo.memory.facts.read_statements import statements_of
from ricordo.memory.facts.relation_validation import (
    Passage,
    RecognisedEntity,
    Relation,
    RelationFault,
    ValidatedStatements,
    validate_relations,
)
from ricordo.memory.facts.utterances import Utterance
from ricordo.memory.llm_validation import LlmMessage
from ricordo.models.gliner_recogniser import GlinerRecogniser
from ricordo.models.llm.language_model import LanguageModel, Numbered, lenient, schema_of
from ricordo.models.throttle import Throttle, batched
from ricordo.runtime.scheduling import CpuExecutor

_READ: Final = "llm_answered"
_UNREAD: Final = "llm_unanswered"
_RELATIONS: Final = "llm_facts"
_TOKENS_OF_A_MESSAGE: Final = 256
_MOST_FACTS: Final = 8  # of one message


def _predicates(schema: dict[str, Any]) -> None:
    schema.clear()
    schema.update(enum=[name for name in PREDICATES if name != STATED])


# An invalid value is read as empty; the validation of the claim then rejects and counts it.
_Leniently: Final = lenient("")
Words = Annotated[str, _Leniently]
Name = Annotated[str, _Leniently, Field(json_schema_extra=_predicates)]
Past = Annotated[bool, WrapValidator(lambda value, _: value is True)]


class FactAnswer(BaseModel):
    """One fact of the answer. All fields are requested; invalid ones are empty."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    subject: Words = ""
    predicate: Name = ""
    object: Words = ""
    quote: Words = ""
    past: Past = False

    def relation(self) -> Relation:
        """Return the answer as a claim."""
        return Relation(
            self.subject.strip(), self.predicate, self.object.strip(), self.quote.strip(), self.past
        )


class FactsAnswer(Numbered):
    """The answer about one message."""

    model_config = ConfigDict(strict=True)

    facts: list[Any]


class RelationReader(LanguageModel):
    """Extracts facts."""

    async def relate(self, passages: Sequence[Passage]) -> Sequence[Sequence[Relation] | None]:
        """Return the facts of each message in one request; None for one without an answer.

        Raises:
            InvalidReply: there is no answer at all.
            ModelUnavailable: there was no answer in time.
        """
        entries = [
            {
                "language": item.said.language,
                "entities": [{"name": name, "kind": label} for name, label in item.named],
                "text": item.said.shown,
            }
            for item in passages
        ]
        facts = {"type": "array", "items": schema_of(FactAnswer), "maxItems": _MOST_FACTS}
        schema = {
            "type": "object",
            "properties": {"number": {"type": "integer"}, "facts": facts},
            "required": ["number", "facts"],
        }
        answers = await self.ask_each(
            "facts", "messages", entries, FactsAnswer, tokens=_TOKENS_OF_A_MESSAGE, schema=schema
        )
        return [[_relation(fact) for fact in found[0].facts] if found else None for found in answers]


def _relation(fact: object) -> Relation:
    try:
        return FactAnswer.model_validate(fact).relation()
    except ValidationError:
        return FactAnswer().relation()


class FactExtractor:
    """Extracts what messages state, by their readings; it never fails."""

    nondeterministic: ClassVar[bool] = False
    """Whether another extraction from a message may differ; then the first result is kept."""

    def __init__(self, executor: CpuExecutor) -> None:
        self._executor = executor

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Return what each of `utterances` states, in order."""
        return await self._executor.map(statements_of, utterances)


class LlmFactExtractor(FactExtractor):
    """Extracts facts from readings and with a language model; from readings alone while it is unavailable.

    Facts of the reader are kept; those of the model count as far as the message supports them. Messages
    of others than the user, and those without a letter, are not sent to the model.

    Args:
        missing: what is permanently missing, as a sentence; empty for nothing.
    """

    nondeterministic = True

    def __init__(
        self,
        executor: CpuExecutor,
        reader: RelationReader,
        throttle: Throttle,
        *,
        recogniser: GlinerRecogniser | None = None,
        entity_throttle: Throttle | None = None,
        batch: int = 8,
        missing: str = "",
    ) -> None:
        super().__init__(executor)
        self._reader = reader
        self._throttle = throttle
        self._recogniser = recogniser
        self._entity_throttle = entity_throttle or throttle
        self._batch = batch
        self._missing = missing
        self._counts: Counter[str] = Counter()

    @property
    def counters(self) -> Mapping[str, int]:
        """Numbers of messages with and without an answer, facts added, and facts dropped by reason."""
        names = (_READ, _UNREAD, _RELATIONS, *map(_dropped, RelationFault))
        return {name: self._counts[name] for name in names}

    @property
    def problem(self) -> str:
        """What impairs it, as a sentence; empty for nothing."""
        reason = self._entity_throttle.reason or self._throttle.reason
        return f"facts are extracted by the reader alone: {reason}" if reason else self._missing

    @property
    def entities(self) -> str | None:
        """Name of the model that recognises entities, or None."""
        return None if self._recogniser is None else self._recogniser.model

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Extract the facts of each utterance."""
        found = await super().read(utterances)
        numbers = [number for number, utterance in enumerate(utterances) if _may_state(utterance)]
        if not numbers:
            return found
        answers = await self._relations([_to_message(utterances[number]) for number in numbers])
        validated = await self._executor.map(
            _validate,
            [
                (passage, relations, found[number], utterances[number])
                for number, (passage, relations) in zip(numbers, answers, strict=True)
                if relations is not None
            ],
        )
        answered = [n for n, (_, relations) in zip(numbers, answers, strict=True) if relations is not None]
        for number, result in zip(answered, validated, strict=True):
            found[number] = result.statements
            self._counts[_RELATIONS] += result.added
            self._counts.update(map(_dropped, result.faults))
        self._counts[_READ] += len(answered)
        self._counts[_UNREAD] += len(numbers) - len(answered)
        return found

    async def _relations(
        self, messages: Sequence[LlmMessage]
    ) -> list[tuple[Passage, Sequence[Relation] | None]]:
        """Return each message with what the model says of it; None without an answer."""
        deadline = self._throttle.deadline()
        named = await self._recognised([item.shown for item in messages], deadline)
        passages = [Passage(item, tuple(names or ())) for item, names in zip(messages, named, strict=True)]
        shown = [item for item, names in zip(passages, named, strict=True) if names is not None]
        some = batched(shown, lambda item: item.said.shown, self._batch)
        answers = iter(await self._throttle.each(some, self._reader.relate, deadline))
        return [
            (item, None if names is None else next(answers))
            for item, names in zip(passages, named, strict=True)
        ]

    async def _recognised(
        self, texts: Sequence[str], deadline: float
    ) -> list[Sequence[RecognisedEntity] | None]:
        if self._recogniser is None:
            return [()] * len(texts)
        some = (texts[at : at + self._batch] for at in range(0, len(texts), self._batch))
        return await self._entity_throttle.each(some, self._recogniser.entities, deadline)


def _may_state(utterance: Utterance) -> bool:
    return utterance.role == Role.USER and any(map(str.isalpha, utterance.content))


def _to_message(utterance: Utterance) -> LlmMessage:
    return LlmMessage(utterance.content, utterance.language, Role(utterance.role), utterance.speaker)


def _validate(
    item: tuple[Passage, Sequence[Relation], Sequence[Statement], Utterance],
) -> ValidatedStatements:
    passage, relations, read, utterance = item
    return validate_relations(
        passage, relations, read, at=utterance.said_at, zone=find_zone(utterance.timezone)
    )


def _dropped(fault: RelationFault) -> str:
    return f"dropped_{fault.value}"
