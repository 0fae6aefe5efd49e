"""What tells nouns from the rest by what stands before them: the lists of `plain_words.toml`."""

from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import LANGUAGES, read_table
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
    """Return the cues of `plain_words.toml` by language, read once."""
    return {
        language: NounCues(
            frozenset(table["no_topic"].split()),
            frozenset(stem(word, language) for word in table["no_topic"].split()),
            frozenset(table["determiners"].split()),
            frozenset(table["before_verbs"].split()),
        )
        for language in LANGUAGES
        for table in (read_table("plain_words", language),)
    }
