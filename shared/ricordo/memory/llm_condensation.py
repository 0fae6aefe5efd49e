"""Selects what a language model is shown to condense, and validates its answer."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ricordo.language.detection import detect, identify
from ricordo.language.document import Document
from ricordo.language.feelings import load_positions
from ricordo.language.query_analysis.question_names import names_in
from ricordo.language.text import collapse, normalise
from ricordo.language.tokenization import sentences_of, stems, words
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import Memory
from ricordo.memory.salience import MOST_SENTENCES
from ricordo.memory.summaries import MOST_TOPICS, Condensed, SessionTurn

MOST_SHOWN: Final = 12_000
"""Characters of all texts shown to a model: about 4,000 tokens."""
_READ: Final = frozenset({"it", "en"})  # languages that are detected most reliably


class CondensationFault(StrEnum):
    """Why an answer is rejected."""

    EMPTY = "it says nothing"
    MARKED = "it holds markup of recalled memories"
    SENTENCES = "it has more than three sentences"
    LONGER = "it is longer than what it condenses"
    LANGUAGE = "it is in another language"
    INVENTED = "it names what the texts do not"


def select_messages(turns: Sequence[SessionTurn], most: int = MOST_SHOWN) -> list[LlmMessage]:
    """Return the messages to show, in order; of more than `most` characters, the most important ones."""
    said = [to_llm_message(one.memory) for one in turns]
    left = most
    kept: list[int] = []
    for at in sorted(range(len(turns)), key=lambda at: (-turns[at].memory.importance, at)):
        left -= len(said[at].shown)
        if left >= 0 or not kept:
            kept.append(at)
    return [said[at] for at in sorted(kept)]


def find_fault(text: str, sources: Sequence[LlmMessage], language: str) -> CondensationFault | None:
    """Return why an answer cannot replace its sources; None if it can.

    Names and numbers must occur in the texts, or be names of speakers. The rest is not checked.
    """
    answer = collapse(normalise(text))
    if not any(letter.isalnum() for letter in answer):
        return CondensationFault.EMPTY
    if strip_recalled(answer) != answer:
        return CondensationFault.MARKED
    if len(list(sentences_of(answer))) > MOST_SENTENCES:
        return CondensationFault.SENTENCES
    if len(answer) > sum(len(one.text) for one in sources):
        return CondensationFault.LONGER
    if not _is_in(answer, language):
        return CondensationFault.LANGUAGE
    return None if _names_nothing_new(answer, sources, language) else CondensationFault.INVENTED


def validate_condensation(claim: Condensed, sources: Sequence[LlmMessage]) -> Condensed:
    """Return the answer of a model with only those topics and feelings that hold.

    A topic needs all its words, in any form, in one text; a feeling must be a label of GoEmotions.
    """
    said = [frozenset(stems(one.text, one.language)) for one in sources]
    labels = load_positions()
    topics = [
        topic if topic.user_emotion in labels else replace(topic, user_emotion="neutral")
        for topic in claim.key_topics
        if _is_told(topic.topic, sources, said)
    ]
    rating = claim.importance
    return Condensed(
        text=collapse(normalise(claim.text)),
        key_topics=tuple({one.topic: one for one in reversed(topics)}.values())[::-1][:MOST_TOPICS],
        emotions=tuple(dict.fromkeys(one for one in claim.emotions if one in labels)),
        importance=rating if rating is not None and 0 <= rating <= 1 else None,
    )


def to_llm_message(memory: Memory) -> LlmMessage:
    """Return a memory as a model is shown it."""
    return LlmMessage(memory.content, memory.language, memory.role, memory.speaker)


def _is_in(answer: str, language: str) -> bool:
    detector = detect if language in _READ else identify
    nameless = " ".join(word for word in answer.split() if not word[0].isupper())
    return not language or detector(nameless, default=language) == language


def _names_nothing_new(answer: str, sources: Sequence[LlmMessage], language: str) -> bool:
    known = {word for one in sources for word in words(f"{one.text} {one.speaker}", one.language)}
    # "dell'Anna" is one word in English and two in Italian: each text is also read as the answer is
    known |= {word for one in sources for word in words(f"{one.text} {one.speaker}", language)}
    document = Document(answer, language)
    claimed = {word for name in names_in(document) for word in words(name, language)}
    claimed |= {word.folded for word in document.words if any(map(str.isdigit, word.written))}
    return claimed <= known


def _is_told(topic: str, sources: Sequence[LlmMessage], said: Sequence[frozenset[str]]) -> bool:
    return any(
        bool(own := frozenset(stems(topic, one.language))) and own <= those
        for one, those in zip(sources, said, strict=True)
    )
