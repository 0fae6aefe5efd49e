"""Words that carry grammar rather than meaning, from the data file `function_words.toml`."""

from functools import lru_cache

from ricordo.language.data_files import LANGUAGES, read_table


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language of `LANGUAGES`, none of any other.

    They are case-folded, and cut at apostrophes as `text.words` cuts them.
    """
    if language not in LANGUAGES:
        return frozenset()
    return frozenset(read_table("function_words", language)["stop_words"].split())
