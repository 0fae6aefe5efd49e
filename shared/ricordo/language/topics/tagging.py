"""Which words of a text are nouns and names, told by the word itself and by the words around it."""

import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from operator import attrgetter
from typing import Final, Protocol

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.name_lists import load_names
from ricordo.language.tokenization import Token
from ricordo.language.topics import english, italian
from ricordo.language.topics.tagged_text import Tag, TaggedText
from ricordo.language.topics.word_classes import WordClass, lists, word_class

_FOLDED: Final = attrgetter("folded")


def in_idioms(document: Document) -> frozenset[int]:
    """Return the places of the words that belong to an idiom, by their index."""
    text, tokens, language = document.text, document.words, document.language
    cues = _idioms(language) if language in LANGUAGES else {}
    if cues.keys().isdisjoint(map(_FOLDED, tokens)):
        return frozenset()
    said = cues.keys() & set(map(_FOLDED, tokens))
    spans = list(_spans(text, {pattern for word in said for pattern in cues[word]}))
    return frozenset(
        at for at, token in enumerate(tokens) if any(start <= token.start < end for start, end in spans)
    )


def _spans(text: str, patterns: Collection[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    low = text.lower().replace("\u2019", "'")
    if len(low) == len(text):  # one letter is longer when it is small
        for pattern in patterns:
            yield from (match.span() for match in pattern.finditer(low))


@lru_cache(maxsize=len(LANGUAGES))
def _idioms(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of `idioms.toml` by the words that they need, read once."""
    table: list[tuple[str, str]] = read_table("idioms", language)["patterns"]
    found: dict[str, tuple[re.Pattern[str], ...]] = {}
    for cues, pattern in table:
        compiled = re.compile(pattern)
        for word in cues.split():
            found[word] = (*found.get(word, ()), compiled)
    return found


class _Tagger(Protocol):
    def __call__(self, sentence: TaggedText, at: int) -> Tag: ...


# Tuples and names of their own: members of an enumeration are slow to hash and to look up.
_NOTHING: Final = WordClass.NOTHING
_SELDOM: Final = (WordClass.QUALITY, WordClass.VAGUE)
_TAGGERS: Final[Mapping[str, _Tagger]] = {"it": italian.tag, "en": english.tag}


def tagged(
    document: Document,
    named: AbstractSet[int],
    people: AbstractSet[str],
    *,
    idle: AbstractSet[int] = frozenset(),
) -> TaggedText:
    """Return the words of a text with their tags."""
    tokens, language = document.words, document.language
    sentence = TaggedText(document, people, lists(language if language in LANGUAGES else ""))
    tagger = _TAGGERS.get(language, _tag_noun)
    for at, what in enumerate(sentence.classes):
        if what is _NOTHING and at not in named:
            continue
        word = sentence.words[at]
        if at in idle or (word in people and not _is_thing(tokens[at])):
            continue
        if at in named and not is_plain(word):
            sentence.tags[at] = Tag.NAME
        elif what in _SELDOM or what is _NOTHING:
            if sentence.is_nominal(at):
                sentence.tags[at] = Tag.NOUN
        elif not (sentence.hyphened and sentence.is_put_together(at)):
            sentence.tags[at] = tagger(sentence, at)
    return sentence


def _is_thing(token: Token) -> bool:
    """Say whether a word that is a name as well is written small: the "bill" that Bill sent."""
    return token.folded in load_names().also_words and token.written.islower()


def _tag_noun(sentence: TaggedText, at: int) -> Tag:
    """Tag by class and article alone, in a language without rules of its own."""
    found = sentence.classes[at]
    is_noun = found is WordClass.NOUN or (found is WordClass.EITHER and sentence.determined(at))
    return Tag.NOUN if is_noun else Tag.NONE


@lru_cache(maxsize=16_384)
def is_plain(word: str) -> bool:
    """Say whether the capital of a case-folded word tells nothing: of a weekday, an "I", a title's "The"."""
    classes = {word_class(word, language) for language in LANGUAGES}
    listed = any(word in lists(language).plain for language in LANGUAGES)
    return len(word) > 1 and (listed or not classes.isdisjoint({WordClass.VAGUE, WordClass.NOTHING}))
