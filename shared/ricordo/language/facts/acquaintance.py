"""Decides whether a name without a tie is an acquaintance of the user or a public figure."""

from typing import Final

from ricordo.language.facts.fact_words import word_list
from ricordo.language.name_lists import is_given, is_place

TITLES: Final = word_list("titles")
_FAMOUS: Final = word_list("famous_names")
_GIVEN: Final = word_list("more_given_names")


def is_of_the_users_life(words: list[str]) -> bool:
    """Return whether a name (its words in lower case) is how people speak of somebody they know."""
    return words[0] in TITLES or (is_known_given(words[0]) and not is_of_the_world(words))


def is_of_the_world(words: list[str]) -> bool:
    """Say whether a name is how people speak of somebody they read of: in full, or by one that is famous."""
    surname = any(len(word.rstrip(".")) > 1 for word in words[1:])  # who is "Marco R." is known to the writer
    return words[0] not in TITLES and (surname or words[0] in _FAMOUS)


def is_known_given(word: str) -> bool:
    """Return whether a word in lower case is a given name and no place."""
    return (is_given(word) or word in _GIVEN) and not is_place(word)
