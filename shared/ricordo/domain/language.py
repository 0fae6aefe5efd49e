"""Which of the two languages a text is written in, Italian or English.

A general language identifier takes half a second to load and is at its worst on a few words, which is what
chats are made of. Telling two languages apart needs little: their function words, and how words end.
"""

import re
from functools import lru_cache
from typing import Final

from ricordo.domain.stop_words import stop_words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MOST_READ = 2_000  # characters; more of a text tells nothing more
_FUNCTION_WORD = 2.0
_VOWEL_END = 0.35
_CONSONANT_END = -0.3
_ACCENT = 2.0
_ENGLISH_LETTERS = -0.25
_ELISION = re.compile(r"\b(?:l|un|c|dell|all|nell|dall|sull|quest|quell|bell|anch|mezz)['’]", re.IGNORECASE)
_CONTRACTION = re.compile(r"['’](?:s|t|re|ve|ll|m|d)\b", re.IGNORECASE)
_LETTERS: Final = re.compile(r"[wkyjx]|th|sh|gh|oo|ee", re.IGNORECASE)
_SHARED: Final = frozenset(
    {"no", "so", "a", "i", "in", "me", "come", "do", "are", "o", "on", "due", "fin", "sin", "ok"}
)

# Frequent words of short messages that are no stop words, and so are missing in those lists.
_ITALIAN: Final = frozenset(
    "ciao grazie prego buongiorno buonasera buonanotte salve bene bello bella brutto vero oggi ieri "
    "domani adesso "
    "parlami dimmi raccontami ricordi ricordami cosa fatto detto fatta sono piaciuto settimana giorno "
    "mese anno "
    "scorsa scorso scusa certo voglio posso devo vado andiamo dai mi è".split()
)
_ENGLISH: Final = frozenset(
    "hello hi hey thanks thank please good great nice yes today yesterday tomorrow tell remember know "
    "like want need "
    "think week day month year last next say said love what who when where how why the and is was did "
    "does".split()
)


def detect(text: str, default: str = "en") -> str:
    """Return "it" or "en", whichever `text` is more likely written in.

    Args:
        text: Any text; its first 2,000 characters are read.
        default: What to answer when nothing tells: no words, or names only.
    """
    score = _score(text[:_MOST_READ])
    if score == 0:
        return default
    return "it" if score > 0 else "en"


def _score(text: str) -> float:
    """Weigh the evidence: above 0 for Italian, below for English."""
    score = 0.0
    for word in _WORD.findall(text):
        score += _word_score(word.lower())
    score += _FUNCTION_WORD * (len(_ELISION.findall(text)) - len(_CONTRACTION.findall(text)))
    return score


@lru_cache(maxsize=16_384)
def _word_score(word: str) -> float:
    if word in _SHARED or not word[0].isalpha():
        return 0.0
    italian = word in _ITALIAN or word in stop_words("it")
    english = word in _ENGLISH or word in stop_words("en")
    if italian != english:
        return _FUNCTION_WORD if italian else -_FUNCTION_WORD
    if italian or not _is_latin(word):
        return 0.0
    return _shape_score(word)


_ITALIAN_ENDING = re.compile(r"(?:[aio]|(?<![cgvltsrn])e)$")
_CONSONANT = re.compile(r"[^aeiouàèéìòù]$")


def _shape_score(word: str) -> float:
    """Weigh a word that no list knows by how it ends and by letters that Italian does without."""
    score = _ACCENT if word[-1] in "àèéìòù" else 0.0
    if len(word) > 2 and _ITALIAN_ENDING.search(word):
        score += _VOWEL_END
    elif len(word) > 2 and _CONSONANT.search(word):
        score += _CONSONANT_END
    return score + (_ENGLISH_LETTERS if _LETTERS.search(word) else 0.0)


def _is_latin(word: str) -> bool:
    return all(letter < "\u0250" for letter in word)
