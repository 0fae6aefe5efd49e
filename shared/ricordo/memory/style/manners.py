"""By which words manners are told: `lexicon/manners.toml`, as regular expressions."""

from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import read_table


@dataclass(frozen=True, slots=True)
class Manners:
    """Regular expressions of PostgreSQL's kind, for texts in any case.

    Attributes:
        formal: finds words that keep a distance.
        informal: finds words of familiarity.
        emoji: finds one.
    """

    formal: str
    informal: str
    emoji: str


@lru_cache(maxsize=1)
def manners() -> Manners:
    """Return what tells manners, read once."""
    table: dict[str, str] = read_table("manners")
    formal, informal = (rf"\m(?:{'|'.join(table[name].split())})\M" for name in ("formal", "informal"))
    return Manners(formal, informal, "[\u2600-\u27bf\U0001f300-\U0001faff]")
