"""Properties of scripts: marks of words, forms of letters that are one for a search, words without spaces."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import Final

_HAN: Final = (
    "\u3005-\u3007\u3021-\u3029\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_KANA: Final = "\u3041-\u3096\u3099-\u309a\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_SOUTH_EAST_ASIAN: Final = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17d3\u1950-\u1aad"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
)
"""Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham."""
_MAY_BE_WORD: Final = re.compile(f"[{_HAN}{_HANGUL}]")
LETTERS_OF_RUNS: Final = _HAN + _KANA + _HANGUL + _SOUTH_EAST_ASIAN
_UNSPACED: Final = re.compile(f"[{LETTERS_OF_RUNS}]")
_RUN: Final = re.compile(f"[{LETTERS_OF_RUNS}]+|[^{LETTERS_OF_RUNS}]+")
_LANGUAGES: Final = {
    "ARABIC": ("ar", "fa"), "ARMENIAN": ("hy",), "BENGALI": ("bn",), "CJK": ("zh",),
    "CYRILLIC": ("ru", "uk", "bg"), "DEVANAGARI": ("hi",), "ETHIOPIC": ("am",), "GEORGIAN": ("ka",),
    "GREEK": ("el",), "GUJARATI": ("gu",), "GURMUKHI": ("pa",), "HANGUL": ("ko",), "HEBREW": ("he",),
    "HIRAGANA": ("ja",), "KANNADA": ("kn",), "KATAKANA": ("ja",), "KHMER": ("km",), "LAO": ("lo",),
    "MALAYALAM": ("ml",), "MYANMAR": ("my",), "ORIYA": ("or",), "SINHALA": ("si",), "TAMIL": ("ta",),
    "TELUGU": ("te",), "THAI": ("th",), "TIBETAN": ("bo",),
}  # fmt: skip
"""The languages told by a script alone, the likeliest first, by the first word of its letters' names."""
_BEYOND_LATIN: Final = re.compile("[\u0370-\u1cff\u1f00-\u1fff\u2d00-\ud7ff\uf900-\ufdff\ufe70-\U0003ffff]")
_LETTERS_READ: Final = 400
_JOINERS: Final = "\u00ad\u200c\u200d\u2060"
"""Signs within a word that are not seen."""
_BLOCKS_OF_MARKS: Final = re.compile(
    f"[{_JOINERS}\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u20d0-\u20f0\u2cef-\u2dff\u302a-\u309a"
    "\ua66f-\uabed\ufb1e\ufe20-\ufe2f\U000101fd-\U0001e94a]"
)
_NUKTA: Final = 7
"""Its combining class."""
_OTHER_DIGIT: Final = re.compile(r"(?![0-9])\d")
_WITHOUT_JOINERS: Final = str.maketrans("", "", _JOINERS)
_LETTERS: Final = str.maketrans(
    {
        "\u0131": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe",  # \u0131: the dotless i
        "\u0671": "\u0627", "\u0649": "\u064a", "\u06cc": "\u064a",  # Arabic: forms of alef and ya,
        "\u06a9": "\u0643", "\u0629": "\u0647", "\u0640": "",  # of kaf and ha; a lengthening stroke
        "\u0901": "\u0902",  # Devanagari: candrabindu is often written as anusvara
    }
    | _WITHOUT_JOINERS
)  # fmt: skip
"""Letters that people type for one another, and that have no decomposition."""


def may_hold_marks(text: str) -> bool:
    """Return whether a text has anything of the blocks where combining marks and joiners are."""
    return not text.isascii() and _BLOCKS_OF_MARKS.search(text) is not None


@lru_cache(maxsize=1)
def marks() -> str:
    """Return the combining marks and joiners for a set of a pattern; made once, from Unicode's properties."""
    codes = [code for code in range(0x300, 0x1E950) if unicodedata.category(chr(code))[0] == "M"]
    firsts = [code for before, code in pairwise((0, *codes)) if code != before + 1]
    lasts = [code for code, after in pairwise((*codes, 0)) if after != code + 1]
    ranges = (f"{chr(first)}-{chr(last)}" for first, last in zip(firsts, lasts, strict=True))
    return "".join(ranges) + _JOINERS


@lru_cache(maxsize=1)
def _accents() -> re.Pattern[str]:
    """Return the pattern of the marks that a search ignores.

    They are the accents and points of Latin, Greek, Cyrillic, Hebrew and Arabic, and the dot that writes a
    foreign sound (nukta). Vowel signs, tones and the voicing of Kana tell words apart.
    """
    codes = (*range(0x300, 0x900), *range(0x1AB0, 0x1B00), *range(0x1DC0, 0x1E00), *range(0x20D0, 0x2100))
    accents = {chr(code) for code in codes if unicodedata.combining(chr(code))}
    nuktas = {chr(code) for code in range(0x900, 0x1200) if unicodedata.combining(chr(code)) == _NUKTA}
    return re.compile(f"[{''.join(sorted(accents | nuktas))}\ufe00-\ufe0f\ufe20-\ufe2f]")


def compatible(word: str) -> str:
    """Return a word with plain letters for wide, joined and encircled ones, case-folded, without joiners."""
    return unicodedata.normalize("NFKC", word).casefold().translate(_WITHOUT_JOINERS)


def without_accents(word: str) -> str:
    """Return a case-folded word without diacritics and joiners, with European digits."""
    if word.isascii():
        return word
    bare = _accents().sub("", unicodedata.normalize("NFD", word)).translate(_LETTERS)
    digits = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), bare)
    return unicodedata.normalize("NFC", digits)


def is_unspaced(word: str) -> bool:
    """Return whether a word has letters of a script that does not separate words, or of Korean."""
    return not word.isascii() and _UNSPACED.search(word) is not None


def runs(word: str) -> list[str]:
    """Return the parts of a word in scripts without spaces, and those between them."""
    return _RUN.findall(word)


def character_terms(run: str) -> list[str]:
    """Return the terms of a run: it, its overlapping pairs of characters, and characters that may be words.

    A character has its marks with it. Chinese, Japanese and Korean are searched best by pairs with single
    characters besides (Nie, Gao, Zhang and Zhou, 2000); a single Kana says nothing.
    """
    characters = _characters().findall(run)
    pairs = ["".join(pair) for pair in pairwise(characters)]
    singles = [character for character in characters if _MAY_BE_WORD.match(character)]
    return list(dict.fromkeys([run, *pairs])) + (singles if pairs else [])


@lru_cache(maxsize=1)
def _characters() -> re.Pattern[str]:
    """Return the pattern of a character with its marks."""
    return re.compile(f".[{marks()}]*", re.DOTALL)


def languages_by_script(text: str) -> tuple[str, ...]:
    """Return the languages, ISO 639-1, that the script of most letters leaves, the likeliest first.

    None for Latin letters, which most languages are written in. Chinese characters among Kana are Japanese.
    """
    if text.isascii() or not _BEYOND_LATIN.search(text):
        return ()
    letters = [letter for letter in text[:_LETTERS_READ] if letter.isalpha()]
    counts = Counter(_LANGUAGES.get(unicodedata.name(letter, "").partition(" ")[0], ()) for letter in letters)
    if counts[("ja",)]:
        counts[("ja",)] += counts.pop(("zh",), 0)
    languages, count = max(counts.items(), key=lambda item: item[1], default=((), 0))
    return languages if 2 * count > len(letters) else ()
