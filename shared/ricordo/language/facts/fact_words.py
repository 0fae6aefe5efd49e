"""The closed classes of words of a language, and its terms of kinship."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from ricordo.language.data_files import LANGUAGES, WordSets, read_table
from ricordo.language.document import Document

Gender = Literal["f", "m", ""]


@dataclass(frozen=True, slots=True)
class Kin:
    """A noun that ties somebody to the user: the predicate it states, and who "she" may be afterwards."""

    predicate: str
    noun: str
    gender: Gender = ""
    plural: bool = False


class FactWords(WordSets):
    """The words of one language, in lower case; `fact_words.toml` says what each list is for."""

    code: str
    kin: Mapping[str, Kin]
    owner_before: re.Pattern[str]
    owner_behind: re.Pattern[str]
    relative: str

    @cached_property
    def joints(self) -> frozenset[str]:
        """What joins clauses, coordinate or not."""
        return self.conjunctions | self.breakers

    @cached_property
    def leads(self) -> frozenset[str]:
        """What stands before an object and is not part of it."""
        return self.determiners | self.prepositions | self.possessives

    @cached_property
    def pointing(self) -> frozenset[str]:
        """What is no object of its own."""
        refused = self.other_pronouns | self.possessives | self.user_pronouns
        idle = self.prepositions | self.determiners | self.adverbs
        return refused | idle | self.vague | self.deictic

    @cached_property
    def common(self) -> frozenset[str]:
        """What is never taken for a name."""
        return self.stops | self.pointing | self.not_names | self.conjunctions | self.questions


@lru_cache(maxsize=len(LANGUAGES) + 1)
def load_words(language: str) -> FactWords:
    """Return the words of a language, read once; of one without data there are none."""
    words, people = read_table("fact_words", language), read_table("fact_people", language)
    texts = {name: each for name, each in {**people, **words}.items() if name != "kin"}
    fields: dict[str, Any] = {name: frozenset(each.split()) for name, each in texts.items()}
    fields |= {name: re.compile(people[name]) for name in ("owner_before", "owner_behind")}
    fields |= {"kin": _kin(people), "relative": people["relative"]}
    return FactWords(code=language, **fields)


def _kin(people: Mapping[str, Any]) -> dict[str, Kin]:
    found = {word: Kin("partner", word) for word in people["former"].split()}
    groups: Iterable[tuple[str, Gender, str]] = people["kin"]
    for predicate, gender, group in groups:
        for item in group.split():
            forms, _, noun = item.partition("=")
            singular, *plurals = forms.split("/")
            noun = noun or singular.removeprefix("-")
            if not singular.startswith("-"):
                found[singular] = Kin(predicate, noun, gender)
            found |= {plural: Kin(predicate, noun, gender, plural=True) for plural in plurals}
    return found


_WORDS: Final = re.compile(r"\w+'?")
_SAMPLE: Final = 2_000  # characters that are looked at
_OVERRULED: Final = 3  # signs of another language that outweigh a stated one of which there is none


# A message's statements and its subjects are read one after the other.
@lru_cache(maxsize=16)
def words_for(document: Document) -> FactWords:
    """Return the words of a text's language; none at all where it has none.

    The stated language is believed unless nothing in the text speaks for it and much for another one.
    """
    stated = document.language.lower()[:2]
    if document.language and stated not in LANGUAGES:
        return load_words("")
    said = _WORDS.findall(document.text[:_SAMPLE].replace("’", "'").lower())
    signs = {
        code: sum(not load_words(code).signs.isdisjoint((word, word.rstrip("'"))) for word in said)
        for code in LANGUAGES
    }
    likeliest = max(signs, key=signs.__getitem__)
    if not stated:
        return load_words(likeliest if signs[likeliest] else "")
    overruled = not signs[stated] and signs[likeliest] >= _OVERRULED
    return load_words(likeliest if overruled else stated)
