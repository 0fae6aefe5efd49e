"""Words by which one memory leads to another: names first, and whatever else both hold and few others do."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.lemmas import is_known
from ricordo.language.name_lists import load_names, starts_sentence
from ricordo.language.text import stem, stop_words
from ricordo.memory.ranking.repetitions import fold_words

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_ANY_WORD: Final = 0.5
"""What a word counts that nothing marks as a name: who writes all small writes names so, too."""


def words_of_memory(text: str, participants: Iterable[str]) -> frozenset[str]:
    """Return the case-folded words of a memory and of the names of those whom it is about."""
    return frozenset(fold_words(text)).union(*(name.casefold().split() for name in participants))


def linking_words(text: str, names: Collection[str], question: str) -> Mapping[str, float]:
    """Return the words of a text that may lead to another, and how much each counts, (0, 1].

    A name counts fully: one of `names`, or what has a capital for no other reason than to be a name. Words of
    the question lead nowhere new; nor do function words, and words of times and usual acts.

    Args:
        names: case-folded words of the names of people in the text.
    """
    asked = set(fold_words(question))
    stems = {stem(word, language) for word in asked for language in LANGUAGES}
    found: dict[str, float] = {word: 1.0 for word in names if word not in asked}
    all_capitals = text.isupper()
    for match in _WORD.finditer(text):
        written, word = match[0], match[0].casefold()
        if word in _usual_words() or word in asked or any(stem(word, each) in stems for each in LANGUAGES):
            continue
        capital = written[0].isupper() and not all_capitals
        is_name = capital and not (starts_sentence(text, match.start()) and _is_word(word))
        found[word] = max(found.get(word, 0.0), 1.0 if is_name else _ANY_WORD)
    return found


def _is_word(word: str) -> bool:
    return any(is_known(word, language) for language in LANGUAGES)


@lru_cache(maxsize=1)
def _usual_words() -> frozenset[str]:
    usual = (read_table("plain_words", language)["no_topic"].split() for language in LANGUAGES)
    return load_names().never.union(*map(stop_words, LANGUAGES), *usual)
