"""Loads the patterns of questions, and marks words of feeling for them."""

from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, Patterns, read_patterns
from ricordo.language.feelings import feeling_of, load_positions
from ricordo.language.text import normalise
from ricordo.language.tokenization import words_of


class QuestionPatterns(Patterns):
    """The patterns of a language, for lower case with straight apostrophes."""

    language: str
    agenda_words: frozenset[str]
    name_cues: frozenset[str]
    not_feelings: frozenset[str]
    not_names: frozenset[str]
    pleasant: frozenset[str]
    superlatives: frozenset[str]
    unpleasant: frozenset[str]


def load_patterns(language: str) -> QuestionPatterns:
    """Return the patterns of a language, read once; those of a language without data match nothing."""
    return _patterns(language if language in LANGUAGES else "")


@lru_cache(maxsize=len(LANGUAGES) + 1)
def _patterns(language: str) -> QuestionPatterns:
    return QuestionPatterns(language=language, **read_patterns("questions", language))


GOOD: Final = "⊕"
BAD: Final = "⊖"

# The labels of GoEmotions that are felt; the others judge, wish or wonder.
_FELT: Final = frozenset(
    "admiration amusement anger annoyance disappointment disgust embarrassment excitement fear gratitude "
    "grief joy love nervousness pride relief remorse sadness".split()
)


def mark_feelings(core: str, patterns: QuestionPatterns) -> str:
    """Replace words of feeling by ⊕ and ⊖; a negation before them is taken into account."""
    core = normalise(core)
    parts: list[str] = []
    done = 0
    for word in words_of(core, patterns.language):
        sign = feeling_sign(word.folded, patterns)
        if sign is not None:
            parts += [core[done : word.start], sign]
            done = word.end
    parts.append(core[done:])
    return patterns.negated_feeling.sub(lambda match: match[1] + BAD, "".join(parts))


def feeling_sign(word: str, patterns: QuestionPatterns) -> str | None:
    """Return the sign of a case-folded word of feeling, None of any other."""
    if word in patterns.not_feelings:
        return None
    if word in patterns.pleasant:
        return GOOD
    if word in patterns.unpleasant:
        return BAD
    language = patterns.language
    endings = (pair.split("=") for pair in sorted(patterns.superlatives))
    roots = (word.removesuffix(ending) + root for ending, root in endings if word.endswith(ending))
    return _lexicon_sign(word, language) or next(
        filter(None, (_lexicon_sign(root, language) for root in roots)), None
    )


def _lexicon_sign(word: str, language: str) -> str | None:
    label = feeling_of(word, language)
    if label not in _FELT:
        return None
    return GOOD if load_positions()[label][0] > 0 else BAD


def named_feeling(question: str, language: str) -> str:
    """Return the first feeling, of those that are felt, that a question names; "" for none."""
    labels = (feeling_of(word.folded, language) for word in words_of(normalise(question), language))
    return next((label for label in labels if label in _FELT), "")
