"""Which language a text is written in.

Of Italian and English, function words and the way words end tell more about a few words of chat than a
general identifier does, which is at its worst there: what they tell clearly is believed. What is left may be
in any other language: a general identifier (py3langid) looks at it, and is believed where it is sure.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from ricordo.language.data_files import read_table
from ricordo.language.markup import in_words
from ricordo.language.text import stop_words
from ricordo.language.tokenization import LAUGHTER

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MOST_READ = 2_000  # characters; more of a text tells nothing more
_FUNCTION_WORD = 2.0
_VOWEL_END = 0.35
_CONSONANT_END = -0.3
_ACCENT = 2.0
_ENGLISH_LETTERS = -0.25
_ELISION = re.compile(r"\b(?:l|un|c|dell|all|nell|dall|sull|quest|quell|bell|anch|mezz)['’]", re.IGNORECASE)
_CONTRACTION = re.compile(r"['’](?:s|t|re|ve|ll|m|d)\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"(?:\bI|(?:(?<![^.!?,;:\n])|(?<=\band)|(?<=\bbut)|(?<=\bso))\s*\bi)(?='|\s+(?!(?:due|tre|sette|nove)\b)[a-z]+(?<!i)\b)"
)
"""The English "I", and not the Italian article, whose noun ends in "-i" but for numbers."""
_LETTERS: Final = re.compile(r"[wkyjx]|th|sh|gh|oo|ee", re.IGNORECASE)
# Those told apart: each further one is one more to be mistaken for.
_LANGUAGES: Final = tuple(
    "it en fr de es pt nl ro pl ru uk tr el sv da no fi cs hu hr bg ca ar he fa hi zh ja ko vi id".split()
)
# How probable another language has to be: at all, of few words, and where its own words or letters are seen.
_SURE, _SURE_OF_FEW, _SURE_OF_FOREIGN = 0.6, 0.8, 0.3
_FEW = 3  # words
_BARE: Final = 2  # words, of which none that is frequent tells anything
_CLEAR = 2  # function words of one language, and none of another, which need no second opinion
_SHARED: Final = frozenset(read_table("shared_words")["words"].split())
_ITALIAN, _ENGLISH = (
    frozenset(read_table("function_words", language)["frequent"].split()) for language in ("it", "en")
)


def detect(text: str, default: str = "en") -> str:
    """Return "it" or "en", whichever `text` is more likely written in: what queries are read in.

    Args:
        text: Any text; its first 2,000 characters are read.
        default: What to answer when nothing tells: no words, or names only.
    """
    score = _score(text[:_MOST_READ])
    if score == 0:
        return default
    return "it" if score > 0 else "en"


def tells_language(text: str) -> bool:
    """Say whether `text` is enough to tell Italian from English: a bare noun or two ("pizza") are not.

    One of the frequent words of one of them is, and so are more words than two.
    """
    read = _read(text[:_MOST_READ])
    return len(read) > _BARE or any(word.told for word in read) or _contractions(text[:_MOST_READ]) != 0


def identify(text: str, default: str = "en") -> str:
    """Return the language of `text`, as ISO 639-1.

    Args:
        text: Any text; its first 2,000 characters are read, without code and addresses.
        default: What to answer when nothing tells: no words, names only, or a guess that nobody is sure of.
    """
    said = in_words(text[:_MOST_READ])
    found = _read(said)
    written = [word for word in found if not word.laughs]
    if not written:
        return default
    score = sum(word.score for word in found) + _contractions(said)
    own = default if score == 0 else "it" if score > 0 else "en"
    first, *others = written
    foreign = first.foreign_small or any(word.foreign for word in others)
    if not foreign and _is_clear(written, own):
        return own
    guessed, confidence = _identifier().classify(said)
    if guessed in {"it", "en"}:
        return own
    few = len(written) <= _FEW and _is_latin(said)
    asked = (
        _SURE_OF_FEW if few and not foreign else _SURE_OF_FOREIGN if foreign or not _is_latin(said) else _SURE
    )
    return str(guessed) if confidence >= asked else own


class _Traits(NamedTuple):
    """What a word tells of the language it is in.

    Attributes:
        score: above 0 for Italian, below for English.
        told: the language whose frequent word it is, if one's only.
        laughs: whether it is laughter, which is of any language.
        foreign: whether it is a frequent word of another language, as it is written.
        foreign_small: the same, written small.
    """

    score: float
    told: str
    laughs: bool
    foreign: bool
    foreign_small: bool


@lru_cache(maxsize=16_384)
def _traits(word: str) -> _Traits:
    small = word.lower()
    score = _word_score(small)
    told = "" if abs(score) < _FUNCTION_WORD else "it" if score > 0 else "en"
    laughs = LAUGHTER.fullmatch(word) is not None
    return _Traits(score, told, laughs, _is_foreign(word), _is_foreign(small))


def _is_clear(written: Sequence[_Traits], own: str) -> bool:
    """Say whether function words of the language say it."""
    said = sum(word.told == own for word in written)
    return said >= min(_CLEAR, len(written)) and said * 4 >= len(written)


def _is_foreign(word: str) -> bool:
    """Say whether a word is a frequent one of another language, and none of Italian or English."""
    return word in _foreign_words() and abs(_word_score(word)) < _FUNCTION_WORD and word not in _SHARED


@lru_cache(maxsize=1)
def _foreign_words() -> frozenset[str]:
    return frozenset(read_table("foreign_words")["words"].split())


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Return the identifier, read once: that takes a second."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES)
    return identifier


def _score(text: str) -> float:
    """Weigh the evidence: above 0 for Italian, below for English."""
    return sum(word.score for word in _read(text)) + _contractions(text)


def _read(text: str) -> list[_Traits]:
    """Return what each word tells: how a name ends tells nothing, and "I" speaks English."""
    pronouns = {match.end() for match in _PRONOUN.finditer(text)}
    found = []
    for match in _WORD.finditer(text):
        word, traits = match.group(), _traits(match.group())
        if match.start() + 1 in pronouns and word[0] in "Ii":
            traits = _traits_of_pronoun()
        elif match.start() and word[0].isupper() and not traits.told and word[1:].islower():
            traits = traits._replace(score=0.0)
        found.append(traits)
    return found


@lru_cache(maxsize=1)
def _traits_of_pronoun() -> _Traits:
    return _Traits(-_FUNCTION_WORD, "en", laughs=False, foreign=False, foreign_small=False)


def _contractions(text: str) -> float:
    """Weigh what apostrophes cut off: "l'amico", "we're"."""
    if "'" not in text and "\u2019" not in text:
        return 0.0
    return _FUNCTION_WORD * (len(_ELISION.findall(text)) - len(_CONTRACTION.findall(text)))


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


def _is_latin(text: str) -> bool:
    return all(sign < "\u0250" for sign in text if sign.isalpha())
