"""Finds the predicates of facts that a question asks for, and examples of answers.

"Dove abito?" asks for `lives_in`, "do I have pets?" for `has_pet`: by patterns, and by a head that was fitted
on such questions and knows wordings that no pattern has. What answers such a question seldom shares a word
with it ("stiamo in via Garibaldi"), so that it is also searched for in the words of typical answers.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import E5
from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.facts.fact_words import load_words
from ricordo.language.facts.vocabulary import OPPOSITES
from ricordo.language.query_analysis.question_sentence import flat
from ricordo.language.text import stem, stop_words
from ricordo.language.text_head import load_head
from ricordo.language.tokenization import stems, words

CORE: Final = ("name", "lives_in", "works_at", "partner", "has_child", "has_pet")
"""The predicates of a question for oneself as a whole ("what do you know about me?")."""
MODEL: Final = E5
"""The embedding model of the vectors that the head reads."""
_SELF, _NONE = "self", "-"
_LEAST: Final = 0.5
"""The probability from which on a question asks for nothing but predicates."""
_WORDED: Final = 0.3
"""What words that ask for a predicate add to its probability."""
_KEPT: Final = 0.25
"""The least that a predicate has which is asked for."""
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class RequestedPredicates:
    """What a question asks for in terms of facts.

    Attributes:
        names: predicates, the likeliest first; none where the question fits none.
        bare: the probability that it says nothing else that could be searched for, and is about the user,
            [0, 1]; 0 where that is improbable.
        besides: stems of the words that neither ask for one of the predicates nor are typical of its answers:
            "broccoli" of "do I like broccoli?".
    """

    names: tuple[str, ...] = ()
    bare: float = 0.0
    besides: frozenset[str] = frozenset()

    def without_searchable_words(self, known: Collection[str]) -> "RequestedPredicates":
        """Return this for a user whose memories hold these stems: one of `besides` can be searched for."""
        return replace(self, bare=0.0) if self.besides.intersection(known) else self


NO_PREDICATES: Final = RequestedPredicates()


@dataclass(frozen=True, slots=True)
class AnswerExamples:
    """How people say what answers a question for a predicate.

    Attributes:
        own_words: those of the predicate itself, without those that only occur in the sentences.
    """

    sentences: tuple[str, ...]
    own_words: str

    @property
    def words(self) -> str:
        """All words, which are searched for."""
        return " ".join((*self.sentences, self.own_words))


@dataclass(frozen=True, slots=True)
class _Table:
    patterns: dict[str, re.Pattern[str]]
    answers: dict[str, AnswerExamples]
    at_present: re.Pattern[str]


def requested_predicates(
    query: str, language: str, *, names: Collection[str] = (), vector: NDArray[np.float32] | None = None
) -> RequestedPredicates:
    """Return the predicates that a question asks for."""
    if language not in LANGUAGES:
        return NO_PREDICATES
    text = _join_names(_without_present(query, language), names)
    if not names and _is_of_another(text, language):
        return NO_PREDICATES
    by_pattern = tuple(name for name, asks in _table(language).patterns.items() if asks.search(text))
    text = _without_present(query, language)
    head = load_head(__package__ or "", "predicates", language)
    if vector is None or head is None or names or not text.strip():
        return _with_words(text, language, by_pattern, 0.0, names)
    odds = dict(head.probabilities(query, vector))
    bare = 1.0 - odds.pop(_NONE)
    if bare < _LEAST:
        return _with_words(text, language, by_pattern, 0.0, names)
    scores = {name: share + _WORDED * (name in by_pattern) for name, share in odds.items()}
    likeliest = sorted(scores, key=scores.__getitem__, reverse=True)[:_MOST]
    kept = [name for name in likeliest if scores[name] >= _KEPT] or likeliest[:1]
    predicates = [each for name in (*kept, *by_pattern) for each in (CORE if name == _SELF else (name,))]
    return _with_words(text, language, predicates, bare, names)


def _without_present(query: str, language: str) -> str:
    """Return a question, flat, without what says that it is for what holds now: that is always meant."""
    return _table(language).at_present.sub("", flat(query))


def _join_names(text: str, names: Iterable[str]) -> str:
    """Return a flat text of the same length in which each name is one word, as the patterns expect it."""
    for name in map(flat, names):
        text = text.replace(name, re.sub(r"\W", "_", name))
    return text


def _is_of_another(text: str, language: str) -> bool:
    """Return whether a question without a name is about somebody mentioned before: "where does he work?"."""
    known, said = load_words(language), set(words(text, language))
    others, own = known.third_pronouns | known.others_possessives, known.user_pronouns | known.possessives
    return not said.isdisjoint(others) and said.isdisjoint(own)


def _with_words(
    text: str, language: str, predicates: Collection[str], bare: float, names: Iterable[str]
) -> RequestedPredicates:
    """Return the request with what the question says besides; whether somebody likes it has two answers."""
    besides = words_besides(text, language, predicates, names=names)
    opposites = [OPPOSITES[name] for name in predicates if name in OPPOSITES and besides]
    return RequestedPredicates(tuple(dict.fromkeys((*predicates, *opposites))), bare, besides)


def words_besides(
    query: str,
    language: str,
    predicates: Collection[str],
    *,
    names: Iterable[str] = (),
    examples: bool = True,
) -> frozenset[str]:
    """Return the stems of a question without what asks for `predicates` and the words of their answers.

    Args:
        names: that the question holds.
        examples: whether these are the words of all examples, "lives" of "my sister lives nearby" among them.
    """
    if language not in LANGUAGES:
        return frozenset()
    table, text = _table(language), _without_present(query, language)
    rest = text
    for asks in (table.patterns[name] for name in predicates if name in table.patterns):
        for begin, end in (match.span(1) for match in asks.finditer(_join_names(text, names))):
            rest = f"{rest[:begin]}{' ' * (end - begin)}{rest[end:]}"
    answers = [table.answers[name] for name in predicates if name in table.answers]
    said = " ".join(each.words if examples else each.own_words for each in answers)
    kept = set(words(rest, language)) - stop_words(language)
    return frozenset(stem(word, language) for word in kept).difference(stems(said, language))


def answer_examples(predicate: str, language: str) -> AnswerExamples | None:
    """Return how people say what answers a question for `predicate`; None where that is not known."""
    return _table(language).answers.get(predicate) if language in LANGUAGES else None


@lru_cache(maxsize=len(LANGUAGES))
def _table(language: str) -> _Table:
    """Return `predicate_questions.toml` of a language, read once."""
    data = read_table("predicate_questions", language)
    entries = data["predicates"]
    return _Table(
        {
            # Looked ahead for, so that matches may overlap: "what [do I do] for a living".
            name: re.compile(f"(?=({'|'.join(entry['asks'])}))")
            for name, entry in entries.items()
        },
        {name: AnswerExamples(tuple(entry["answers"]), entry["words"]) for name, entry in entries.items()},
        re.compile(rf"\s?\b(?:{'|'.join(data['at_present'])})(?!\w)"),
    )
