"""Selects the search terms of a question, tells what its form asks for, and parts it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.question_patterns import load_patterns
from ricordo.language.query_analysis.question_sentence import flat
from ricordo.language.query_analysis.requested_predicates import requested_predicates
from ricordo.language.small_talk import meaningful_words
from ricordo.language.text import APOSTROPHE_SIGNS, collapse, stem, stop_words
from ricordo.language.text_head import Floats, load_head
from ricordo.language.tokenization import content_words, words

QuestionForm = Literal["time", "former", "assistant", "several", "who"]
"""What a question asks for by its form: time, what is no more, the assistant's words, all of a kind, who."""
LEANING: Final = "leaning"
"""The label of a question that leans on the one before it, and the name of the heads that tell it."""
_LEANING_FROM: Final = 0.4
"""The probability from which on a question leans on another, chosen on writers left out of the fit."""
_MOST_READ: Final = 400  # characters
_MOST_PARTS: Final = 3
_NAME: Final = "\0"
"""Replaces the name in a question, as `questions.toml` says."""


def asks_for(what: QuestionForm, query: str) -> bool:
    """Whether a question asks for something of a kind, by its form, in any language."""
    asked = flat(collapse(query))
    return any(getattr(load_patterns(language), f"asks_{what}").search(asked) for language in LANGUAGES)


def searchable(analysis: QueryAnalysis, known: Mapping[str, bool]) -> QueryAnalysis:
    """Return the analysis for a user whose memories hold some words of the question.

    Args:
        known: words of the question, and whether memories hold them.
    """
    held = {stem(word, analysis.language) for word, is_known in known.items() if is_known}
    return replace(analysis, requested=analysis.requested.without_searchable_words(held))


def asks_something(query: str, language: str) -> bool:
    """Whether a question is more than small talk: "hi, how are you?" is answered by no memory."""
    by_pattern = requested_predicates(query, language).names  # "who am I?" has no other words
    return bool(by_pattern) or any(meaningful_words(Document(query, language)))


def question_parts(query: str) -> Sequence[str]:
    """Return the questions that a query asks one after the other, in any language, at most three.

    "Who is my dentist and where is her practice?" are two; so are "when and where is it?".
    """
    low = flat(query)
    patterns = [load_patterns(language).next_question for language in LANGUAGES]
    found = sorted({match.span() for each in patterns for match in each.finditer(low)})
    ends = [*(start for start, _ in found), len(query)]
    parts = [
        query[start:end].strip() for start, end in zip([0, *(end for _, end in found)], ends, strict=True)
    ]
    is_split = len(parts) <= _MOST_PARTS and all(any(map(str.isalnum, one)) for one in parts)
    return parts if is_split else [query]


def leans(question: str, language: str, vector: Floats) -> bool:
    """Whether a question cannot be understood without the one before, by the head of its language.

    Of a question in a language without a head, or in none that can be told, all heads must say so.

    Args:
        vector: of the question by the model that the heads were fitted on, [d], unit norm.
    """
    heads = [
        load_head(__package__ or "", LEANING, one)
        for one in ([language] if language in LANGUAGES else LANGUAGES)
    ]
    text = question[:_MOST_READ]
    return all(
        head is not None and head.probabilities(text, vector)[LEANING] >= _LEANING_FROM for head in heads
    )


def is_only_time(analysis: QueryAnalysis) -> bool:
    """Whether a question asks for all of a time, and says nothing else that could be searched for.

    Of "what did we do last week" function words are left, which are near to texts that matter to nobody.
    """
    return analysis.time is not None and analysis.time.strict and is_for_a_time(analysis)


def is_for_a_time(analysis: QueryAnalysis) -> bool:
    """Whether a question names a time and nothing else: what was said then, or what happened then."""
    if analysis.time is None or analysis.entities or analysis.topics:
        return False
    language = analysis.language
    plain = _plain_stems(language)
    said = content_words(analysis.semantic_query, language)
    return all(word in stop_words(language) or stem(word, language) in plain for word in said)


@lru_cache(maxsize=len(LANGUAGES))
def _plain_stems(language: str) -> frozenset[str]:
    """Return the stems of words that nothing is about: "thing", "do"."""
    return frozenset(stem(word, language) for word in read_table("plain_words", language)["no_topic"].split())


def is_only_names(analysis: QueryAnalysis) -> bool:
    """Whether a question holds nothing but names: "Cosa sai di Davide?", "Who is Davide?"."""
    if not analysis.entities or analysis.intent not in {"entity", "temporal"} or analysis.topics:
        return False
    if analysis.time is not None and not analysis.time.strict:
        return False
    ignored = stop_words(analysis.language)
    rest = words(_without_names(analysis.semantic_query, analysis.entities), analysis.language)
    return all(word in ignored for word in rest)


def is_only_a_name(analysis: QueryAnalysis) -> bool:
    """Whether a question asks for somebody, or how they are, and for nothing in particular about them.

    Who somebody is, is something in particular: what introduces them answers it. Else all that is about them
    is equally near to the question: of its words only the name counts, and each text has that.
    """
    if len(analysis.entities) != 1 or analysis.time is not None or analysis.topics or analysis.emotion_filter:
        return False
    asked = flat(collapse(_name_pattern(analysis.entities[0]).sub(_NAME, analysis.semantic_query)))
    return any(load_patterns(language).only_a_name.search(asked) for language in LANGUAGES)


def without_speaker_names(query: str, speakers: Iterable[str]) -> str:
    """Return `query` without the names of those who speak; as it is, where nothing else would be left.

    People do not name themselves. A question about Anna is answered by what Anna says, which a signal of its
    own finds, whereas the texts that hold her name are the ones that greet her.
    """
    kept = _without_names(query, speakers)
    return kept if any(char.isalnum() for char in kept) else query


def _without_names(query: str, names: Iterable[str]) -> str:
    for name in names:
        query = _name_pattern(name, "(?:['\u2019]s)?").sub(" ", query)
    return " ".join(query.split())


def _name_pattern(name: str, ending: str = "") -> re.Pattern[str]:
    """Return the pattern of a name, with any sign for an apostrophe in it."""
    written = re.sub(f"[{APOSTROPHE_SIGNS}]", f"[{APOSTROPHE_SIGNS}]", re.escape(name))
    return re.compile(rf"(?<!\w){written}{ending}(?!\w)", re.IGNORECASE)


def match_speakers(names: Iterable[str], speakers: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return which of `names` are those of people who speak, and who these are.

    A name is a speaker's when it is the whole of what the speaker is called, or one word of it ("Anna" and
    "Anna Rossi").
    """
    called = {speaker.casefold() for speaker in speakers if speaker.strip()}
    found: dict[str, frozenset[str]] = {}
    for name in names:
        folded = name.casefold()
        if who := frozenset(one for one in called if one == folded or folded in one.split()):
            found[name] = who
    return found
