"""Reads a text as a row of signs, one for each word or phrase: which concepts of the rules it stands for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ricordo.language.data_files import languages_with, read_table

START, END, COMMA, LINE, UNKNOWN, ADDRESS, QUESTION = "^", ".", ",", "\n", "x", "@", "?"
"""Signs of the beginning of a text, ends, pauses, words without a concept, and addresses."""
_FIRST_SIGN: Final = 0x4E00
_WORD: Final = re.compile(r"\b(?:di|fa|da)'(?=\s|$)|[^\W_]++")
_TOKEN: Final = re.compile(
    r"(?P<address>(?:https?://|www\.)[^\s<>()\"']++|[\w.+-]{1,64}+@[\w-]{1,64}+\.[\w.-]{1,64}+)"
    rf"|(?P<word>{_WORD.pattern})|(?P<line>\n\s*+)|(?P<mark>[^\w\s]++)"
)
_SPACED: Final = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]{1,3}+[^\W_](?![^\W_])){7,}+")
_LEAST_LETTERS: Final = 8  # that are spaced out
_LETTER: Final = re.compile(r"[^\W_]")
_DIGITS: Final = str.maketrans("0134578$@", "oieastbsa")
_LONGEST: Final = 18  # characters of a word that is looked for in spaced-out letters


class ConceptToken(NamedTuple):
    """A word of an unmasked text, or a mark with its sign, and where it stands."""

    text: str
    begin: int
    end: int
    sign: str = ""


class _WordPhrases(NamedTuple):
    """The phrases that a word is in: the bit of its own sign, and the others' words and bits."""

    base: str
    alone: int
    joined: Sequence[tuple[frozenset[str], int]]


@dataclass(frozen=True, slots=True)
class PhraseLexicon:
    """The phrases of one language."""

    phrases: Mapping[tuple[str, ...], str]
    by_longest_word: Mapping[str, Sequence[tuple[frozenset[str], int]]]
    lengths: Mapping[str, list[int]]
    words: frozenset[str]
    signs: Mapping[str, str]
    pronouns: re.Pattern[str]

    def base(self, word: str) -> str:
        """Return the known word that is spelt with digits, or on which pronouns hang; else the word."""
        if word in self.words:
            return word
        if not word.isalpha() and not word.isdecimal():
            word = word.translate(_DIGITS)
        root = self.pronouns.sub("", word)
        return root if root in self.lengths else f"{root}e" if f"{root}e" in self.lengths else word


@lru_cache(maxsize=16)
def lexicon(language: str) -> PhraseLexicon:
    """Return the phrases of a language."""
    table = read_table("instruction_words", language)
    concepts: dict[tuple[str, ...], set[str]] = {}
    for concept, phrases in table["concepts"].items():
        for phrase in phrases:
            concepts.setdefault(tuple(one.text for one in _cut(phrase) if not one.sign), set()).add(concept)
    for concept, verbs in table["verbs"].items():
        for form in " ".join(verbs).split():
            concepts.setdefault((form,), set()).add(concept)
    kinds = sorted({tuple(sorted(one)) for one in concepts.values()})
    sign_of = {kind: chr(_FIRST_SIGN + number) for number, kind in enumerate(kinds)}
    lengths: dict[str, set[int]] = {}
    for words in concepts:
        lengths.setdefault(words[0], set()).add(len(words))
    signs: dict[str, str] = {}
    for kind, sign in sign_of.items():
        for concept in kind:
            signs[concept] = signs.get(concept, "") + sign
    phrases = {words: sign_of[tuple(sorted(found))] for words, found in concepts.items()}
    by_longest_word: dict[str, list[tuple[frozenset[str], int]]] = {}
    for words, sign in phrases.items():
        if len(words) > 1:
            by_longest_word.setdefault(max(words, key=len), []).append((frozenset(words), bits(sign)))
    return PhraseLexicon(
        phrases=phrases,
        by_longest_word=by_longest_word,
        lengths={first: sorted(found, reverse=True) for first, found in lengths.items()},
        words=frozenset(word for words in concepts for word in words),
        signs=signs,
        pronouns=re.compile(f"(?:{'|'.join(table['pronouns'].split()) or '(?!)'})$"),
    )


def bits(signs: str) -> int:
    """Return a number with a bit for each sign of a concept."""
    return sum({1 << (ord(sign) - _FIRST_SIGN) for sign in signs})


def possible_bits(words: Iterable[str], language: str) -> int:
    """Return the bits of all phrases whose words are among `words`, in any order."""
    found = [each for word in words if (each := _phrases_of(word, language)) is not None]
    bases = {each.base for each in found}
    possible = 0
    for _, alone, joined in found:
        possible |= alone
        for phrase, bit in joined:
            if phrase <= bases:
                possible |= bit
    return possible


@lru_cache(maxsize=16_384)
def _phrases_of(word: str, language: str) -> _WordPhrases | None:
    known = lexicon(language)
    base = known.base(word)
    if base not in known.words:
        return None
    return _WordPhrases(base, bits(known.phrases.get((base,), "")), known.by_longest_word.get(base, ()))


def words_of(text: str) -> set[str]:
    """Return the words of `tokens(text)`, and perhaps some others."""
    words = _WORD.findall(text)
    letters = list(map(len, words)).count(1)
    if letters >= _LEAST_LETTERS or "@" in text or "www." in text or "://" in text:
        return {token.text for token in tokens(text)}
    return set(words)


def tokens(text: str) -> list[ConceptToken]:
    """Cut an unmasked text into words and marks; what is spaced out becomes the words that it spells."""
    found: list[ConceptToken] = []
    at = 0
    for spaced in _SPACED.finditer(text):
        found += [*_cut(text, at, spaced.start()), *_spelt(text, *spaced.span())]
        at = spaced.end()
    return [*found, *_cut(text, at)]


def row(read: list[ConceptToken], language: str) -> tuple[str, list[int]]:
    """Return a sign for each phrase, mark or word of no concept, and which token each begins with.

    The first sign is `START`, of the token -1. A line break counts as a pause unless the sentence goes on.
    """
    known = lexicon(language)
    carrying = known.signs["carry"] + LINE
    words = ["" if token.sign else known.base(token.text) for token in read]
    signs, places = [START], [-1]
    at = 0
    while at < len(words):
        sign, length = read[at].sign or UNKNOWN, 1
        for many in known.lengths.get(words[at], ()):
            if phrase := known.phrases.get(tuple(words[at : at + many])):
                sign, length = phrase, many
                break
        if sign != LINE or signs[-1] not in carrying:
            signs.append(sign)
            places.append(at)
        at += length
    return "".join(signs), places


def _cut(text: str, begin: int = 0, end: int | None = None) -> Iterator[ConceptToken]:
    for match in _TOKEN.finditer(text, begin, len(text) if end is None else end):
        first, last = match.span()
        match match.lastgroup:
            case "word":
                yield ConceptToken(match[0], first, last)
            case "address":
                yield ConceptToken(match[0], first, last, ADDRESS)
            case "line":
                yield ConceptToken("\n", first, last, END if match[0].count("\n") > 1 else LINE)
            case _:
                if sign := _mark(text, first, last):
                    yield ConceptToken(match[0], first, last, sign)


def _mark(text: str, begin: int, end: int) -> str:
    marks = text[begin:end]
    inside = begin > 0 and end < len(text) and text[begin - 1].isalnum() and text[end].isalnum()
    if marks == "'" or (inside and marks in tuple("-.@$")):
        return ""
    if "?" in marks:
        return QUESTION
    return COMMA if set(".!?…;").isdisjoint(marks) else END


def _is_known(word: str) -> bool:
    return any(known.base(word) in known.words for known in map(lexicon, languages_with("instruction_words")))


def _spelt(text: str, begin: int, end: int) -> Iterator[ConceptToken]:
    letters = [(match[0], match.start()) for match in _LETTER.finditer(text, begin, end)]
    joined = "".join(letter for letter, _ in letters).translate(_DIGITS)
    at = 0
    while at < len(joined):
        sizes = range(min(_LONGEST, len(joined) - at), 1, -1)
        size = next((n for n in sizes if _is_known(joined[at : at + n])), 1)
        yield ConceptToken(joined[at : at + size], letters[at][1], letters[at + size - 1][1] + 1)
        at += size
