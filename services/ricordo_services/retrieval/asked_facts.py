"""What a question asks for by its form: facts, a feeling, or whom it names by ties."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ricordo.language.annotations import Role
from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.vocabulary import USER
from ricordo.language.feelings import BASIC_EMOTIONS
from ricordo.language.query_analysis.question_patterns import named_feeling
from ricordo.language.query_analysis.requested_predicates import CORE, words_besides
from ricordo.language.query_analysis.search_terms import asks_for
from ricordo.language.titles import only_greets
from ricordo.language.tokenization import stems
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo_services.retrieval.recall_result import RecallResult

_MOST_FELT: Final = 5
_BARE: Final = 0.99
"""The probability from which on a question asks for nothing but a fact of the user.

"Where do I live?" has 0.998. Of questions about lives that had less, the reader answers more rightly.
"""


def asks_for_the_user(recalled: RecallResult) -> bool:
    """Whether the question is for the user as a whole: "what do you know about me?"."""
    requested = recalled.analysis.requested
    is_likely = not 0 < requested.bare < _BARE  # it is 0 where words alone tell
    return is_likely and set(CORE) <= set(requested.names) and not only_greets(recalled.search_text)


def felt_as_asked(recalled: RecallResult) -> Sequence[Memory]:
    """Return the user's memories that express the feeling for which a question asks and for nothing else.

    Of the same basic emotion are sadness and grief; those of the very label come first.
    """
    analysis = recalled.analysis
    if analysis.emotion_filter is None or analysis.liked or analysis.entities or analysis.topics:
        return ()
    asked = named_feeling(recalled.question, analysis.language)
    basic = BASIC_EMOTIONS.get(asked)
    spoken = [one.memory for one in recalled.relevant_memories if one.memory.role is Role.USER]
    felt = [one for one in spoken if BASIC_EMOTIONS[one.emotion.primary] == basic]
    return sorted(felt, key=lambda one: one.emotion.primary != asked)[:_MOST_FELT]


def plainly_asked(recalled: RecallResult) -> Sequence[Fact]:
    """Return the current facts for which a question asks that asks for nothing else: "where do I live?".

    It may name somebody, by a name or by ties to the user.
    """
    requested, question, language = recalled.analysis.requested, recalled.question, recalled.analysis.language
    if any(asks_for(one, question) for one in ("time", "former")):
        return ()
    names, besides = recalled.relatives.names, requested.besides
    if recalled.relative is None and recalled.analysis.entities:
        names, entities = tuple(recalled.bearers), recalled.analysis.entities
        besides = words_besides(question, language, requested.names[:1], names=entities, examples=False)
        besides = besides.difference(stems(" ".join(entities), language))
    if names and not besides and not _is_ambiguous(recalled):
        keys = set(map(normalise, names))
        return [
            _called(one, recalled)
            for one in recalled.requested_facts
            if (normalise(one.subject) in keys or (one.predicate in BEINGS and normalise(one.object) in keys))
            and not _is_nameless(one, recalled)
        ]
    by_itself = recalled.relative is None and not recalled.analysis.entities
    if by_itself and (asks_for_the_user(recalled) or requested.bare >= _BARE):
        return [one for one in recalled.requested_facts if one.subject == USER]
    return ()


def _is_ambiguous(recalled: RecallResult) -> bool:
    """Whether "my friend" may be several, and is asked for something that is not the same of all."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    if tie is None or tie.identifies or len(recalled.relatives.names) == 1:
        return False
    return tie.predicate not in recalled.analysis.requested.names


def _is_nameless(fact: Fact, recalled: RecallResult) -> bool:
    """Whether a fact tells of somebody without a name: "you have a dog" says not what it is called."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    return tie is not None and fact.subject == USER and normalise(fact.object) == normalise(tie.noun)


def _called(fact: Fact, recalled: RecallResult) -> Fact:
    """Return "your sister is called Nora" for "Nora is your sibling", where the sister is asked for."""
    tie = recalled.relative.ties[-1] if recalled.relative else None
    if tie is None or fact.subject != USER or fact.predicate != tie.predicate:
        return fact
    return replace(fact, subject=tie.noun, predicate="name", valid_from=None)


def speaking_of_relatives(recalled: RecallResult, memories: Sequence[Memory]) -> Sequence[Memory]:
    """Return the memories that speak of whom the question names by a tie, or support a fact of theirs."""
    relative, names = recalled.relative, recalled.relatives.names
    about = [fact for fact in (*recalled.relatives.facts, *recalled.facts) if fact.speaks_of(names)]
    evidence = {message for fact in about for message in fact.message_ids}
    named = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names]

    def speaks(memory: Memory) -> bool:
        return (
            (relative is not None and relative.is_spoken_of(memory.content))
            or memory.message_id in evidence
            or any(one.search(memory.content) for one in named)  # Al is not in "also"
        )

    return [one for one in memories if speaks(one)]
