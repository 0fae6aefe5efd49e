"""Names: given names, places and the words around them (`names.toml`), and the names of known people."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.text import normalise, stop_words
from ricordo.language.tokenization import Token


@dataclass(frozen=True, slots=True)
class NameLists:
    """Case-folded words, those of cues and of acts by language."""

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


# One list serves all messages of a user in turn.
@lru_cache(maxsize=32)
def lookup(names: tuple[str, ...]) -> "KnownNames":
    """Return what looks `names` up."""
    return KnownNames(names)


class KnownNames:
    """The names already known of, looked up by their first word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name in sorted({normalise(name).strip() for name in names}):
            parts = tuple(name.casefold().split())
            if parts and len(parts[0]) > 1 and not parts[0].isdigit():
                self._by_first.setdefault(parts[0], []).append((parts, name))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    @property
    def firsts(self) -> Collection[str]:
        """The words that known names begin with."""
        return self._by_first.keys()

    def at(self, tokens: Sequence[Token], at: int) -> tuple[int, str]:
        """Return how many words a known name takes at a place, and the name; 0 when there is none."""
        for parts, name in self._by_first.get(tokens[at].folded, ()):
            said = tuple(token.folded for token in tokens[at : at + len(parts)])
            if said == parts and (len(parts) > 1 or self._meant(tokens[at])):
                return len(parts), name
        alone = tokens[at]
        # Half a name in lower case only where it is a given name: "rossi" may be a colour.
        if alone.folded in self._by_first and alone.folded in load_names().given and alone.written.islower():
            return int(self._meant(alone)), alone.written.title()
        return 0, ""

    def whole(self, name: str) -> str:
        """Return the one known name that begins with `name`, else `name`."""
        entries = self._by_first.get(name.casefold(), ())
        return entries[0][1] if len(entries) == 1 else name

    @staticmethod
    def _meant(token: Token) -> bool:
        ordinary = token.folded in load_names().also_words or any(
            token.folded in stop_words(language) for language in ("it", "en")
        )
        return token.written[:1].isupper() or not ordinary
