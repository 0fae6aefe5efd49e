"""Given names, places and the words around names, as data: the files `names.toml`."""

from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import LANGUAGES, read_table


@dataclass(frozen=True, slots=True)
class NameLists:
    """Case-folded words, those of cues and of acts by language.

    Attributes:
        given: given names.
        also_words: names that are other words too, which may begin a sentence.
        listed: both.
        things: names that are things where they are written small.
        places: countries and towns.
        never: other capitals.
        cues: what stands before a name.
        acts: what only a person does, right behind its name.
        surely: what nothing but a person does, not even a month.
        only_named: other words too, which as such begin no statement.
        colours: of those, colours.
        saints: what makes a church, a town or a street of a name behind it.
        determiners: what stands before a thing or a time, and before no person.
    """

    given: frozenset[str]
    also_words: frozenset[str]
    listed: frozenset[str]
    things: frozenset[str]
    places: frozenset[str]
    never: frozenset[str]
    cues: dict[str, frozenset[str]]
    acts: dict[str, frozenset[str]]
    surely: frozenset[str]
    only_named: frozenset[str]
    colours: frozenset[str]
    saints: frozenset[str]
    determiners: frozenset[str]


LONGEST_NAME = 4
"""Words of a name: more are several, or shouted."""


@lru_cache(maxsize=1)
def load_names() -> NameLists:
    """Return the lists of the files `names.toml`, read once."""

    def words(language: str, *keys: str) -> frozenset[str]:
        table: dict[str, str] = read_table("names", language)
        return frozenset(word for key in keys for word in table[key].split())

    lists = {key: frozenset(value.split()) for key, value in read_table("names").items()}
    return NameLists(
        given=lists["given"],
        also_words=lists["also_words"],
        listed=lists["given"] | lists["also_words"],
        things=lists["things"],
        places=lists["places"],
        never=lists["never"],
        cues={language: words(language, "cues") for language in LANGUAGES},
        acts={language: words(language, "acts", "surely_acts") for language in LANGUAGES},
        surely=frozenset().union(*(words(language, "surely_acts") for language in LANGUAGES)),
        only_named=lists["only_named"],
        colours=lists["colours"],
        saints=lists["saints"],
        determiners=lists["determiners"],
    )


def is_given(word: str) -> bool:
    """Say whether a word, in any case, is a common given name and no other word."""
    return word.casefold() in load_names().given


def is_place(word: str) -> bool:
    """Say whether a word names a country or a town of the list."""
    return word.casefold() in load_names().places
