"""What shows which times of a text are those of what it tells, and which way they lie: data, by language."""

import re
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, Patterns, compiled, read_table

_OTHER_TABLES: Final = frozenset(("cues", "named", "tense", "works"))
_DIGIT: Final = re.compile(r"[0-9]")
DIGITS_OF_DAY: Final = 2
_DIGITS_OF_YEAR: Final = 4
_CENTURIES: Final = frozenset(("19", "20"))


class Signs(Patterns):
    """What shows which times are those of what is told, in one language."""

    cues: frozenset[str]

    def hinted(self, low: str, said: frozenset[str]) -> bool:
        """Whether one of the words of a plain text can name a time."""
        if not self.cues.isdisjoint(said):
            return True
        return _DIGIT.search(low) is not None and any(word[0].isdigit() and is_date(word) for word in said)


def is_date(number: str) -> bool:
    """Whether what begins with a digit can be a day of a month or a year."""
    if not number.isdigit() or len(number) <= DIGITS_OF_DAY:
        return True
    return len(number) == _DIGITS_OF_YEAR and number[:2] in _CENTURIES


@lru_cache(maxsize=len(LANGUAGES))
def signs_of(language: str) -> Signs:
    """Return the signs of a language, "it" or "en"."""
    table = read_table("event_times", language)
    patterns = compiled({name: table[name] for name in table.keys() - _OTHER_TABLES})
    return Signs(cues=frozenset(table["cues"].split()), **patterns)
