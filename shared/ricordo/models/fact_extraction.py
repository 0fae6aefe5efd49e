"""Extracts facts from messages, by their readings, and with a language model in addition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, WrapValidator

from ricordo.language.annotations import Role
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.reading import NAME_KINDS, STATED
from ricordo.language.temporal.moments import find_zone
from ricordo.memory.facts.read_statements import statements_of
from ricordo.memory.facts.relation_validation import (
    Passage,
    Relation,
    RelationFault,
    ValidatedStatements,
    validate_relations,
)
from ricordo.memory.facts.utterances import Utterance
from ricordo.memory.llm_validation import LlmMessage
from ricordo.models.gliner_recogniser import GlinerRecogniser
from ricordo.models.llm.language_model import LanguageModel, Numbered, Step, lenient
from ricordo.runtime.scheduling import CpuExecutor

_READ: Final = "llm_answered"
_UNREAD: Final = "llm_unanswered"
_RELATIONS: Final = "llm_facts"
_MOST_FACTS: Final = 8  # of one message
_KINDS: Final = {"organization": "organisation"}
"""Kinds of names by GLiNER's labels, where they differ."""


def _predicates(schema: dict[str, Any]) -> None:
    schema.clear()
    schema.update(enum=[name for name in PREDICATES if name != STATED])


# An invalid value is read as empty; the validation of the claim then rejects and counts it.
_Leniently: Final = lenient("")
Words = Annotated[str, _Leniently]
Name = Annotated[str, _Leniently, Field(json_schema_extra=_predicates)]
Past = Annotated[bool, WrapValidator(lambda value, _: value is True)]


class FactAnswer(BaseModel, frozen=True, json_schema_serialization_defaults_required=True):
    """One fact of the answer. All fields are requested; invalid ones are empty."""

    subject: Words = ""
    predicate: Name = ""
    object: Words = ""
    quote: Words = ""
    past: Past = False

    def relation(self) -> Relation:
        """Return the answer as a claim."""
        polarity: Polarity = "past" if self.past else "holds"
        return Relation(
            self.subject.strip(), self.predicate, self.object.strip(), self.quote.strip(), polarity
        )


class FactsAnswer(Numbered, strict=True):
    """The answer about one message."""

    facts: Annotated[
        list[Annotated[FactAnswer, lenient(FactAnswer())]], Field(json_schema_extra={"maxItems": _MOST_FACTS})
    ]


FACTS: Final = Step("facts", FactsAnswer, tokens=256, items="messages")


@dataclass(slots=True, eq=False)
class FactExtractor:
    """Extracts facts from readings, and with a language model in addition; it never fails.

    Facts of the reader are kept; those of the model count as far as the message supports them. Messages of
    others than the user, and those without a letter, are not sent to the model.

    Attributes:
        model: None for the readings alone.
        recogniser: names people, places and the like beside the reader, to both.
        batch: maximum number of messages per request.
        missing: what is permanently missing, as a sentence; empty for nothing.
    """

    executor: CpuExecutor
    model: LanguageModel | None = None
    recogniser: GlinerRecogniser | None = None
    batch: int = 8
    missing: str = ""
    _counts: Counter[str] = field(default_factory=Counter, init=False)

    @property
    def nondeterministic(self) -> bool:
        """Whether another extraction from a message may differ; then the first result is kept."""
        return self.model is not None

    @property
    def counters(self) -> Mapping[str, int]:
        """Numbers of messages with and without an answer, facts added, and facts dropped by reason."""
        names = (_READ, _UNREAD, _RELATIONS, *map(_dropped, RelationFault))
        return {name: self._counts[name] for name in names}

    @property
    def problem(self) -> str:
        """What impairs it, as a sentence; empty for nothing."""
        for one in (self.recogniser, self.model):
            if one is not None and one.throttle.reason:
                return f"facts are extracted by the reader alone: {one.throttle.reason}"
        return self.missing

    @property
    def entities(self) -> str | None:
        """Name of the model that recognises entities, or None."""
        return None if self.recogniser is None else self.recogniser.model

    async def read(self, utterances: Sequence[Utterance]) -> list[tuple[Statement, ...]]:
        """Return what each of `utterances` states, in order."""
        numbers = [number for number, utterance in enumerate(utterances) if _may_state(utterance)]
        messages = [_to_message(utterances[number]) for number in numbers]
        passages = [Passage(item) for item in messages]
        read = list(utterances)
        if self.recogniser is not None:
            named = await self.recogniser.recognise([item.shown for item in messages])
            passages = [Passage(item, tuple(names)) for item, names in zip(messages, named, strict=True)]
            for number, passage in zip(numbers, passages, strict=True):
                read[number] = _with_names(utterances[number], passage)
        found = await self.executor.map(statements_of, read)
        if self.model is not None:
            await self._ask(self.model, found, utterances, dict(zip(numbers, passages, strict=True)))
        return found

    async def _ask(
        self,
        model: LanguageModel,
        found: list[tuple[Statement, ...]],
        utterances: Sequence[Utterance],
        passages: Mapping[int, Passage],
    ) -> None:
        """Add to what was found what the model reads in passages, by the number of their utterance."""
        answers = await model.ask_each(FACTS, list(map(_entry, passages.values())), self.batch)
        answered = [
            (number, passage, [fact.relation() for fact in answer.facts])
            for (number, passage), answer in zip(passages.items(), answers, strict=True)
            if answer is not None
        ]
        validated = await self.executor.map(
            _validate,
            [(passage, said, found[number], utterances[number]) for number, passage, said in answered],
        )
        for (number, *_), result in zip(answered, validated, strict=True):
            found[number] = result.statements
            self._counts[_RELATIONS] += result.added
            self._counts.update(map(_dropped, result.faults))
        self._counts[_READ] += len(answered)
        self._counts[_UNREAD] += len(passages) - len(answered)


def _with_names(utterance: Utterance, passage: Passage) -> Utterance:
    """Return an utterance whose reading has the recognised names, too; where the reader has one, it stays."""
    reading = utterance.reading
    if reading is None or passage.said.shown != utterance.content:
        return utterance
    names = list(reading.names)
    for one in passage.entities:
        kind = _KINDS.get(one.label, one.label)
        if kind in NAME_KINDS and all(one.end <= start or end <= one.start for start, end, _ in names):
            names.append((one.start, one.end, kind))
    return replace(utterance, reading=replace(reading, names=tuple(sorted(names))))


def _may_state(utterance: Utterance) -> bool:
    return utterance.role == Role.USER and any(map(str.isalpha, utterance.content))


def _to_message(utterance: Utterance) -> LlmMessage:
    return LlmMessage(utterance.content, utterance.language, Role(utterance.role), utterance.speaker)


def _entry(passage: Passage) -> Mapping[str, object]:
    """Return what the model is shown of a message."""
    return {
        "language": passage.said.language,
        "entities": [{"name": name, "kind": label} for name, label in passage.named],
        "text": passage.said.shown,
    }


def _validate(
    item: tuple[Passage, Sequence[Relation], Sequence[Statement], Utterance],
) -> ValidatedStatements:
    passage, relations, read, utterance = item
    return validate_relations(
        passage, relations, read, at=utterance.said_at, zone=find_zone(utterance.timezone)
    )


def _dropped(fault: RelationFault) -> str:
    return f"dropped_{fault.name.lower()}"
