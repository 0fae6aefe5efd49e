"""Dictionary forms of words: singular nouns, Italian verb forms; and Italian articles before nouns."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import simplemma
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.scripts import without_accents
from ricordo.language.text import LONGEST_WORD

_INFINITIVE: Final = ("are", "ere", "ire", "rre")
_PARTICIPLES: Final = ("ate", "ite", "ute", "che", "ghe")
_VOWELS: Final = "aeiou"
_DICTIONARIES: Final = frozenset(LANGUAGES) & frozenset(SUPPORTED_LANGUAGES)


@lru_cache(maxsize=1)
def _exceptions() -> dict[str, dict[str, str]]:
    """Return the noun that each exceptional form belongs to, by language; read once."""
    return {
        language: {word: word for word in table["alone"].split()}
        | dict(pair.split("=") for pair in table["pairs"].split())
        for language in LANGUAGES
        for table in (read_table("lemmas", language),)
    }


@lru_cache(maxsize=32_768)
def lemma(word: str, language: str) -> str:
    """Return the dictionary form of a case-folded word: of a verb the infinitive, of a noun the singular.

    What the dictionary does not know is its own form, and so is each word of another language.
    """
    if language not in _DICTIONARIES or len(word) > LONGEST_WORD:
        return word
    return simplemma.lemmatize(word, lang=language).casefold()


@lru_cache(maxsize=32_768)
def noun(word: str, language: str) -> str:
    """Return the singular of a case-folded word that is a noun, or an adjective beside one."""
    if language not in LANGUAGES or len(word) > LONGEST_WORD:
        return word
    exceptional = _exceptions()[language].get(word)
    if exceptional is not None:
        return exceptional
    singular = _SINGULARS.get(language)
    return singular(word) if singular else lemma(word, language)


@lru_cache(maxsize=32_768)
def noun_key(word: str, language: str) -> str:
    """Return what all forms of a case-folded noun share, for comparing: its singular without accents.

    Of a word that the dictionary does not know, Italian's last vowel is cut: "tamponi" may be of "tampone".
    """
    singular = noun(word, language)
    form = without_accents(singular)
    is_cut = language == "it" and len(form) > 3 and form[-1] in _VOWELS and not is_known(singular, "it")
    return form[:-1] if is_cut else form


def _english(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    found = lemma(word, "en")
    if found != word and _is_singular(found, word):
        return found
    return word if is_known(word, "en") else _stripped(word)


def _is_singular(found: str, word: str) -> bool:
    return word in {found + "s", found + "es"} or (found.endswith("y") and word == found[:-1] + "ies")


def _stripped(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zes")) else word[:-1]


def _italian(word: str) -> str:
    """Return the singular by the endings: -i is of -o, -e, -io or -a, -e of -a or none at all."""
    if len(word) < 4 or word[-1] not in "ie":
        return word
    return _of_e(word, lemma(word, "it")) if word[-1] == "e" else _of_i(word, lemma(word, "it"))


def _of_e(word: str, found: str) -> str:
    single = _hard(word[:-1]) + "a"
    if found in {single, word[:-1] + "ia"}:  # "arance"
        return found
    # The masculine of an adjective or the infinitive of a verb: as a noun, it is feminine.
    return single if found != word and (is_known(single, "it") or word.endswith(_PARTICIPLES)) else word


def _of_i(word: str, found: str) -> str:
    root = _hard(word[:-1])
    candidates = [root + ending for ending in ("o", "e", "a", "io")]
    if found.endswith("io"):
        # "lavori" is of "lavoro", not of "lavorio".
        candidates = [*(each for each in candidates[:2] if is_known(each, "it")), found]
    elif found != word and not found.endswith(_INFINITIVE) and found[:2] == word[:2]:
        candidates = [found]
    return next((each for each in candidates if is_known(each, "it")), word)


def _hard(root: str) -> str:
    """Return a root without the h that only kept its consonant hard before e and i."""
    return root[:-1] if root.endswith(("ch", "gh")) else root


@lru_cache(maxsize=32_768)
def is_known(word: str, language: str) -> bool:
    """Return whether the dictionary of a language holds a case-folded word."""
    return language in _DICTIONARIES and simplemma.is_known(word, lang=language)


_SINGULARS: Final = {"it": _italian, "en": _english}
"""Rules for the singular; in other languages the lemma is taken."""


class _Articles(NamedTuple):
    definite: list[tuple[str, str, re.Pattern[str], str]]
    joined: dict[str, dict[str, str]]


@lru_cache(maxsize=len(LANGUAGES))
def _articles(language: str) -> _Articles:
    table = read_table("articles", language)
    return _Articles(
        [(gender, number, re.compile(begin), form) for gender, number, begin, form in table["definite"]],
        {name: dict(pair.split("=") for pair in forms.split()) for name, forms in table["joined"].items()},
    )


def article_of(noun: str, gender: str, language: str, *, plural: bool = False) -> str:
    """Return the definite article before a noun; "" where the language has none."""
    genders, numbers = {"", "f" if gender == "f" else "m"}, {"", "plural" if plural else "singular"}
    for of_gender, of_number, begin, form in _articles(language).definite:
        if of_gender in genders and of_number in numbers and begin.match(noun.casefold()):
            return form
    return ""


def with_article(preposition: str, article: str, noun: str, language: str) -> str:
    """Return a noun behind a preposition and an article, either of which may be empty: "dell'amico"."""
    joined = _articles(language).joined.get(preposition, {}).get(article)
    before = joined or f"{preposition} {article}".strip()
    return before + noun if before.endswith("'") else f"{before} {noun}".strip()
