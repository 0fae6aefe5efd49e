"""Turns filters of a request into conditions on the rows of memories."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final
from uuid import UUID

from ricordo.language.scripts import LETTERS_OF_RUNS, compatible, runs, without_accents
from ricordo.language.text import APOSTROPHE_SIGNS, name_key, normalise
from ricordo.language.tokenization import words_of
from ricordo.language.topics import topic_keys
from ricordo.messages.errors import ErrorCode
from ricordo.messages.filters import Filters
from ricordo.runtime.handling import RequestError
from ricordo.store.listing_store import Listings, ListingScope
from ricordo_services.retrieval.recall_plan import keys_of_topics, valence_bounds

_NAMED: Final = ("participants", "topics", "tags", "locations")
_OF_ROWS: Final = frozenset({"tags", "locations", "refs", "time_of_day", "day_of_week"})
"""Filters that the vector index has no fields for."""
_MOST_IDS: Final = 20_000
_MAX_WORDS: Final = 16  # of a cache of 32
_LETTERS: Final = range(0x41, 0x2000)  # PostgreSQL normalises the forms beyond, such as wide ones
_SOUND: Final = re.compile("ae|oe|ss|.", re.DOTALL)
_APOSTROPHE: Final = f"[{APOSTROPHE_SIGNS}]"
_NO_LETTER: Final = f"[^[:alnum:]]|[\u02bc{LETTERS_OF_RUNS}]"
_POINTED: Final = frozenset(map(chr, range(0x5D0, 0xE00)))
"""Letters of Hebrew, Arabic and the scripts of India."""
_UNSEEN: Final = (
    "[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc\u200c\u200d]*"
)
"""Points, a lengthening stroke, nuktas and joiners, which may follow them."""


@dataclass(frozen=True, slots=True)
class ListingScopes:
    """Turns filters into conditions on rows."""

    listings: Listings

    async def __call__(self, tenant: str, user_id: str, filters: Filters) -> ListingScope:
        """Return the conditions of filters, with names as the user's memories write them."""
        above, below = valence_bounds(filters.emotion)
        return ListingScope(
            start=filters.start,
            end=filters.end,
            types=[one.value for one in filters.types],
            kinds=[one.value for one in filters.kinds],
            above_valence=above,
            below_valence=below,
            min_importance=filters.min_importance,
            include_archived=filters.include_archived,
            include_uninformative=filters.include_uninformative,
            refs=[str(one) for one in filters.refs],
            conversation_id=filters.conversation_id,
            times_of_day=[one.value for one in filters.time_of_day],
            days_of_week=[one.value for one in filters.day_of_week],
            pinned=None,
            **await self._names(tenant, user_id, filters),
        )

    async def ids(self, tenant: str, user_id: str, filters: Filters | None) -> Sequence[UUID] | None:
        """Return the ids of the memories that match what the index cannot filter by; None if nothing is such.

        The latest 20,000 of more.
        """
        given = {} if filters is None else {name: getattr(filters, name) for name in _OF_ROWS}
        if not any(given.values()):
            return None
        everywhere = Filters(**given, include_archived=True, include_uninformative=True)
        return await self.listings.ids(tenant, user_id, await self(tenant, user_id, everywhere), _MOST_IDS)

    async def _names(self, tenant: str, user_id: str, filters: Filters) -> dict[str, list[str]]:
        """Return how the user's memories write each filtered name, by field."""
        fields = [name for name in _NAMED if getattr(filters, name)]
        if not fields:
            return {}
        found = await self.listings.names(tenant, user_id, fields)
        return await asyncio.to_thread(_matching, found, filters, fields)


def _matching(
    found: Collection[tuple[str, str, str]], filters: Filters, fields: Sequence[str]
) -> dict[str, list[str]]:
    """Return the names that filters match, by field: case-insensitively, and topics by their other forms."""
    wanted = {name: set(map(name_key, getattr(filters, name))) for name in fields}
    wanted["topics"] = {key.casefold() for key in keys_of_topics(filters.topics)}
    matching: dict[str, list[str]] = {field: [] for field in fields}
    for field, name, language in found:
        keys = map(str.casefold, topic_keys(name, language)) if field == "topics" else (name_key(name),)
        if not wanted[field].isdisjoint(keys):
            matching[field].append(name)
    return matching


def word_patterns(text: str) -> list[str]:
    """Return a regular expression of PostgreSQL for each word of a text; signs alone are one pattern.

    A letter matches all forms that are the same without case and accents. A word in a script without capitals
    may be a part of a longer one: there words are not separated, or begin and end with particles. Accents
    of the stored texts are left as they are: removing them while searching takes several times as long.

    Raises:
        RequestError: there are more words than PostgreSQL keeps compiled patterns for.
    """
    spelled = _folded(normalise(text)) if any(map(str.isalnum, text)) else ""  # "™" would fold to a word
    words = list(dict.fromkeys(word.written for word in words_of(spelled, "")))
    if len(words) > _MAX_WORDS:
        raise RequestError(ErrorCode.INVALID_REQUEST, f"text must have at most {_MAX_WORDS} words", "text")
    return [*map(_pattern, words)] or [re.escape(text)]


def _pattern(word: str) -> str:
    parts = [one.isnumeric() or any(letter.upper() != letter for letter in one) for one in runs(word)]
    begin, end = f"(^|{_NO_LETTER})" * parts[0], f"({_NO_LETTER}|$)" * parts[-1]
    return begin + "".join(map(_letter, _SOUND.findall(word))) + end


def _folded(text: str) -> str:
    """Return a text in lower case, without accents and with European digits."""
    return without_accents(compatible(text))


def _letter(sound: str) -> str:
    """Return the pattern of a letter, or of two that one letter may stand for."""
    if sound == "'":
        return _APOSTROPHE
    forms = _forms().get(sound, "")
    if len(sound) > 1:
        return f"(?:{''.join(map(_letter, sound))}|[{forms}])"
    return (f"[{sound}{forms}]" if forms else sound) + (_UNSEEN if sound in _POINTED else "")


@cache
def _forms() -> Mapping[str, str]:
    """Return the other forms of each letter, and the letters that stand for two."""
    forms: defaultdict[str, str] = defaultdict(str)
    for letter in map(chr, _LETTERS):
        folded = _folded(letter) if letter.isalnum() else ""
        if folded != letter and _SOUND.fullmatch(folded):
            forms[folded] += letter
    return forms
