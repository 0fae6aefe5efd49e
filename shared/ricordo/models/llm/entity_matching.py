"""Decides whether two entities of a user are the same with a model on Ollama, several pairs per request."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from pydantic import ConfigDict

from ricordo.models.llm.language_model import LanguageModel, Numbered

_TOKENS_OF_A_PAIR: Final = 24


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """An entity as it is shown to the model; data, never an instruction.

    Attributes:
        name: with what distinguishes it from others of that name: "Marco (brother)".
    """

    name: str
    aliases: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()

    def shown(self) -> dict[str, object]:
        """Return it as JSON."""
        return {
            "name": self.name,
            "also_called": list(self.aliases),
            "facts": list(self.facts),
            "quotes": list(self.quotes),
        }


class EntityPair(NamedTuple):
    """Two entities that may be the same."""

    one: EntityProfile
    other: EntityProfile


class MatchVerdict(StrEnum):
    """The model's verdict on a pair."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class PairAnswer(Numbered):
    """The answer about one pair."""

    model_config = ConfigDict(strict=True)

    verdict: Literal["same", "different", "unsure"]


class EntityMatcher(LanguageModel):
    """Decides whether entities are the same."""

    async def judge(self, pairs: Sequence[EntityPair]) -> list[MatchVerdict | None]:
        """Judge pairs of entities of one user in one request; None without a clear verdict.

        Raises:
            InvalidReply: there is no verdict at all.
            ModelUnavailable: there was no answer in time.
        """
        entries = [{"first": pair.one.shown(), "second": pair.other.shown()} for pair in pairs]
        answers = await self.ask_each("identities", "pairs", entries, PairAnswer, tokens=_TOKENS_OF_A_PAIR)
        verdicts = [{answer.verdict for answer in found} for found in answers]
        return [MatchVerdict(found.pop()) if len(found) == 1 else None for found in verdicts]
