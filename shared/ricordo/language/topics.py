"""The form of a topic, and the keys that it is found by."""

import re
from functools import lru_cache
from typing import Final

from ricordo.language.lemmas import noun_key
from ricordo.language.text import collapse, normalise, stop_words
from ricordo.language.tokenization import words

MAX_TOPICS: Final = 5
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_EDGES: Final = " \t\n.,;:!?…\"'’()[]{}«»“”#"


@lru_cache(maxsize=16_384)
def topic_key(topic: str, language: str) -> str:
    """Return what all forms of a topic share: the singulars of its words that say something."""
    return " ".join(_word_keys(topic, language))


def topic_keys(topic: str, language: str) -> frozenset[str]:
    """Return the keys that a topic is found by: its own and that of each of its words.

    Who filters by "wedding" means wedding dresses too; who filters by "wedding dress" means no other wedding.
    """
    parts = _word_keys(topic, language)
    return frozenset((" ".join(parts), *parts))


def topic_form(words_of_topic: str, language: str) -> str:
    """Return a topic as it is shown: case-folded, without articles around it; "" where nothing is left."""
    ignored = stop_words(language)
    said = [word.strip(_EDGES) for word in collapse(normalise(words_of_topic)).casefold().split()]
    while said and (not said[0] or said[0] in ignored):
        said.pop(0)
    while said and (not said[-1] or said[-1] in ignored):
        said.pop()
    return " ".join(said)


def _word_keys(topic: str, language: str) -> list[str]:
    said = [_POSSESSIVE.sub("", word) for word in words(topic, language)]
    telling = [word for word in said if word not in stop_words(language)] or said
    return [noun_key(word, language) for word in telling]
