"""The words for time of each language, from its data file `time_words.toml`."""

from collections.abc import Mapping
from typing import Any, Final, cast

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.temporal.lexicon import Kind, Lexicon, Value
from ricordo.language.temporal.numbers import JoinedNumbers, SeparateNumbers
from ricordo.language.temporal.spans import Language

_SIGNS: Final[Mapping[Value, str]] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}


def _lexicon(language: str) -> Lexicon:
    table = read_table("time_words", language)
    words: dict[Kind, Mapping[Value, str]] = {
        kind: _SIGNS if kind is Kind.SIGN else _forms(table[kind.value]) for kind in Kind
    }
    return Lexicon.build(
        words,
        numbers=_numbers(table),
        weak=table["weak"],
        month_first=table["month_first"],
        suffixes=table["suffixes"],
        follows_day=table["follows_day"],
    )


def _forms(written: str | Mapping[str, str]) -> dict[Value, str]:
    """Return the forms of a kind by value; the value is 0 where a kind has no others."""
    by_value = {"0": written} if isinstance(written, str) else written
    return {int(value) if value.lstrip("-").isdigit() else value: forms for value, forms in by_value.items()}


def _numbers(table: Mapping[str, Any]) -> SeparateNumbers | JoinedNumbers:
    small, tens = (
        {word: int(number) for word, _, number in (pair.partition("=") for pair in table[name].split())}
        for name in ("small_numbers", "tens")
    )
    if table["joined_numbers"]:
        return JoinedNumbers(small, tens, table["hundred"], table["thousand"], table["thousands"])
    return SeparateNumbers(small, tens, table["hundred"], table["thousand"], table["joint"])


LEXICONS: Final = {cast("Language", language): _lexicon(language) for language in LANGUAGES}
