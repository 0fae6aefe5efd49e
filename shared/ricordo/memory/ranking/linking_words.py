"""Words by which one memory leads to another: names first, and whatever else both hold and few others do."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.name_lists import load_names, starts_sentence
from ricordo.language.text import stem, stop_words
from ricordo.memory.ranking.repetitions import fold_words, is_word

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_ANY_WORD: Final = 0.5
"""What a word counts that nothing marks as a name: who writes all small writes names so, too."""


def words_of_memory(text: str, participants: Sequence[str]) -> frozenset[str]:
    """Return the case-folded words of a memory; of a text that is not known, those of its participants."""
    return _words_of_text(text) if text else frozenset(_words_of_names(tuple(participants)))


@lru_cache(maxsize=8_192)
def _words_of_text(text: str) -> frozenset[str]:
    return frozenset(fold_words(text))


def linking_words(
    text: str, participants: Sequence[str], question: str, speakers: Collection[str] = ()
) -> Mapping[str, float]:
    """Return the words of a text that may lead to another, and how much each counts, (0, 1].

    A name counts fully: of a participant, or what has a capital for no other reason than to be a name. Words
    of the question lead nowhere new, nor do names of those who speak; nor do function words, and words of
    times and usual acts.
    """
    speaking = _words_of_names(tuple(speakers))
    found = _linking_words(text, tuple(participants), question)
    return {word: share for word, share in found.items() if word not in speaking}


@lru_cache(maxsize=256)
def _linking_words(text: str, participants: tuple[str, ...], question: str) -> Mapping[str, float]:
    asked = _roots(" ".join(fold_words(question)))
    found = dict.fromkeys(_words_of_names(participants), 1.0)
    all_capitals = text.isupper()
    for match in _WORD.finditer(text):
        written, word = match[0], match[0].casefold()
        if word not in _usual_words():
            capital = written[0].isupper() and not all_capitals
            is_name = capital and not (starts_sentence(text, match.start()) and is_word(word))
            found[word] = max(found.get(word, 0.0), 1.0 if is_name else _ANY_WORD)
    return {word: share for word, share in found.items() if asked.isdisjoint(_roots(word))}


@lru_cache(maxsize=8_192)
def _roots(words: str) -> frozenset[str]:
    """Return words and their stems in any language."""
    return frozenset(
        each for word in words.split() for each in (word, *(stem(word, one) for one in LANGUAGES))
    )


@lru_cache(maxsize=1_024)
def _words_of_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for name in names for word in name.casefold().split()))


@lru_cache(maxsize=1)
def _usual_words() -> frozenset[str]:
    usual = (read_table("plain_words", language)["no_topic"].split() for language in LANGUAGES)
    return load_names().never.union(*map(stop_words, LANGUAGES), *usual)
