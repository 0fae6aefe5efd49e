"""Decides whether a name without a tie is an acquaintance of the user or a public figure."""

from typing import Final

from ricordo.language.facts.word_forms import word_list
from ricordo.language.lemmas import is_known
from ricordo.language.person_names import is_given, is_place, load_names
from ricordo.language.topics.word_classes import WordClass, word_class

TITLES: Final = word_list("titles")
_FAMOUS: Final = word_list("famous_names")
GIVEN: Final = word_list("more_given_names")


def is_of_the_users_life(words: list[str]) -> bool:
    """Return whether a name (its words in lower case) is how people speak of somebody they know."""
    return words[0] in TITLES or (is_known_given(words[0]) and not is_of_the_world(words))


def is_of_the_world(words: list[str]) -> bool:
    """Say whether a name is how people speak of somebody they read of: in full, or by one that is famous."""
    surname = any(len(word.rstrip(".")) > 1 for word in words[1:])  # who is "Marco R." is known to the writer
    return words[0] not in TITLES and (surname or words[0] in _FAMOUS)


def is_known_given(word: str) -> bool:
    """Return whether a word in lower case is a given name and no place."""
    return (is_given(word) or word in GIVEN) and not is_place(word)


_STATES: Final = word_list("states")
_SHORT_NAME: Final = 4
_NO_NAMES: Final = frozenset({WordClass.QUALITY, WordClass.VERB, WordClass.GERUND, WordClass.VAGUE})
_MAYBE_NOUNS: Final = frozenset({WordClass.NOUN, WordClass.EITHER})
_PARTICIPLES: Final = {"en": ("ed", "ing"), "it": tuple(f"{a}t{o}" for a in "aiu" for o in "oaie")}


def is_state(words: list[str], language: str) -> bool:
    """Return whether what stands after "I'm" tells how somebody is, for all its capital: "I'm Tired"."""
    first = words[0]
    if first in load_names().listed or first in GIVEN:
        return len(words) == 1 and first in _STATES
    if first in _STATES or word_class(first, language) in _NO_NAMES:
        return True
    if not is_known(first, language):
        return False
    if word_class(first, language) not in _MAYBE_NOUNS:
        return True  # "outside"
    return len(first) > _SHORT_NAME and first.endswith(_PARTICIPLES.get(language, ()))
