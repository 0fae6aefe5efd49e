"""What a text is about: up to five words or short names, found without a part-of-speech model.

Words that look like verbs, adverbs, times and manners are left out by their endings and by what stands before
them; what follows an article, or is a name, counts more. Forms of one stem are one topic.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import cast

from ricordo.domain.lexicon import LANGUAGES, load_lexicon
from ricordo.domain.names import proper_nouns
from ricordo.domain.stop_words import stop_words
from ricordo.domain.text import Word, located_words, normalise, stem, words

MAX_TOPICS = 5
_VERB_ENDING = {
    "it": re.compile(
        r"(?:[aei]r(?:e|mi|ti|si|ci|vi|lo|la|li|le|ne)|[ae]ndo(?:mi|ti|si|lo|la)?|mente|[aei]v[aoi]|[aei]vano"
        r"|iamo|[aei]r(?:ò|à|ai|anno|emo|ete)|[aei]rebbe|[aei]rei|isco|iscono|ò)$"
    ),
    "en": re.compile(r"(?:ed|ly|n't|'ll|'ve|'re|'d|'m)$"),
}


@dataclass(slots=True)
class _Topic:
    form: str
    score: float = 0.0
    place: int = 0


@dataclass(frozen=True, slots=True)
class NounCues:
    """What tells nouns in one language: stems that name no topic, words before nouns, words before verbs."""

    no_topic: frozenset[str]
    determiners: frozenset[str]
    before_verbs: frozenset[str]


@lru_cache(maxsize=1)
def load_noun_cues() -> dict[str, NounCues]:
    """Return the cues of `lexicon/plain_words.toml` by language, read once."""
    file = resources.files("ricordo.domain.lexicon").joinpath("plain_words.toml")
    table = cast("dict[str, dict[str, str]]", tomllib.loads(file.read_text("utf-8")))
    return {
        language: NounCues(
            frozenset(stem(word, language) for word in table["no_topic"][language].split()),
            frozenset(table["determiners"][language].split()),
            frozenset(table["before_verbs"][language].split()),
        )
        for language in LANGUAGES
    }


def topic_key(topic: str, language: str) -> str:
    """Return what all inflected forms of a topic share: its stems, for comparing."""
    return " ".join(stem(word, language) for word in words(topic, language))


def topics(text: str, language: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what `text` is about, most salient first.

    Args:
        text: what was said.
        language: "it" or "en"; of another language only names are topics.
        names: people mentioned, who are participants and no topics.

    Returns:
        At most 5 case-folded words or capitalised names of several words.
    """
    text = normalise(text)
    people = {part for name in names for part in words(name, language)}
    found: dict[str, _Topic] = {}
    for place, (form, weight) in enumerate(_weighted_forms(text, language, people)):
        key = topic_key(form, language) if " " in form else stem(form, language)
        topic = found.setdefault(key, _Topic(form, place=place))
        topic.score += weight
    ranked = sorted(found.values(), key=lambda topic: (-topic.score, topic.place))
    return tuple(topic.form for topic in ranked[:MAX_TOPICS])


def _weighted_forms(text: str, language: str, people: AbstractSet[str]) -> Iterator[tuple[str, float]]:
    named = {word.start for word in proper_nouns(text, language)}
    tokens = located_words(text, language)
    at = 0
    while at < len(tokens):
        length = _name_length(text, tokens, at, named)
        span = tokens[at : at + max(1, length)]
        if not any(word.folded in people for word in span):
            if length:
                yield " ".join(word.folded for word in span), 2.5
            elif weight := _noun_weight(tokens, at, language, people):
                yield tokens[at].folded, weight
        at += max(1, length)


def _name_length(text: str, tokens: Sequence[Word], at: int, named: AbstractSet[int]) -> int:
    """Return how many words a capitalised name takes at a place: "Rossi Costruzioni" is one topic."""
    length = 0
    while at + length < len(tokens) and tokens[at + length].start in named and length < 3:
        if length and text[tokens[at + length - 1].end : tokens[at + length].start] != " ":
            break
        length += 1
    folded = tokens[at].folded
    lone_plain = length == 1 and any(
        stem(folded, each) in load_noun_cues()[each].no_topic for each in LANGUAGES
    )
    return 0 if lone_plain else length


def _noun_weight(tokens: Sequence[Word], at: int, language: str, people: AbstractSet[str]) -> float:
    """Say how likely the word at a place is a noun that says something; 0 when it is not."""
    if language not in LANGUAGES or not _may_be_topic(tokens[at].folded, language):
        return 0.0
    cues = load_noun_cues()[language]
    before = tokens[at - 1].folded if at else ""
    if before in cues.determiners:
        return 2.0
    if before in people or before in cues.before_verbs or _VERB_ENDING[language].search(tokens[at].folded):
        return 0.0
    # An Italian sentence drops its subject and opens with the verb.
    return 0.5 if at == 0 else 1.0


@lru_cache(maxsize=16_384)
def _may_be_topic(word: str, language: str) -> bool:
    if len(word) < 3 or any(c.isdigit() for c in word) or word in stop_words(language):
        return False
    root = stem(word, language)
    if root in load_noun_cues()[language].no_topic:
        return False
    lexicon = load_lexicon(language)
    return root not in lexicon.stems and (root,) not in lexicon.boosters and (root,) not in lexicon.dampers
