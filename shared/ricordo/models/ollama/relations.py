"""Extracts facts from messages with a model on Ollama, several messages per request."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator

from ricordo.memory.facts import PREDICATES
from ricordo.memory.facts.relation_validation import Passage, Relation
from ricordo.models.ollama.reader import Numbered, OllamaReader, lenient, schema_of

_TOKENS_OF_A_MESSAGE: Final = 256
_MOST_FACTS: Final = 8  # of one message


def _predicates(schema: dict[str, Any]) -> None:
    schema.clear()
    schema.update(enum=list(PREDICATES))


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


class OllamaRelationReader(OllamaReader):
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
