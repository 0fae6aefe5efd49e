"""What a question asks for by its form: facts, a feeling, or whom it names by ties."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ricordo.language.annotations import Role
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.kinship import BEINGS, Tie
from ricordo.language.facts.vocabulary import USER
from ricordo.language.feelings import BASIC_EMOTIONS
from ricordo.language.query_analysis.question_patterns import named_feeling
from ricordo.language.query_analysis.requested_predicates import CORE, words_besides
from ricordo.language.query_analysis.search_terms import asks_for
from ricordo.language.titles import only_greets
from ricordo.language.tokenization import content_words, stems
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo_services.retrieval.recall_result import RecallResult

_MOST_FELT: Final = 5
_BARE: Final = 0.99
"""The probability from which on a question asks for a fact of the user and for nothing else."""


def asks_for_the_user(recalled: RecallResult) -> bool:
    """Whether the question is for the user as a whole: "what do you know about me?"."""
    requested = recalled.question.analysis.requested
    is_likely = not 0 < requested.bare < _BARE  # it is 0 where words alone tell
    return is_likely and set(CORE) <= set(requested.names) and not only_greets(recalled.question.search_text)


def somebody_alone(recalled: RecallResult, question: str) -> Sequence[str]:
    """Return the names in a part of the question that asks who that is, and nothing else: "who is Omar?"."""
    names, language = recalled.question.analysis.entities, recalled.question.analysis.language
    asked, named = (content_words(text, language) for text in (question, " ".join(names)))
    return names if asks_for("who", question) and set(asked) <= set(named) else ()


def felt_as_asked(recalled: RecallResult) -> Sequence[Memory]:
    """Return the user's memories that express the feeling for which a question asks and for nothing else.

    Of the same basic emotion are sadness and grief; those of the very label come first.
    """
    analysis = recalled.question.analysis
    if analysis.emotion_filter is None or analysis.liked or analysis.entities or analysis.topics:
        return ()
    asked = named_feeling(recalled.question.text, analysis.language)
    basic = BASIC_EMOTIONS.get(asked)
    spoken = [one.memory for one in recalled.relevant_memories if one.memory.role is Role.USER]
    felt = [one for one in spoken if BASIC_EMOTIONS[one.emotion.primary] == basic]
    return sorted(felt, key=lambda one: one.emotion.primary != asked)[:_MOST_FELT]


def plainly_asked(recalled: RecallResult) -> Sequence[Fact]:
    """Return the current facts for which a question asks that asks for nothing else: "where do I live?".

    It may name somebody, by a name or by ties to the user.
    """
    requested, question, language = (
        recalled.question.analysis.requested,
        recalled.question.text,
        recalled.question.analysis.language,
    )
    if any(asks_for(one, question) for one in ("time", "former")):
        return ()
    names, besides = recalled.relatives.names, requested.besides
    if recalled.question.relative is None and recalled.question.analysis.entities:
        names, entities = tuple(recalled.bearers), recalled.question.analysis.entities
        besides = words_besides(question, language, requested.names[:1], names=entities, examples=False)
        besides = besides.difference(stems(" ".join(entities), language))
    tie = recalled.question.relative.ties[-1] if recalled.question.relative else None
    if names and not besides and not _is_ambiguous(tie, recalled):
        keys = set(map(normalise, names))
        return [
            _called(one, tie)
            for one in recalled.requested_facts
            if (normalise(one.subject) in keys or (one.predicate in BEINGS and normalise(one.object) in keys))
            and not _is_nameless(one, tie)
        ]
    by_itself = tie is None and not recalled.question.analysis.entities
    if by_itself and (asks_for_the_user(recalled) or requested.bare >= _BARE):
        return [one for one in recalled.requested_facts if one.subject == USER]
    return ()


def _is_ambiguous(tie: Tie | None, recalled: RecallResult) -> bool:
    """Whether "my friend" may be several, and is asked for something that is not the same of all."""
    if tie is None or tie.identifies or len(recalled.relatives.names) == 1:
        return False
    return tie.predicate not in recalled.question.analysis.requested.names


def _is_nameless(fact: Fact, tie: Tie | None) -> bool:
    """Whether a fact tells of somebody without a name: "you have a dog" says not what it is called."""
    return tie is not None and fact.subject == USER and normalise(fact.object) == normalise(tie.noun)


def _called(fact: Fact, tie: Tie | None) -> Fact:
    """Return "your sister is called Nora" for "Nora is your sibling", where the sister is asked for."""
    if tie is None or fact.subject != USER or fact.predicate != tie.predicate:
        return fact
    return replace(fact, subject=tie.noun, predicate="name", valid_from=None)


def says_any(names: Sequence[str], memory: Memory) -> bool:
    """Whether a memory has one of the names as a word: Al is not in "also"."""
    said = "|".join(map(re.escape, names))
    return bool(said) and re.search(rf"(?<!\w)(?:{said})(?!\w)", memory.content, re.IGNORECASE) is not None


def speaking_of_relatives(recalled: RecallResult, memories: Sequence[Memory]) -> Sequence[Memory]:
    """Return the memories that speak of whom the question names by a tie, or support a fact of theirs."""
    relative, names = recalled.question.relative, recalled.relatives.names
    about = [fact for fact in (*recalled.relatives.facts, *recalled.facts) if fact.speaks_of(names)]
    evidence = {message for fact in about for message in fact.message_ids}
    tied = (lambda _: False) if relative is None else relative.is_spoken_of
    return [
        one for one in memories if tied(one.content) or one.message_id in evidence or says_any(names, one)
    ]
