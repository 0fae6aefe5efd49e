"""Recognises a message that corrects an earlier one: "Scusa, il 14 non il 12", "I meant Tuesday"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from ricordo.language.corrections.values import (
    ORDINALS,
    PlacedValue,
    Value,
    correction_words,
    folded,
    spellings,
    tokens_of,
    values_of,
)
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.text import stem
from ricordo.language.tokenization import Token

Firmness = Literal["firm", "soft", "bare"]
_LONGEST: Final = 600  # characters: what is longer tells more than a correction
_UNSURE: Final = re.compile(r"[aeiou]")  # letters that may bear an accent
_TELLING: Final = 4  # letters of a stem that all its forms share
_MOST_BEFORE: Final = 4  # words between a denial and the value that it denies
_MOST_DENIED: Final = 4
_NEAR: Final = 40
"""Characters between the words that say so and the value that is right, where none is denied."""
_FRAGMENT: Final = 12  # tokens of a message that is nothing but a value
_SUFFIXES: Final = ORDINALS | {"am", "pm", "h"}
_CLAUSE: Final = frozenset(".!?…;:,—-–()\n")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message puts right.

    Attributes:
        firmness: `firm` where it says that it corrects, `soft` where it apologises or hesitates, `bare` where
            it only sets one value against another.
        denied_words: stems of other words that were wrong, where there is no such value.
        placed: the values that are right, and where they stand.
    """

    firmness: Firmness
    denied: tuple[Value, ...]
    denied_words: frozenset[str]
    placed: tuple[PlacedValue, ...]
    about: frozenset[str]

    @property
    def said(self) -> tuple[Value, ...]:
        """What is right."""
        return tuple(one.value for one in self.placed)


@lru_cache(maxsize=256)
def read_correction(document: Document) -> Correction | None:
    """Return what a message puts right; None where it puts nothing right, as nearly all do."""
    if len(document.text) > _LONGEST:
        return None
    plain = folded(document.text)
    if not correction_words().any.search(plain):
        return None
    firm, soft = correction_words().firm.search(plain), correction_words().soft.search(plain)
    firmness: Firmness = "firm" if firm else "soft" if soft else "bare"
    tokens, values = tokens_of(document), values_of(document)
    denied = list(_denied(tokens, values))
    wrong = tuple(dict.fromkeys(one.value for one in denied))
    said = tuple(one for one in values if one not in denied and not one.value.is_among(wrong))
    words = frozenset() if wrong or firmness == "bare" else _denied_words(tokens, contrast=not firm)
    if wrong:
        corrects = any(one.value.kind == other.kind for one in said for other in wrong)
    else:
        opens = soft is not None and soft.start() <= 1
        value_alone = _is_near(firm, tokens, values) or (opens and _is_fragment(tokens, values))
        corrects = bool(words) or (bool(said) and value_alone)
    if not corrects:
        return None
    return Correction(firmness, wrong, words, said, _about(tokens, values, firm, soft) - words)


def asserted(document: Document) -> tuple[Value, ...]:
    """Return the values that a message holds, but for those that it denies."""
    correction = read_correction(document)
    if correction is not None and correction.denied:
        return correction.said
    return tuple(one.value for one in values_of(document))


def denied_pattern(document: Document) -> str | None:
    """Return a pattern, of any case, that whatever a correction denies matches, and little else.

    It is written as both Python and PostgreSQL read it; None where the correction denies nothing by name.
    """
    correction = read_correction(document)
    if correction is None:
        return None
    if correction.denied:
        return spellings(correction.denied[0])
    words = sorted(correction.denied_words)
    return _UNSURE.sub(".", words[0][:_TELLING]) if words else None


@lru_cache(maxsize=256)
def content_stems(document: Document) -> frozenset[str]:
    """Return the stems of the words of a text that are more than grammar, in either language."""
    return frozenset(_stems(tokens_of(document)))


def _denied(tokens: Sequence[Token], values: Sequence[PlacedValue]) -> Iterator[PlacedValue]:
    """Yield the values that stand right behind a denial: "not the 12th", "non martedì 10"."""
    by_place = {one.at: one for one in values}
    for place in _denials(tokens):
        at = place
        while at < min(len(tokens), place + _MOST_BEFORE) and at not in by_place and _leads(tokens[at]):
            at += 1
        while at < len(tokens) and (found := by_place.get(at)) is not None:
            yield found
            at = _next(tokens, by_place, at + 1)


def _next(tokens: Sequence[Token], by_place: dict[int, PlacedValue], at: int) -> int:
    """Return where the next part of the same value stands, over the end of an ordinal and one small word."""
    if at < len(tokens) and tokens[at].folded in _SUFFIXES:
        at += 1
    if at + 1 < len(tokens) and at not in by_place and _leads(tokens[at]) and at + 1 in by_place:
        return at + 1
    return at


def _denied_words(tokens: Sequence[Token], *, contrast: bool) -> frozenset[str]:
    """Return the stems of the few words behind a denial, where a clause ends behind them."""
    found = denied_phrase(tokens, contrast=contrast)
    return frozenset() if found is None else frozenset(_stems(tokens[found[1] : found[2]]))


def denied_phrase(tokens: Sequence[Token], *, contrast: bool) -> tuple[int, int, int] | None:
    """Return where a denial ends, and from where to where the few words are that it denies."""
    for place in _denials(tokens):
        at = place
        while at < min(len(tokens), place + _MOST_BEFORE) and _leads(tokens[at], role=at == place):
            at += 1
        end = at
        while (
            end < len(tokens)
            and tokens[end].written not in _CLAUSE
            and tokens[end].folded not in correction_words().behind
        ):
            end += 1
        few = 0 < end - at <= _MOST_DENIED and any(_stems(tokens[at:end]))
        if few and (not contrast or _is_contrast(tokens, place, at, end)):
            return place, at, end
    return None


def _is_contrast(tokens: Sequence[Token], place: int, at: int, end: int) -> bool:
    """Return whether words are denied as others before are said: behind a like small word, or both bare."""
    denial = next(one for one in range(place - 1, -1, -1) if one == 0 or tokens[one - 1].written in _CLAUSE)
    before = tokens[:denial]
    if not before or (end < len(tokens) and tokens[end].written not in _CLAUSE):
        return False
    if at > place:
        return any(are_alike(one.folded, tokens[place].folded) for one in before)
    said = len(before) > 2 and before[-3].written in _CLAUSE and before[-1].written == ","
    return said and end - at == 1 and any(_stems(before[-2:-1]))


def are_alike(one: str, other: str) -> bool:
    """Return whether two small words are forms of one: "a" and "an", "al" and "alle", articles."""
    small = correction_words()
    if one in small.articles and other in small.articles:
        return True
    return one[:1] == other[:1] and all(word in small.before or word in small.roles for word in (one, other))


def _denials(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the places right behind what denies."""
    for at in range(len(tokens)):
        last = [one.folded for one in tokens[max(0, at - 2) : at + 1]]
        if correction_words().denial.search(" ".join(last)):
            yield at + 1


def _leads(token: Token, *, role: bool = False) -> bool:
    return token.folded in correction_words().before or (role and token.folded in correction_words().roles)


def _is_near(firm: re.Match[str] | None, tokens: Sequence[Token], values: Sequence[PlacedValue]) -> bool:
    """Return whether a value stands beside the words that say that something is put right."""
    if firm is None:
        return False
    return any(firm.start() - _NEAR <= tokens[one.at].start <= firm.end() + _NEAR for one in values)


def _is_fragment(tokens: Sequence[Token], values: Sequence[PlacedValue]) -> bool:
    """Return whether a message is a value, with no more around it than the words that lead to one."""
    places = {one.at for one in values}
    left = [token for at, token in enumerate(tokens) if at not in places and token.written not in _CLAUSE]
    courtesy = [one for one in left if not _leads(one) and one.folded not in _SUFFIXES]
    return len(tokens) <= _FRAGMENT and all(
        correction_words().soft_word.fullmatch(one.folded) for one in courtesy
    )


def _about(
    tokens: Sequence[Token], values: Sequence[PlacedValue], *said_so: re.Match[str] | None
) -> frozenset[str]:
    """Return the stems of the words that are neither values nor say that something is put right."""
    places = {one.at for one in values}
    spans = [found.span() for found in said_so if found is not None]
    return frozenset(
        _stems(
            token
            for at, token in enumerate(tokens)
            if at not in places
            and not any(begin <= token.start < end for begin, end in spans)
            and correction_words().soft_word.fullmatch(token.folded) is None
        )
    )


def _stems(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        word = token.folded
        if len(word) > 2 and word.isalpha() and word not in correction_words().grammar:
            yield from {stem(word, language) for language in LANGUAGES}
