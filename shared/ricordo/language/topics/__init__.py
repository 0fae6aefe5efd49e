"""Finds up to five topics of a text, as key phrases in their dictionary form."""

import re
from collections.abc import Iterable
from functools import lru_cache

from ricordo.language.document import Document
from ricordo.language.lemmas import noun_key
from ricordo.language.name_lists import is_proper_noun
from ricordo.language.text import stop_words
from ricordo.language.tokenization import words
from ricordo.language.topics.phrases import Phrase, phrases
from ricordo.language.topics.tagging import in_idioms, tagged
from ricordo.language.topics.word_classes import load_noun_cues

__all__ = ["MAX_TOPICS", "load_noun_cues", "topic_key", "topic_keys", "topics"]
MAX_TOPICS = 5
_POSSESSIVE = re.compile(r"['\u2019]s?$")


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


def _word_keys(topic: str, language: str) -> list[str]:
    said = [_POSSESSIVE.sub("", word) for word in words(topic, language)]
    telling = [word for word in said if word not in stop_words(language)] or said
    return [noun_key(word, language) for word in telling]


def topics(document: Document, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what a text is about, most salient first.

    Returns:
        At most 5 case-folded phrases of up to three words that say something; nouns are singular.
    """
    read, language = document.visible, document.language
    if not any(letter.islower() for letter in read.text):
        read = read.with_text(read.text.lower())  # who shouts capitalises no names
    people = frozenset(part for name in names for part in _parts(name, language))
    forms: dict[str, str] = {}
    weights: dict[str, float] = {}
    for form, weight in _phrases(read, people):
        key = topic_key(form, language)
        forms.setdefault(key, form)
        weights[key] = weights.get(key, 0.0) + weight
    # Of those that weigh the same, the first stays first.
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)
    return tuple(forms[key] for key in ranked[:MAX_TOPICS])


# The same people are spoken of again and again.
@lru_cache(maxsize=4096)
def _parts(name: str, language: str) -> tuple[str, ...]:
    return tuple(words(name, language))


def _phrases(document: Document, people: frozenset[str]) -> Iterable[Phrase]:
    text, language, tokens = document.text, document.language, document.words
    named = frozenset(
        at for at, word in enumerate(tokens) if word[0][0].isupper() and is_proper_noun(text, word)
    )
    return phrases(tagged(document, named, people, idle=in_idioms(document)), language)
