"""Names of people that are known already, found again in what is said: small, and by the first name."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from ricordo.language.name_lists import load_names
from ricordo.language.stop_words import stop_words
from ricordo.language.text import normalise
from ricordo.language.tokenization import Token


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
