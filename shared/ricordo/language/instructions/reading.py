"""A text as a row of signs, one for each word: which concepts of the grammar of orders the word stands for.

Words that are spaced out ("i g n o r e"), cut by hyphens or spelt with digits are read as what they spell.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ricordo.language.data_files import read_table
from ricordo.language.instructions.conjugating import conjugated

LANGUAGES: Final = ("en", "it")
START, END, COMMA, LINE, UNKNOWN, ADDRESS, QUESTION = "^", ".", ",", "\n", "x", "@", "?"
"""Signs that stand for no phrase: the beginning of a text, ends, pauses; and words without a concept."""
_FIRST_SIGN: Final = 0x4E00
_TOKEN: Final = re.compile(
    r"(?P<address>(?:https?://|www\.)[^\s<>()\"']++|[\w.+-]{1,64}+@[\w-]{1,64}+\.[\w.-]{1,64}+)"
    r"|(?P<word>\b(?:di|fa|da)'(?=\s|$)|[^\W_]++)"
    r"|(?P<line>\n\s*+)"
    r"|(?P<mark>[^\w\s]++)"
)
_SPACED: Final = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]{1,3}+[^\W_](?![^\W_])){7,}+")
_LETTER: Final = re.compile(r"[^\W_]")
_DIGITS: Final = str.maketrans("0134578$@", "oieastbsa")
_ENDS: Final = frozenset(".!?…;")
_LONGEST: Final = 18
"""Characters of a word that is looked for in spaced-out letters."""


class Token(NamedTuple):
    """A word or mark of an unmasked text, and where it stands."""

    text: str
    begin: int
    end: int
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrases of one language.

    Attributes:
        single: by word, its sign.
        longer: by first and second word, the other words of each phrase and its sign; longer phrases first.
        signs: by concept, the signs of all phrases that stand for it.
    """

    single: Mapping[str, str]
    longer: Mapping[str, Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]]
    signs: Mapping[str, str]


@lru_cache(maxsize=len(LANGUAGES))
def lexicon(language: str) -> Lexicon:
    """Return the phrases of a language."""
    table = read_table(f"instructing_{language}")
    concepts: dict[tuple[str, ...], set[str]] = {}
    for concept, phrases in table["concepts"].items():
        for phrase in phrases:
            concepts.setdefault(_words(phrase), set()).add(concept)
    for concept, phrases in table.get("verbs", {}).items():
        for phrase in phrases:
            for form in conjugated(phrase):
                concepts.setdefault(_words(form), set()).add(concept)
    kinds = sorted({tuple(sorted(one)) for one in concepts.values()})
    sign_of = {kind: chr(_FIRST_SIGN + number) for number, kind in enumerate(kinds)}
    single: dict[str, str] = {}
    longer: dict[str, dict[str, tuple[tuple[tuple[str, ...], str], ...]]] = {}
    for words, found in sorted(concepts.items(), key=lambda one: -len(one[0])):
        sign = sign_of[tuple(sorted(found))]
        if len(words) == 1:
            single[words[0]] = sign
            continue
        seconds = longer.setdefault(words[0], {})
        seconds[words[1]] = (*seconds.get(words[1], ()), (words[2:], sign))
    signs: dict[str, str] = {}
    for kind, sign in sign_of.items():
        for concept in kind:
            signs[concept] = signs.get(concept, "") + sign
    return Lexicon(single, longer, signs)


def tokens(text: str) -> list[Token]:
    """Cut an unmasked text into words and marks; what is spaced out becomes the words that it spells."""
    spaced = [match.span() for match in _SPACED.finditer(text)] if _SPACED.search(text) else []
    found: list[Token] = []
    at = 0
    for begin, end in spaced:
        found.extend(_cut(text, at, begin))
        found.extend(_spelt(text, begin, end))
        at = end
    found.extend(_cut(text, at, len(text)))
    return found


def row(read: list[Token], language: str) -> tuple[str, list[int]]:
    """Return a sign for each phrase, mark or word of no concept, and which token each begins with.

    The first sign is `START`, of the token -1. A line break counts as a pause unless the sentence goes on.
    """
    known = lexicon(language)
    carrying = known.signs["carry"]
    words = ["" if token.sign else token.text for token in read]
    signs, places = [START], [-1]
    at, most = 0, len(words)
    while at < most:
        word, length = words[at], 1
        if word:
            sign = known.single.get(word) or _as_spelt(word, known)
            if (seconds := known.longer.get(word)) and at + 1 < most:
                for rest, longer in seconds.get(words[at + 1], ()):
                    if tuple(words[at + 2 : at + 2 + len(rest)]) == rest:
                        sign, length = longer, len(rest) + 2
                        break
        else:
            sign = read[at].sign
            if sign == LINE and (signs[-1] in carrying or signs[-1] == LINE):
                at += 1
                continue
        signs.append(sign)
        places.append(at)
        at += length
    return "".join(signs), places


def _as_spelt(word: str, known: Lexicon) -> str:
    if word.isalpha() or word.isdecimal():
        return UNKNOWN
    return known.single.get(word.translate(_DIGITS), UNKNOWN)


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(token.text for token in _cut(phrase, 0, len(phrase)) if not token.sign)


def _cut(text: str, begin: int, end: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text, begin, end):
        first, last = match.span()
        kind = match.lastgroup
        if kind == "word":
            yield Token(match[0], first, last)
        elif kind == "address":
            yield Token(match[0], first, last, ADDRESS)
        elif kind == "line":
            yield Token("\n", first, last, END if match[0].count("\n") > 1 else LINE)
        elif sign := _mark(text, first, last):
            yield Token(match[0], first, last, sign)


def _mark(text: str, begin: int, end: int) -> str:
    marks = text[begin:end]
    inside = begin > 0 and end < len(text) and text[begin - 1].isalnum() and text[end].isalnum()
    if inside and len(marks) == 1 and marks in "'-.@$":
        return ""
    if marks == "'":
        return ""
    if "?" in marks:
        return QUESTION
    return END if not _ENDS.isdisjoint(marks) else COMMA


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    found: set[str] = set()
    for known in map(lexicon, LANGUAGES):
        found.update(known.single)
        for first, seconds in known.longer.items():
            found.update((first, *seconds), *(rest for phrases in seconds.values() for rest, _ in phrases))
    return frozenset(one for one in found if len(one) > 1)


def _spelt(text: str, begin: int, end: int) -> Iterator[Token]:
    letters = [(match[0], match.start()) for match in _LETTER.finditer(text, begin, end)]
    joined, known = "".join(letter for letter, _ in letters).translate(_DIGITS), _vocabulary()
    at = 0
    while at < len(joined):
        sizes = range(min(_LONGEST, len(joined) - at), 1, -1)
        size = next((n for n in sizes if joined[at : at + n] in known), 1)
        yield Token(joined[at : at + size], letters[at][1], letters[at + size - 1][1] + 1)
        at += size
