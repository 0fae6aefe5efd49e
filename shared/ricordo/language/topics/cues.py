"""What tells nouns from the rest by what stands before them: the lists of `lexicon/plain_words.toml`."""

from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import read_table
from ricordo.language.lemmas import LANGUAGES
from ricordo.language.text import stem


@dataclass(frozen=True, slots=True)
class NounCues:
    """What tells nouns in one language, case-folded.

    Attributes:
        plain: words that name no topic.
        no_topic: their stems.
        determiners: words before nouns.
        before_verbs: words before verbs.
    """

    plain: frozenset[str]
    no_topic: frozenset[str]
    determiners: frozenset[str]
    before_verbs: frozenset[str]


@lru_cache(maxsize=1)
def load_noun_cues() -> dict[str, NounCues]:
    """Return the cues of `lexicon/plain_words.toml` by language, read once."""
    table: dict[str, dict[str, str]] = read_table("plain_words")
    return {
        language: NounCues(
            frozenset(table["no_topic"][language].split()),
            frozenset(stem(word, language) for word in table["no_topic"][language].split()),
            frozenset(table["determiners"][language].split()),
            frozenset(table["before_verbs"][language].split()),
        )
        for language in LANGUAGES
    }
