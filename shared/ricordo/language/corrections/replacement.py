"""Rewrites a corrected message with the right words in the place of the wrong ones."""

from collections.abc import Iterator, Sequence
from typing import Final

from ricordo.language.corrections.correction_parsing import (
    Correction,
    are_alike,
    denied_phrase,
    read_correction,
)
from ricordo.language.corrections.values import PlacedValue, Value, tokens_of, values_of
from ricordo.language.document import Document
from ricordo.language.name_lists import is_given
from ricordo.language.tokenization import Token

_PAUSES: Final = frozenset(".!?…;:,—–()\n")
_MOST_SAID: Final = 4  # words of what is said instead of other words
_Group = list[PlacedValue]
_Span = tuple[int, int]
"""Offsets of words in a text, in characters."""


def apply_correction(corrected: Document, correction: Document) -> str | None:
    """Return a message as it was meant: "Vivo a Bari" for "Vivo a Foggia" and "Scusa, volevo dire Bari"."""
    read = read_correction(correction)
    if read is None:
        return None
    pairs = _phrases(corrected, correction) if read.denied_words else _values(corrected, correction, read)
    if not pairs:
        return None
    text, source = corrected.composed.text, correction.composed.text
    for wrong, right in sorted(pairs, reverse=True):
        text = text[: wrong[0]] + source[slice(*right)] + text[wrong[1] :]
    return text


def _values(corrected: Document, correction: Document, read: Correction) -> list[tuple[_Span, _Span]]:
    """Pair the wrong values with the right ones of their kinds; none where there is a choice."""
    right, stale = list(_groups(read.placed)), list[_Group]()
    for group in _groups(_held(corrected)):
        if any(one.value.is_among(read.denied or read.said) == bool(read.denied) for one in group):
            stale.append(group)
    pairs = []
    for kind in {group[0].value.kind for group in right}:
        of_kind, others = [[one for one in each if one[0].value.kind == kind] for each in (right, stale)]
        if len(of_kind) == 1 and (wrong := _meant(others, of_kind[0], read.denied)) is not None:
            pairs.append((_place(tokens_of(corrected), wrong), _place(tokens_of(correction), of_kind[0])))
    return pairs


def _held(document: Document) -> list[PlacedValue]:
    """Return the values of a text, with given names that begin a sentence."""
    found = {one.at: one for one in values_of(document)}
    for at, token in enumerate(tokens_of(document)):
        if at not in found and token.written[0].isupper() and is_given(token.folded):
            found[at] = PlacedValue(Value("name", token.folded), at)
    return [found[at] for at in sorted(found)]


def _meant(values: Sequence[_Group], right: _Group, denied: Sequence[Value]) -> _Group | None:
    """Return which values are wrong: the only likely ones; None where there is a choice.

    A number of which the words say another use than of the right one is not meant ("alle 15", not "il 15").
    """
    uses = {one.use for one in (right[0].value, *denied) if one.use}
    likely = [one for one in values if not uses or _use(one) in uses | {""}]
    likely = _narrowed(likely, [one for one in likely if _use(one) in uses])
    likely = _narrowed(likely, [one for one in likely if _is_given_name(one) == _is_given_name(right)])
    return likely[0] if len(likely) == 1 else None


def _narrowed(values: list[_Group], likely: list[_Group]) -> list[_Group]:
    return likely if likely and len(values) > 1 else values


def _use(group: _Group) -> str:
    return group[0].value.use


def _is_given_name(group: _Group) -> bool:
    return group[0].value.kind == "name" and is_given(group[0].value.key)


def _phrases(corrected: Document, correction: Document) -> list[tuple[_Span, _Span]]:
    """Pair the words that are denied with those that are set against them."""
    tokens, others = tokens_of(correction), tokens_of(corrected)
    found = denied_phrase(tokens, contrast=False)
    if found is None:
        return []
    denial, at, end = found
    denied, folded = ([one.folded for one in some] for some in (tokens[at:end], others))
    starts = [one for one in range(len(others)) if folded[one : one + len(denied)] == denied]
    said = _said_before(tokens, denial, lead=at - denial)
    if not starts or said is None:
        return []
    return [(_words(others, starts[-1], starts[-1] + len(denied)), _words(tokens, *said))]


def _said_before(tokens: Sequence[Token], denial: int, *, lead: int) -> tuple[int, int] | None:
    """Return the words right before a denial, behind small words as lead to what is denied, if such do."""
    pauses = [place for place in range(denial) if tokens[place].written in _PAUSES]
    if not pauses:
        return None
    begin, end = pauses[-2] + 1 if len(pauses) > 1 else 0, pauses[-1]
    if lead:
        small = [one for one in range(begin, end) if are_alike(tokens[one].folded, tokens[denial].folded)]
        same = [one for one in small if tokens[one].folded == tokens[denial].folded]
        begin = (same or small)[-1] + lead if small else end
    return (begin, end) if 0 < end - begin <= _MOST_SAID else None


def _groups(placed: Sequence[PlacedValue]) -> Iterator[_Group]:
    """Yield values; names that stand side by side are one."""
    group: _Group = []
    for one in placed:
        if group and not (one.value.kind == group[0].value.kind == "name" and one.at == group[-1].at + 1):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _place(tokens: Sequence[Token], group: _Group) -> _Span:
    return _words(tokens, group[0].at, group[-1].at + 1)


def _words(tokens: Sequence[Token], first: int, last: int) -> _Span:
    return tokens[first].start, tokens[last - 1].end
