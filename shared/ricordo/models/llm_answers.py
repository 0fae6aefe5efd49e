"""Writes answers with a language model; only sentences that their sources support are kept."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import tzinfo
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, Field

from ricordo.language.text import collapse, normalise
from ricordo.memory.answer_writing import FACTS
from ricordo.memory.answers import AnswerMaterial, WrittenAnswer
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.formatting import escape_lines, source_label
from ricordo.memory.context.syntax import date_text
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.llm_condensation import find_fault
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import Memory
from ricordo.messages.answers import MOST_PARTS
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm.language_model import LanguageModel, Step, finished_items

_MEMORIES: Final = 10

Text = Annotated[str, Field(min_length=1, max_length=600)]
OnSentence: TypeAlias = Callable[[WrittenAnswer], Awaitable[None]]
"""Called with each supported sentence, and what it cites."""
_Source: TypeAlias = tuple[Fact | Memory, LlmMessage]


class AnswerSentence(BaseModel, frozen=True):
    """A sentence, and the numbers of the texts that support it."""

    text: Text
    evidence: Annotated[list[int], Field(max_length=20)]


class AnswerClaim(BaseModel, frozen=True):
    """The answer to a question; no sentence where the texts do not answer it."""

    sentences: Annotated[list[AnswerSentence], Field(max_length=MOST_PARTS)]


ANSWER: Final = Step("answer", AnswerClaim, tokens=384)


class LlmAnswers:
    """Writes answers with a language model; None without a supported sentence."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def answer(
        self,
        material: AnswerMaterial,
        language: str,
        zone: tzinfo,
        *,
        full: bool,
        on_sentence: OnSentence | None = None,
    ) -> WrittenAnswer | None:
        """Answer from the facts and memories that were found, each sentence by what it cites.

        Where the model fails amid its answer, or the answer is cut or invalid, the sentences before count.

        Args:
            on_sentence: called while the model writes.
        """
        shown = _sources(material, language, zone)
        if not shown:
            return None
        texts = [{"number": number, "text": one.shown} for number, (_, one) in enumerate(shown, 1)]
        given = {"question": material.question, "texts": texts}
        sentences: list[str] = []
        used: dict[int, Fact | Memory] = {}
        checked: list[AnswerSentence] = []

        async def check(written: Sequence[AnswerSentence]) -> None:
            for sentence in written[len(checked) : MOST_PARTS]:
                checked.append(sentence)
                cited = [number for number in dict.fromkeys(sentence.evidence) if 1 <= number <= len(shown)]
                if self._supports([shown[number - 1][1] for number in cited], sentence.text, language):
                    sentences.append(escape_lines(collapse(normalise(sentence.text))))
                    sources = {number: shown[number - 1][0] for number in cited}
                    used.update(sources)
                    if on_sentence is not None:
                        await on_sentence(_written(sentences[-1:], sources))

        async def check_finished(text: str) -> None:
            await check(finished_items(text, "sentences", AnswerSentence))

        with suppress(ModelUnavailable):
            claim = await self._model.ask(ANSWER, given, language, 5 if full else 2, check_finished)
            await check(claim.sentences)
        return _written(sentences, used) if sentences else None

    def _supports(self, cited: Sequence[LlmMessage], sentence: str, language: str) -> bool:
        if not cited:
            return False
        fault = find_fault(sentence, cited, language)
        if fault is not None:
            self._model.reject(ANSWER, fault)
        return fault is None


def _written(sentences: Sequence[str], used: Mapping[int, Fact | Memory]) -> WrittenAnswer:
    sources = [used[number] for number in sorted(used)]
    return WrittenAnswer(
        " ".join(sentences),
        tuple(one for one in sources if isinstance(one, Fact)),
        tuple(one for one in sources if isinstance(one, Memory)),
    )


def _sources(material: AnswerMaterial, language: str, zone: tzinfo) -> Sequence[_Source]:
    """Return what the model is shown: facts as sentences, and memories with their speaker and day."""
    facts = [(one, LlmMessage(fact_sentence(one, language, zone), language)) for one in material.facts]
    memories = [
        (
            one,
            LlmMessage(
                f"{source_label(one, language)}, {_day(one, language, zone)}: {one.content}", language
            ),
        )
        for one in (material.memories or [one.memory for one in material.passages])[:_MEMORIES]
    ]
    return [*facts[: FACTS[True]], *memories]


def _day(memory: Memory, language: str, zone: tzinfo) -> str:
    return date_text(memory.created_at.astimezone(zone), language)
