"""Finds the values in a text that people correct: numbers, weekdays, months, days and names.

Both languages are read at once: people mix them, and a short text does not tell its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from ricordo.language.data_files import LANGUAGES, WordSets, read_table
from ricordo.language.document import Document
from ricordo.language.scripts import without_accents
from ricordo.language.temporal.lexicon import LEXICONS, Kind
from ricordo.language.text import stop_words
from ricordo.language.tokenization import VALUE, Token, tokenize

ValueKind = Literal["number", "weekday", "month", "day", "name"]
Use = Literal["", "clock", "day"]
_ELIDED: Final = re.compile(r"^(?:l|d|dell|dall|all|nell|sull|un)['’](?=\w)", re.IGNORECASE)
_CLOCK: Final = re.compile(r"^([01]?\d|2[0-4])[:.]([0-5]\d)$")
_THOUSANDS: Final = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
_HOURS: Final = frozenset({"am", "pm", "h", "o'clock"})
_LONGEST_NAME: Final = 40
_KINDS: Final[dict[Kind, ValueKind]] = {
    Kind.WEEKDAY: "weekday",
    Kind.MONTH: "month",
    Kind.DAY: "day",
}


class Value(NamedTuple):
    """One value."""

    kind: ValueKind
    key: str
    use: Use = ""

    def is_like(self, other: "Value") -> bool:
        """Return whether both may be one value: the use counts where both tell it."""
        return self[:2] == other[:2] and (not self.use or not other.use or self.use == other.use)

    def is_among(self, values: Iterable["Value"]) -> bool:
        """Return whether it may be one of `values`."""
        return any(self.is_like(other) for other in values)


class PlacedValue(NamedTuple):
    """A value, and which of the tokens it is."""

    value: Value
    at: int


@lru_cache(maxsize=64)
def tokens_of(document: Document) -> tuple[Token, ...]:
    """Return the tokens of a text, without diacritics; an elided article is one ("l'11": "l", "11")."""
    found: list[Token] = []
    for written, _, start, end in tokenize(document.composed.text, VALUE):
        cut = elided.end() if (elided := _ELIDED.match(written)) else 0
        if cut:
            article = written[: cut - 1]
            found.append(Token(article, folded(article), start, start + cut - 1))
        found.append(Token(written[cut:], folded(written[cut:]), start + cut, end))
    return tuple(found)


def folded(word: str) -> str:
    """Return a word as the tables hold it."""
    return without_accents(word.casefold().replace("’", "'"))


@lru_cache(maxsize=64)
def values_of(document: Document) -> tuple[PlacedValue, ...]:
    """Return the values of a text in their order."""
    return tuple(_found(tokens_of(document)))


def spellings(value: Value) -> str:
    """Return a pattern that whatever is written for a value matches, in any case, and little else."""
    if value.kind == "name":
        return re.sub(r"[aeiou]", ".", re.escape(value.key))
    if value.kind != "number":
        same = sorted(word for word, other in correction_words().calendar.items() if other == value)
        return "|".join(re.sub(r"[aeiou]$", ".", word) for word in same)
    number = _THOUSANDS.sub("[.,]?", value.key.split(":")[0])
    spelled = sorted(correction_words().spelled.get(value.key, ()))
    return "|".join((rf"(?:^|[^0-9])0*{number}(?:[^0-9]|$)", *spelled))


def _found(tokens: Sequence[Token]) -> Iterator[PlacedValue]:
    for at, token in enumerate(tokens):
        near = (*(tokens[at - 1 : at] if at else ()), *tokens[at + 1 : at + 2])
        for value in _read(token, tokens, at, beside_number=any(one.written[:1].isdigit() for one in near)):
            yield PlacedValue(value, at)


def _read(token: Token, tokens: Sequence[Token], at: int, *, beside_number: bool) -> Iterator[Value]:
    words = correction_words()
    if token.written[0].isdigit():
        yield from _numbers(token.written, _use(tokens, at))
        return
    if (calendar := words.calendar.get(token.folded)) is not None:
        if token.folded not in words.weak or beside_number or token.written[0].isupper():
            yield calendar
        return
    if (number := _number(token.folded, tokens, at)) is not None:
        yield Value("number", str(number), _use(tokens, at))
    elif _is_name(token, tokens, at):
        yield Value("name", token.folded)


def _numbers(written: str, use: Use) -> Iterator[Value]:
    """Yield what digits say: a clock time, the parts of a date, or a number."""
    if clock := _CLOCK.match(written):
        hour, minutes = int(clock[1]), clock[2]
        yield Value("number", str(hour) if minutes == "00" else f"{hour}:{minutes}", "clock")
    elif "/" in written:
        for part in written.split("/")[:2]:
            yield Value("number", str(int(re.split(r"[.,:]", part)[0])), "day")
    else:
        whole = re.sub(r"[.,](?=\d{3}\b)", "", written)
        yield Value("number", whole.lstrip("0") or "0", use)


def _use(tokens: Sequence[Token], at: int) -> Use:
    """Tell what a number is of, by the words before and behind it."""
    words = correction_words()
    before = tokens[at - 1].folded if at else ""
    after = tokens[at + 1].folded if at + 1 < len(tokens) else ""
    beyond = tokens[at + 2].folded if after in ("of", "di") and at + 2 < len(tokens) else after
    if after in _HOURS or before in words.clock_numbers:
        return "clock"
    month = words.calendar.get(beyond) or words.calendar.get(before)
    if after in ORDINALS or (month is not None and month.kind in ("month", "weekday")):
        return "day"
    return "day" if before in words.day_numbers else ""


def _number(word: str, tokens: Sequence[Token], at: int) -> int | None:
    words = correction_words()
    if word in words.weak and not (at and tokens[at - 1].folded in words.clock_numbers):
        return None
    for lexicon in LEXICONS.values():
        if lexicon.numbers.begins(word) and (read := lexicon.numbers.read([word])) is not None:
            return read.value
    return None


def _is_name(token: Token, tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a name by its capital: not the first of a sentence, unless a denial follows it."""
    if not token.written[0].isupper() or not 1 < len(token.written) <= _LONGEST_NAME:
        return False
    if token.written.isupper() or token.folded in correction_words().grammar:
        return False
    opens = at == 0 or tokens[at - 1].written in ".!?…:;"
    following = [one.folded for one in tokens[at + 1 : at + 3] if one.folded != ","]
    return not opens or following[:1] in (["not"], ["non"])


class CorrectionWords(WordSets):
    """The words of `corrections.toml` and around values, of all languages."""

    any: re.Pattern[str]
    firm: re.Pattern[str]
    soft: re.Pattern[str]
    soft_word: re.Pattern[str]
    denial: re.Pattern[str]
    calendar: dict[str, Value]
    spelled: dict[str, set[str]]


@lru_cache(maxsize=1)
def correction_words() -> CorrectionWords:
    """Return the words, read once."""
    tables = [read_table("corrections", language) for language in LANGUAGES]
    lists = {name: frozenset(word for table in tables for word in table[name].split()) for name in tables[0]}
    firm, soft, denial = (
        "|".join(line for table in tables for line in table[name].split("\n") if line)
        for name in ("firm", "soft", "denial")
    )
    weak = set(lists["weak_numbers"])
    calendar: dict[str, Value] = {}
    spelled: dict[str, set[str]] = {}
    for lexicon in LEXICONS.values():
        for phrase, term in lexicon.phrases.items():
            for kind in _KINDS.keys() & term.values.keys() if len(phrase) == 1 else ():
                number = int(term.values[kind]) - (kind is Kind.MONTH)
                calendar[folded(phrase[0])] = Value(_KINDS[kind], str(number))
                weak |= {folded(phrase[0])} if term.weak else set()
        for word, count in (*lexicon.numbers.small.items(), *lexicon.numbers.tens.items()):
            spelled.setdefault(str(count), set()).add(word)
    return CorrectionWords(
        **lists
        | {
            "any": re.compile(rf"\b(?:{firm}|{soft}|{denial})\b"),
            "firm": re.compile(rf"\b(?:{firm})\b"),
            "soft": re.compile(rf"\b(?:{soft})\b"),
            "soft_word": re.compile(soft),
            "denial": re.compile(rf"(?:^|(?<= ))(?:{denial})\Z"),
            "calendar": calendar,
            "spelled": spelled,
            "weak": frozenset(weak),
            "grammar": frozenset(folded(word) for language in LANGUAGES for word in stop_words(language)),
        }
    )
