"""Which class a word belongs to by itself: the lists of `lexicon/word_classes.toml`, endings, and lemmas."""

import re
import tomllib
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from importlib import resources
from typing import Final, cast

from ricordo.domain.lemmas import LANGUAGES, is_italian_verb, is_known, lemma, noun
from ricordo.domain.stop_words import stop_words
from ricordo.domain.topics.cues import load_noun_cues

_SHORTEST: Final = 3  # letters: below that, a word is a name or nothing
_CLITIC: Final = re.compile(r"[aei]r(?:mi|ti|si|ci|vi|lo|la|li|le|ne)$")
_GERUND: Final = re.compile(r"[ae]ndo(?:mi|ti|si|lo|la|li|le|ci|ne)?$")
_CONJUGATED: Final = re.compile(
    r"(?:iamo|[aei]v(?:amo|ano|ate)|[aei]r(?:ò|à|ai|anno|emo|ete)|[aei]rebbero?|[aei]rei|[aei]st[ei]|ò)$"
)
_LAUGHTER: Final = re.compile(r"(?:[aeiou]*h+[aeiou]+){2,}h*|(?:lo+l)+|(?:ro+fl)|(.)\1{2,}")
_CALL: Final = re.compile(r"a(?:mi|ti|ci|vi|lo|la|li|le|ne)$")  # "portami"
_INFINITIVE: Final = re.compile(r"[aei]re$")
_ITALIAN_MANNER: Final = re.compile(r"..mente$")
_RELATIONAL: Final = re.compile(
    r"(?:ic[oa]|ici|iche|al[ei]|ar[ei]|ari[oa]|arie|iv[oaie]|es[ei]|tric[ei]|ern[oaie]|[ai]n[oaie]|os[oaie]|ent[ei])$"
)
_ENGLISH_MANNER: Final = re.compile(r"(?<![bmrpj])ly$|(?:ab|ib|ar|er|im|em)ly$")
_ENGLISH_QUALITY: Final = re.compile(r"(?:ful|less|ous|iest|ier)$")


class Word(Enum):
    """What a word can be: what the words around it do not change, and what they decide."""

    NOTHING = auto()  # function words, manners, times, amounts
    QUALITY = auto()  # an adjective that makes no other thing of a thing
    VERB = auto()
    GERUND = auto()  # an English noun in -ing
    EITHER = auto()  # a noun or a verb
    VAGUE = auto()  # a noun that says nothing by itself
    NOUN = auto()


@dataclass(frozen=True, slots=True)
class _Lists:
    verbs: frozenset[str]
    also_nouns: frozenset[str]
    gerunds: frozenset[str]
    qualities: frozenset[str]
    hollow: frozenset[str]
    adverbs: frozenset[str]
    persons: frozenset[str]
    noun_forms: frozenset[str]
    determiners: frozenset[str]
    plain: frozenset[str]
    copulas: frozenset[str]
    auxiliaries: frozenset[str]


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, str]]:
    file = resources.files("ricordo.domain.lexicon").joinpath("word_classes.toml")
    return cast("dict[str, dict[str, str]]", tomllib.loads(file.read_text("utf-8")))


@lru_cache(maxsize=16)
def around(name: str) -> frozenset[str]:
    """Return the words of one list of what stands around nouns and verbs, read once."""
    return frozenset(_table()["around"][name].split())


@lru_cache(maxsize=2)
def lists(language: str) -> _Lists:
    """Return the lists of a language of `LANGUAGES`, read once."""
    table = _table()

    def of(name: str) -> frozenset[str]:
        return frozenset(table[name].get(language, "").split())

    qualities = of("adjectives")
    return _Lists(
        verbs=of("verbs"),
        also_nouns=of("also_nouns"),
        gerunds=of("gerunds"),
        qualities=_inflected(qualities) if language == "it" else qualities,
        hollow=of("feelings") | of("vague"),
        adverbs=of("adverbs"),
        persons=of("persons"),
        noun_forms=of("noun_forms"),
        determiners=load_noun_cues()[language].determiners,
        plain=_plain(language),
        copulas=of("copulas"),
        auxiliaries=of("auxiliaries"),
    )


def _plain(language: str) -> frozenset[str]:
    """Return the words that name no topic: as listed, in the singular, and of verbs the infinitive."""
    listed = load_noun_cues()[language].plain
    verbs = (lemma(word, language) for word in listed)
    return (
        listed
        | {noun(word, language) for word in listed}
        | {verb for verb in verbs if _is_infinitive(verb, language)}
    )


def _is_infinitive(word: str, language: str) -> bool:
    return language == "it" and _INFINITIVE.search(word) is not None


def _inflected(adjectives: frozenset[str]) -> frozenset[str]:
    """Return the four forms, and the superlatives, of Italian adjectives in the masculine."""
    forms = set(adjectives)
    for word in adjectives:
        root = word[:-1]
        hard = root + "h" if root.endswith(("c", "g")) else root
        if word.endswith("o"):
            forms |= {root + "a", root + "i", hard + "i", hard + "e"}
        elif word.endswith("e"):
            forms.add(root + "i")
        forms |= {f"{hard}issim{vowel}" for vowel in "oaie"}
    return frozenset(forms)


@lru_cache(maxsize=16_384)
def word_class(word: str, language: str) -> Word:
    """Say what a case-folded word can be; a word of another language than Italian and English is nothing."""
    if language not in LANGUAGES:
        return Word.NOTHING
    if len(word) < _SHORTEST or not word[0].isalpha() or any(c.isdigit() for c in word):
        return Word.NOTHING
    known = lists(language)
    if (
        word in stop_words(language)
        or word in known.adverbs
        or word in load_noun_cues()[language].determiners
    ):
        return Word.NOTHING
    if _LAUGHTER.fullmatch(word):
        return Word.NOTHING
    if word in known.qualities and word not in known.noun_forms:
        return Word.QUALITY
    return _english(word, known) if language == "en" else _italian(word, known)


def _english(word: str, known: _Lists) -> Word:
    single, base = noun(word, "en"), lemma(word, "en")
    if word in known.hollow or single in known.hollow:
        return Word.VAGUE
    if single in known.gerunds:
        return Word.GERUND if word.endswith("ing") else Word.NOUN
    if single in known.also_nouns:
        return Word.EITHER
    if base in known.verbs or (base in known.also_nouns and base != word):
        return Word.VERB
    return _english_by_ending(word, base, known)


def _english_by_ending(word: str, base: str, known: _Lists) -> Word:
    if word.endswith("ing") and base != word:
        return Word.VERB
    if (word.endswith("ed") and base != word) or _ENGLISH_QUALITY.search(word):
        return Word.QUALITY
    if _ENGLISH_MANNER.search(word) or "'" in word:
        return Word.NOTHING
    return Word.VERB if word in known.plain or base in known.plain else Word.NOUN


def _italian(word: str, known: _Lists) -> Word:
    single = noun(word, "it")
    if word in known.hollow or single in known.hollow:
        return Word.VAGUE
    if word in known.noun_forms or single in known.noun_forms:
        return Word.EITHER if _can_act(word) else Word.NOUN
    if _ITALIAN_MANNER.search(word):
        return Word.NOTHING
    return _italian_by_ending(word, single, known)


def _italian_by_ending(word: str, single: str, known: _Lists) -> Word:
    acts = is_italian_verb(word)
    if word in known.plain or _is_infinite(word) or (acts and _INFINITIVE.search(word)):
        return Word.VERB
    if _CALL.search(word) and not is_known(word, "it") and is_known(f"{word[:-2]}re", "it"):
        return Word.VERB
    if _CONJUGATED.search(word) and (acts or not is_known(word, "it")):
        return Word.VERB
    if acts:
        return Word.EITHER
    return Word.VERB if single in known.plain else Word.NOUN


def _is_infinite(word: str) -> bool:
    """Say whether an Italian word is a gerund, or an infinitive with a pronoun: "parlarne", not "carne"."""
    if _GERUND.search(word):
        return True
    return _CLITIC.search(word) is not None and not is_known(word, "it") and is_italian_verb(f"{word[:-2]}e")


def _can_act(word: str) -> bool:
    """Say whether an Italian noun is a form of a verb too: "lavoro", "ricordi", "festa" is not."""
    return any(is_known(word[:-1] + ending, "it") for ending in ("are", "ere", "ire", "iare"))


def is_relational(word: str) -> bool:
    """Say whether an Italian word makes another thing of the noun before it: "scuola materna"."""
    if not is_known(word, "it"):
        return True
    return _RELATIONAL.search(word) is not None and not is_italian_verb(word)
