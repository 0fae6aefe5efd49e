"""Which words of a text are nouns and names, told by the word itself and by the words around it.

A word that can only be a verb, a manner or a quality is none; one that can be both is decided by what stands
before and behind it. What is capitalised within a sentence is a name.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Protocol

from ricordo.domain.lemmas import LANGUAGES
from ricordo.domain.text import Word as Token
from ricordo.domain.topics import english, italian
from ricordo.domain.topics.sentence import Sentence, Tag, Tagged
from ricordo.domain.topics.word_classes import Word, lists, word_class


class _Tagger(Protocol):
    def __call__(self, sentence: Sentence, at: int, *, determined: bool) -> Tag: ...


# A tuple: members of an enumeration are slow to hash.
_NEVER: Final = (Word.NOTHING, Word.QUALITY, Word.VAGUE)
_TAGGERS: Final[Mapping[str, _Tagger]] = {"it": italian.tag, "en": english.tag}


def tagged(
    text: str, tokens: Sequence[Token], language: str, named: AbstractSet[int], people: AbstractSet[str]
) -> list[Tagged]:
    """Return every token with its tag.

    Args:
        text: what `tokens` were cut from.
        tokens: all of its words.
        language: of another than "it" and "en" there are names only.
        named: where the words start that are capitalised within a sentence.
        people: case-folded words of the names of people, who are no topics.
    """
    sentence = Sentence(text, tokens, language, people)
    tagger = _TAGGERS.get(language, _nothing)
    determiners = lists(language).determiners if language in LANGUAGES else frozenset()
    determined = False
    for at, token in enumerate(tokens):
        word, determined = sentence.words[at], determined and not sentence.begins[at]
        if word in people:
            found = Tag.NONE
        elif token.start in named and not is_plain(word):
            found = Tag.NAME
        elif sentence.classes[at] in _NEVER:
            found = Tag.NOUN if sentence.is_nominal(at, determined=determined) else Tag.NONE
        elif sentence.is_put_together(at):
            found = Tag.NONE
        else:
            found = tagger(sentence, at, determined=determined)
        sentence.found.append(Tagged(token, word, found, determined, sentence.joined[at]))
        # An adjective passes on what leads up to it: "la mia nuova casa".
        passes = determined and found is Tag.NONE and sentence.classes[at] is Word.QUALITY
        determined = word in determiners or passes
    return sentence.found


def _nothing(sentence: Sentence, at: int, *, determined: bool) -> Tag:  # noqa: ARG001 - as of every tagger
    return Tag.NONE


@lru_cache(maxsize=16_384)
def is_plain(word: str) -> bool:
    """Say whether the capital of a case-folded word tells nothing: of a weekday, an "I", a title's "The"."""
    classes = {word_class(word, language) for language in LANGUAGES}
    listed = any(word in lists(language).plain for language in LANGUAGES)
    return len(word) > 1 and (listed or not classes.isdisjoint({Word.VAGUE, Word.NOTHING}))
