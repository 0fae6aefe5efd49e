"""Text as a reader sees it: what hides letters from a search is undone.

Characters of no width are left out, accents too; look-alikes of other alphabets become the Latin letter,
letters in print styles the plain one, and those of the invisible block of tags what they stand for.
"""

import unicodedata
from typing import Final

_TAGS: Final = range(0xE0020, 0xE007F)
_LOOK_ALIKES: Final = dict(
    zip(
        "аеорсухіјѕԁɡһӏկոսցνορικατεуΙı",
        "aeopcyxijsdghlunugvopikateyii",
        strict=True,
    )
)
_STRAIGHT: Final = str.maketrans("‘’ʼ´`“”«»‐‑‒–—", "'''''\"\"\"\"-----")  # noqa: RUF001
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Cc"})
_BREAKS: Final = frozenset("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


class _Folds(dict[int, str]):
    """What each character is read as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


_folds: Final = _Folds()


def unmasked(text: str) -> str:
    """Return `text` in small Latin letters without accents, each white space as one space or line feed."""
    return text.translate(_folds)


def origins(text: str) -> list[int]:
    """Return for each character of `unmasked(text)` the place in `text` that it comes from."""
    return [at for at, letter in enumerate(text) for _ in _folds[ord(letter)]]


def _fold(letter: str) -> str:
    if ord(letter) in _TAGS:
        letter = chr(ord(letter) - 0xE0000)
    if letter.isspace():
        return "\n" if letter in _BREAKS else " "
    plain = unicodedata.normalize("NFKD", letter).casefold().translate(_STRAIGHT)
    seen = (one for one in plain if unicodedata.category(one) not in _UNSEEN)
    return "".join(_LOOK_ALIKES.get(one, one) for one in seen)
