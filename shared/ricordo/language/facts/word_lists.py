"""Lists of words that belong to both languages: the file `fact_lists.toml`; and laughter."""

import re
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import read_table


def word_list(name: str) -> frozenset[str]:
    """Return a list of `fact_lists.toml`."""
    return frozenset(_table()[name].split())


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return read_table("fact_lists")


NO_JOBS: Final = word_list("no_jobs")
SPORTS: Final = word_list("sports")
GAMBLES: Final = word_list("gambles")
TOOLS: Final = word_list("tools")
BRANDS: Final = word_list("brands")
NOT_FOR_A_LIVING: Final = word_list("not_for_a_living")
NO_ALLERGENS: Final = word_list("no_allergens")
ALLERGENS: Final = word_list("allergens")
IDIOMS: Final = frozenset(
    {"per capello", "da pelare", "da pigliare", "in gola", "to fry", "to flog", "to skin"}
)
"""What follows an animal in a figure of speech that tells of no pet: "un gatto per capello"."""
_LAUGHTER: Final = re.compile(
    r"a?(?:h[aeiou]){2,}h?|a?(?:ha|ah){2,}|(?:e?he){2,}|(?:ah|eh|ih){2,}|x+d+|lol+|lmf?ao+|rofl|😂|🤣|😹|😆"
)


def is_laughter(word: str) -> bool:
    """Whether a word, in lower case, is a laugh: "ahahah", "lol"."""
    return _LAUGHTER.fullmatch(word) is not None
