"""Whose feelings a question asks for, and which.

Words of feeling are replaced by a sign, so that the patterns of a language say how one asks for a feeling,
and the lexicon which words are feelings, in all their forms.
"""

from functools import lru_cache
from typing import Final, Literal

from ricordo.language.data_files import LANGUAGES
from ricordo.language.emotion.emotion_lexicon import (
    load_lexicon,
    load_positions,
)
from ricordo.language.query_analysis.languages.patterns import FeelingPatterns, QueryPatterns
from ricordo.language.text import normalise, stem
from ricordo.language.tokenization import words_of

GOOD: Final = "⊕"
BAD: Final = "⊖"
Sign = Literal["⊕", "⊖"]

# The labels of GoEmotions that are felt; the others judge, wish or wonder.
_FELT: Final = frozenset(
    "admiration amusement anger annoyance disappointment disgust embarrassment excitement fear gratitude "
    "grief joy love nervousness pride relief remorse sadness".split()
)


def marked(core: str, patterns: QueryPatterns, language: str) -> str:
    """Return `core` with ⊕ and ⊖ for its words of feeling, a negation before them counted in."""
    core = normalise(core)
    parts: list[str] = []
    done = 0
    for word in words_of(core, language):
        sign = sign_of(word.folded, patterns.feelings, language)
        if sign is not None:
            parts += [core[done : word.start], sign]
            done = word.end
    parts.append(core[done:])
    return patterns.feelings.denied.sub(rf"\g<1>{BAD}", "".join(parts))


def sign_of(word: str, feelings: FeelingPatterns, language: str) -> str | None:
    """Return the sign of a case-folded word of feeling, None of any other."""
    if word in feelings.no_words:
        return None
    own = feelings.words.get(word) or _by_lexicon(word, language)
    if own is None and language == "en" and word.endswith("est"):  # "nicest", "loveliest"
        roots = (word[:-2], word[:-3], f"{word[:-4]}y")
        own = next((sign for root in roots if (sign := _by_lexicon(root, language))), None)
    return own


@lru_cache(maxsize=16_384)
def _by_lexicon(word: str, language: str) -> str | None:
    if language not in LANGUAGES:
        return None
    lexicon = load_lexicon(language)
    entry = lexicon.exact.get(word) or lexicon.stems.get(stem(word, language))
    if entry is None or entry.label not in _FELT:
        return None
    return GOOD if load_positions()[entry.label][0] > 0 else BAD
