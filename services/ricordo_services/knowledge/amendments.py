"""Reads corrections: each adds what the corrected message states with the right words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final
from uuid import UUID

from ricordo.language.corrections import apply_correction
from ricordo.language.document import document_of
from ricordo.memory.facts import USER, Statement, normalise
from ricordo.memory.facts.utterances import Utterance
from ricordo.models.fact_extraction import FactExtractor

Text = tuple[UUID, str]
"""The memory id and the text of a message: its own text, or the corrected one."""

_NONE: Final[Mapping[Text, Sequence[Statement]]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Amendment:
    """A message before and after its correction."""

    before: Utterance
    after: Utterance


async def read(
    reader: FactExtractor, utterances: Sequence[Utterance], kept: Mapping[Text, Sequence[Statement]] = _NONE
) -> list[Sequence[Statement]]:
    """Return the statements of each utterance; a correction also denies the wrong ones.

    A correction that does not name the words to replace has only its own statements.
    """
    amended = [_amendment(one) for one in utterances]
    needed = [
        *utterances,
        *(one for each in amended if each is not None for one in (each.before, each.after)),
    ]
    unread = {text_of(one): one for one in needed if text_of(one) not in kept}
    found = await reader.read(list(unread.values())) if unread else ()
    stated = {**kept, **dict(zip(unread, found, strict=True))}
    return [
        stated[text_of(one)]
        if each is None
        else _with_amendment(one, each, stated, nondeterministic=reader.nondeterministic)
        for one, each in zip(utterances, amended, strict=True)
    ]


def _with_amendment(
    correction: Utterance,
    amendment: _Amendment,
    stated: Mapping[Text, Sequence[Statement]],
    *,
    nondeterministic: bool,
) -> Sequence[Statement]:
    """Return the statements of a correction's own words and of the corrected message."""
    own = stated[text_of(correction)]
    before, after = stated[text_of(amendment.before)], stated[text_of(amendment.after)]
    if nondeterministic:
        after = [*after, *_missed_statements(before, after, amendment.after.content)]
    return [*own, *_changed_statements(correction, own, before, after)]


def text_of(utterance: Utterance) -> Text:
    """Return the memory id and the text of an utterance."""
    return utterance.memory_id, utterance.content


def _amendment(utterance: Utterance) -> _Amendment | None:
    """Return the amendment of a correction; None if it corrects nothing, or does not say what."""
    if utterance.corrects is None:
        return None
    before = _corrected(utterance.corrects)
    text = apply_correction(*(document_of(one.content, one.language) for one in (before, utterance)))
    return None if text is None else _Amendment(before, replace(before, content=text))


def _corrected(utterance: Utterance) -> Utterance:
    """Return the corrected message of a correction, else the utterance itself."""
    amendment = _amendment(utterance)
    return utterance if amendment is None else amendment.after


def _missed_statements(
    before: Sequence[Statement], after: Sequence[Statement], content: str
) -> Iterator[Statement]:
    """Yield statements that a nondeterministic reader missed this time, as their words are still there."""
    known = {(normalise(one.subject), normalise(one.object)) for one in after}
    text = normalise(content)
    for one in before:
        subject, value = normalise(one.subject), normalise(one.object)
        is_present = value in text and (subject == USER or subject in text) and normalise(one.quote) in text
        if is_present and (subject, value) not in known:
            yield one


def _changed_statements(
    utterance: Utterance, own: Sequence[Statement], before: Sequence[Statement], after: Sequence[Statement]
) -> Iterator[Statement]:
    """Yield the statements that a correction adds, and denials of those that it removes."""
    quote = utterance.content.strip()
    begin = utterance.content.index(quote)
    span = begin, begin + len(quote)
    stated, former, right = [{_key(one) for one in each} for each in (own, before, after)]
    for one in after:
        if _key(one) not in former | stated:
            yield replace(one, quote=quote, span=span)
    for one in before:
        if one.polarity != "denied" and _key(one) not in right | stated:
            yield replace(one, quote=quote, span=span, polarity="denied", valid_from=None, valid_to=None)


def _key(statement: Statement) -> tuple[str, str, str]:
    return normalise(statement.subject), statement.predicate, normalise(statement.object)
