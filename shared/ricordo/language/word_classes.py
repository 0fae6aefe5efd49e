"""Classifies a word by itself: by the lists of `word_classes.toml`, endings, and lemmas."""

import re
from collections.abc import Callable
from enum import Enum, auto
from functools import lru_cache, partial
from typing import Final

from ricordo.language.data_files import LANGUAGES, WordSets, read_table
from ricordo.language.lemmas import is_italian_verb, is_known, lemma, noun
from ricordo.language.text import stem, stop_words


@lru_cache(maxsize=1)
def load_noun_cues() -> dict[str, WordSets]:
    """Return the words of `plain_words.toml` by language, and the stems of those that name no topic."""
    found = {}
    for language in LANGUAGES:
        table = {name: frozenset(text.split()) for name, text in read_table("plain_words", language).items()}
        stems = frozenset(stem(word, language) for word in table["no_topic"])
        found[language] = WordSets(**table, stems=stems)
    return found


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
_ENGLISH_MANNER: Final = re.compile(r"(?<![bmrpj])ly$|(?:ab|ib|ar|er|im|em)ly$")
_ENGLISH_QUALITY: Final = re.compile(r"(?:ful|less|ous|iest|ier)$")


class WordClass(Enum):
    """What a word can be: what the words around it do not change, and what they decide."""

    NOTHING = auto()  # function words, manners, times, amounts
    QUALITY = auto()  # an adjective that makes no other thing of a thing
    VERB = auto()
    GERUND = auto()  # an English noun in -ing
    EITHER = auto()  # a noun or a verb
    VAGUE = auto()  # a noun that says nothing by itself
    NOUN = auto()


class Lists(WordSets):
    """The words of one language, as the files group them; of those that the other language has, none."""


@lru_cache(maxsize=len(LANGUAGES) + 1)
def lists(language: str) -> Lists:
    """Return the lists of a language of `LANGUAGES`, read once; of "" all are empty."""
    table: dict[str, str] = read_table("word_classes", language)
    words = {name: frozenset(text.split()) for name, text in table.items()}
    qualities, hollow = words.pop("adjectives"), words.pop("feelings") | words.pop("vague")
    return Lists(
        **words,
        qualities=_inflected(qualities) if language == "it" else qualities,
        hollow=hollow,
        determiners=load_noun_cues()[language].determiners if language in LANGUAGES else frozenset(),
        plain=_plain(language) if language in LANGUAGES else frozenset(),
    )


def _plain(language: str) -> frozenset[str]:
    """Return the words that name no topic: as listed, in the singular, and of verbs the infinitive."""
    listed = load_noun_cues()[language].no_topic
    verbs = {lemma(word, language) for word in listed} if language == "it" else set()
    return (
        listed
        | {noun(word, language) for word in listed}
        | {verb for verb in verbs if _INFINITIVE.search(verb)}
    )


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


def word_class(word: str, language: str) -> WordClass:
    """Say what a case-folded word can be; a word of another language than Italian and English is nothing."""
    return classifier(language)(word)


@lru_cache(maxsize=64)
def classifier(language: str) -> Callable[[str], WordClass]:
    """Return a function, which caches, from a case-folded word of a language to its class."""
    if language not in LANGUAGES:
        return lambda _: WordClass.NOTHING
    known = lists(language)
    by_rules = {"it": _italian, "en": _english}.get(language, partial(_by_lists, language))

    @lru_cache(maxsize=16_384)
    def classify(word: str) -> WordClass:
        return _by_form(word, language) or by_rules(word, known)

    return classify


def _by_lists(language: str, word: str, known: Lists) -> WordClass:
    """Return the class by the lists alone, in a language without rules of its own; other words are nouns."""
    single = noun(word, language)
    if word in known.hollow or single in known.hollow:
        return WordClass.VAGUE
    if word in known.also_nouns or single in known.also_nouns:
        return WordClass.EITHER
    return WordClass.VERB if {word, lemma(word, language)} & (known.verbs | known.plain) else WordClass.NOUN


def _by_form(word: str, language: str) -> WordClass | None:
    """Return the class that lists and the form of a word tell at once; None where more is to be asked."""
    if len(word) < _SHORTEST or not word[0].isalpha() or any(c.isdigit() for c in word):
        return WordClass.NOTHING
    known = lists(language)
    if word in stop_words(language) or word in known.adverbs or word in known.determiners:
        return WordClass.NOTHING
    if _LAUGHTER.fullmatch(word):
        return WordClass.NOTHING
    return WordClass.QUALITY if word in known.qualities and word not in known.noun_forms else None


def _english(word: str, known: Lists) -> WordClass:
    single, base = noun(word, "en"), lemma(word, "en")
    if word in known.hollow or single in known.hollow:
        return WordClass.VAGUE
    if single in known.gerunds:
        return WordClass.GERUND if word.endswith("ing") else WordClass.NOUN
    if single in known.also_nouns:
        return WordClass.EITHER
    if base in known.verbs or (base in known.also_nouns and base != word):
        return WordClass.VERB
    return _english_by_ending(word, base, known)


def _english_by_ending(word: str, base: str, known: Lists) -> WordClass:
    if word.endswith("ing") and base != word:
        return WordClass.VERB
    if (word.endswith("ed") and base != word) or _ENGLISH_QUALITY.search(word):
        return WordClass.QUALITY
    if _ENGLISH_MANNER.search(word) or "'" in word:
        return WordClass.NOTHING
    return WordClass.VERB if word in known.plain or base in known.plain else WordClass.NOUN


def _italian(word: str, known: Lists) -> WordClass:
    single = noun(word, "it")
    if word in known.hollow or single in known.hollow:
        return WordClass.VAGUE
    if word in known.noun_forms or single in known.noun_forms:
        # "lavoro", "ricordi" are forms of verbs too; "festa" is not.
        acts = any(is_known(word[:-1] + ending, "it") for ending in ("are", "ere", "ire", "iare"))
        return WordClass.EITHER if acts else WordClass.NOUN
    if _ITALIAN_MANNER.search(word):
        return WordClass.NOTHING
    return _italian_by_ending(word, single, known)


def _italian_by_ending(word: str, single: str, known: Lists) -> WordClass:
    acts = is_italian_verb(word)
    if word in known.plain or _is_infinite(word) or (acts and _INFINITIVE.search(word)):
        return WordClass.VERB
    if _CALL.search(word) and not is_known(word, "it") and is_known(f"{word[:-2]}re", "it"):
        return WordClass.VERB
    if _CONJUGATED.search(word) and (acts or not is_known(word, "it")):
        return WordClass.VERB
    if acts:
        return WordClass.EITHER
    return WordClass.VERB if single in known.plain else WordClass.NOUN


def _is_infinite(word: str) -> bool:
    """Say whether an Italian word is a gerund, or an infinitive with a pronoun: "parlarne", not "carne"."""
    if _GERUND.search(word):
        return True
    return _CLITIC.search(word) is not None and not is_known(word, "it") and is_italian_verb(f"{word[:-2]}e")
