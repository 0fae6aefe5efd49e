"""Answers a question with facts in sentences or with quoted passages, without a language model.

All words around what was said are phrases of `context.toml`. Text of messages is escaped as in a context.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final
from uuid import UUID

from ricordo.language.annotations import EventTime, Role
from ricordo.language.document import Document
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.feelings import BASIC_EMOTIONS
from ricordo.language.query_analysis.question_patterns import named_feeling
from ricordo.language.query_analysis.requested_predicates import requested_predicates, words_besides
from ricordo.language.query_analysis.search_terms import asks_for_a_time
from ricordo.language.small_talk import meaningful_words
from ricordo.language.tokenization import stems
from ricordo.memory.context.excerpts import Excerpt
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.formatting import (
    escape_lines,
    has_single_speaker,
    is_user_statement,
    source_label,
)
from ricordo.memory.context.syntax import counted_phrase, date_text, phrase
from ricordo.memory.context.token_budget import Count, cost_within
from ricordo.memory.facts import Fact, normalise
from ricordo.memory.model import Memory

SUFFICIENT: Final = 0.6
"""The confidence from which on a question is answered."""
FACTS: Final = {False: 3, True: 10}
"""The most facts of an answer, short and full."""
FORMER: Final = {False: 1, True: 10}
"""The most former values of an answer, short and full."""
PASSAGES: Final = {False: 1, True: 5}
"""The most passages of an answer, short and full; of a short one two where the second is close."""
_CLOSE: Final = 0.5
"""The share of the best score from which on the second passage is quoted in a short answer, too."""
_PASSAGE_TOKENS: Final = {False: 80, True: 200}
_DOUBT: Final = 0.2
"""One minus the confidence of an answer by a fact with one supporting message: a prior, not fitted."""
_DISPUTED: Final = 0.8
_TIMES: Final = frozenset({"birthday", "age"})
_TIES: Final = frozenset(
    {"has_sibling", "has_parent", "has_child", "related_to", "partner", "friend", "has_pet"}
)
"""Predicates of those who are close to the user, by whom a question may name somebody: "my brother"."""
_VERIFIED: Final = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMaterial:
    """What an answer is made of.

    Attributes:
        question: as it was asked.
        facts: that answer it, best first.
        former: values that the first fact superseded, latest first.
        memories: that answer it, best first.
        dated: ids of memories whose event times answer when something happened.
        is_close: whether the second memory answers it about as likely as the first.
        is_list: whether all memories answer it together, as those of a day do.
        is_felt: whether they express the feeling that the question asks for.
    """

    question: str
    facts: Sequence[Fact] = ()
    former: Sequence[Fact] = ()
    memories: Sequence[Memory] = ()
    dated: Collection[UUID] = frozenset()
    is_close: bool = False
    is_list: bool = False
    is_felt: bool = False


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A text, and the facts and memories that it rests on."""

    text: str
    facts: tuple[Fact, ...] = ()
    memories: tuple[Memory, ...] = ()


def asks_something(question: str, language: str) -> bool:
    """Return whether a question is more than small talk: "hi, how are you?" is answered by no memory."""
    by_pattern = requested_predicates(question, language).names  # "who am I?" has no other words
    return bool(by_pattern) or any(meaningful_words(Document(question, language)))


def answering_facts(
    question: str,
    facts: Sequence[Fact],
    language: str,
    names: Collection[str] = (),
    bearers: Collection[str] = (),
) -> Sequence[Fact]:
    """Return those of the requested facts that answer the question, in their order.

    "Where does my sister live?" asks for the predicate of "I live in Trieste", too: a fact answers only where
    it holds one of the words that do not ask for its predicate, if there are any. Who the sister is answers
    nothing there: a tie answers only a question that asks for nothing else. When something was is answered by
    a fact that says a time.

    Args:
        facts: current, with a predicate that the question asks for.
        names: of people and things, as the question writes them.
        bearers: canonical names of those: "Mario Rossi" where it names Mario.
    """
    if not _TIES.issuperset(requested_predicates(question, language, names=names).names):
        facts = [one for one in facts if one.predicate not in _TIES]
    if asks_for_a_time(question):
        facts = _timed(facts)
    besides = {
        name: words_besides(question, language, (name,), names=names, examples=False)
        for name in {one.predicate for one in facts}
    }
    of_names = stems(" ".join(names), language)

    def answers(fact: Fact) -> bool:
        words = besides[fact.predicate]
        return _holds_one(fact, words.difference(of_names) if fact.speaks_of(bearers) else words, language)

    return [one for one in facts if answers(one)]


def relatives_facts(
    question: str, facts: Sequence[Fact], names: Collection[str], besides: Collection[str], language: str
) -> Sequence[Fact]:
    """Return those of the requested facts that answer a question about somebody of these names.

    Args:
        besides: stems of words of the question of which a fact holds one, if there are any.
    """
    if asks_for_a_time(question):
        facts = _timed(facts)
    keys = set(map(normalise, names))

    def is_about(fact: Fact) -> bool:
        return normalise(fact.subject) in keys or (
            fact.predicate in BEINGS and normalise(fact.object) in keys
        )

    return [one for one in facts if is_about(one) and _holds_one(one, besides, language)]


def _holds_one(fact: Fact, words: Collection[str], language: str) -> bool:
    """Whether a fact holds one of these stems, if there are any."""
    return not words or not set(words).isdisjoint(stems(f"{fact.subject} {fact.object}", language))


def _timed(facts: Sequence[Fact]) -> Sequence[Fact]:
    # Without a stated beginning, a fact is known since its first message.
    return [one for one in facts if one.predicate in _TIMES or one.valid_from != one.first_seen]


def felt_as_asked(question: str, memories: Sequence[Memory], language: str) -> Sequence[Memory]:
    """Return the user's memories that express the feeling which the question names.

    Of the same basic emotion are sadness and grief; those of the very label come first.
    """
    asked = named_feeling(question, language)
    basic = BASIC_EMOTIONS.get(asked)
    felt = [one for one in memories if one.role is Role.USER and BASIC_EMOTIONS[one.emotion.primary] == basic]
    return sorted(felt, key=lambda one: one.emotion.primary != asked)


def second_is_close(scored: Sequence[tuple[str, float]]) -> bool:
    """Return whether the second of these texts, best first, has a score close to the best.

    A text that was said twice counts once. A short answer to LoCoMo's questions rests on the evidence in 0.62
    of those that are answered; in 0.69 with the second passage where it is close, which is two answers of
    five.

    Args:
        scored: texts with their scores.
    """
    best: dict[str, float] = {}
    for text, score in scored:
        best.setdefault(text, score)
    first, second, *_ = (*best.values(), 0.0, 0.0)
    return second > 0 and second >= _CLOSE * first


def fact_confidence(fact: Fact) -> float:
    """Return the probability that a fact that was asked for answers the question, [0, 1]."""
    if fact.verified:
        return _VERIFIED
    return (1 - _DOUBT / max(1, fact.confidence)) * (_DISPUTED if fact.disputed else 1)


def write_answer(
    material: AnswerMaterial, language: str, zone: tzinfo, count: Count, *, full: bool
) -> WrittenAnswer:
    """Write the facts that answer a question as sentences; without one, quote the passages.

    Args:
        language: of the question; English phrases are used where it has none.
        count: counts the tokens of a text.
        full: whether to add all former values of a fact and further passages.
    """
    facts = tuple(material.facts[: FACTS[full]])
    memories = _passages(material, full=full)
    sentences = [fact_sentence(fact, language, zone) for fact in facts]
    formerly = {one.object: one for one in material.former if facts and one.object != facts[0].object}
    if before := list(formerly)[: FORMER[full]]:
        sentences.append(phrase(language, "answer_formerly", what=", ".join(before)))
    quoted = [] if facts and not full else memories
    one_speaks = has_single_speaker(material.memories)
    lines = [" ".join(sentences)] if sentences else []
    for memory in quoted:
        shown = _excerpt(memory, material.question, count, _PASSAGE_TOKENS[full])
        # "Sorry, Wednesday" has its time from what it corrects.
        is_dated = memory.id in material.dated and not memory.corrects
        times = memory.event_times if is_dated else ()
        said = _quoted(memory, shown, language, zone, own=one_speaks)
        when = ", ".join(dict.fromkeys(_event_text(one, language, zone) for one in times))
        lines.append(f"{when}. {said}" if when else said)
    return WrittenAnswer("\n".join(lines), (*facts, *(formerly[one] for one in before)), tuple(quoted))


def write_refusal(about: str, archived_matches: int, missing: Collection[str], language: str) -> str:
    """Say that the memory does not suffice, and whether the archive holds more; or what does not answer.

    Args:
        missing: the parts of the memory that were away: nothing is known then of what it holds.
    """
    if missing:
        return phrase(language, "degraded", missing=", ".join(sorted(missing)))
    name = "nothing_about" if about else "nothing"
    lines = [phrase(language, name, about=escape_lines(about))]
    if archived_matches:
        lines.append(counted_phrase(language, "archive_instead", archived_matches))
    return " ".join(lines)


def _passages(material: AnswerMaterial, *, full: bool) -> list[Memory]:
    """Return the memories to quote, each text once; of a list in the order of time."""
    most = PASSAGES[True] if material.is_list else max(PASSAGES[full], 1 + material.is_close)
    best: dict[str, Memory] = {}
    for memory in material.memories:
        best.setdefault(memory.content, memory)
    chosen = [*best.values()][: most * (1 + (full and material.is_list))]
    return sorted(chosen, key=lambda one: (one.created_at, one.id)) if material.is_list else chosen


def _excerpt(memory: Memory, question: str, count: Count, most: int) -> str:
    if cost_within(memory.content, most, count) <= most:
        return memory.content
    excerpt = Excerpt(memory.content, frozenset(stems(question, memory.language)), memory.language)
    return excerpt.within(most, count) or excerpt.beginning(most, count)


def _quoted(memory: Memory, shown: str, language: str, zone: tzinfo, *, own: bool) -> str:
    """Quote a passage with who said it and when: "You said on 8 May 2023: ..."."""
    name = "answer_other" if memory.message_id else "answer_source"
    if is_user_statement(memory) and (own or not memory.speaker):
        name = "answer_user"
    elif memory.role is Role.ASSISTANT and not memory.speaker:
        name = "answer_assistant"
    return phrase(
        language,
        name,
        who=source_label(memory, language),
        date=date_text(memory.created_at.astimezone(zone), language),
        what=escape_lines(shown),
    )


def _event_text(event: EventTime, language: str, zone: tzinfo) -> str:
    """Write when something happened as precisely as it is known: a time, a day, a month, a year, a range."""
    start = event.start.astimezone(zone)
    last = (event.end - timedelta(microseconds=1)).astimezone(zone)
    if start.date() == last.date():
        day = date_text(start, language)
        return day if _is_whole_day(start, last) else f"{day}, {start:%H:%M}"
    if (start.day, (last + timedelta(days=1)).day) == (1, 1):
        if (start.year, start.month) == (last.year, last.month):
            return date_text(start, language, "date_month")
        if (start.year, start.month, last.month) == (last.year, 1, 12):
            return str(start.year)
    ends = {"start": date_text(start, language), "end": date_text(last, language)}
    return phrase(language, "date_range", **ends)


def _is_whole_day(start: datetime, last: datetime) -> bool:
    return last - start >= timedelta(hours=22)  # a day has 23 hours where the clock changes
