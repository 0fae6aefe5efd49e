"""Reading corrections: each states what the message that it puts right states once that is right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ricordo.domain.corrections import put_right
from ricordo.domain.facts import Statement, normalise
from ricordo.ports.facts import Utterance
from ricordo.ports.stating import StatementReader

_Key = tuple[str, str, str]


async def read(reader: StatementReader, utterances: Sequence[Utterance]) -> list[Sequence[Statement]]:
    """Return what each utterance states; a correction also denies what was wrong."""
    stated = list(await reader.read(utterances))
    for place, one in enumerate(utterances):
        if one.corrects is not None:
            former, right = _meant(one.corrects), _meant(one)
            before, after = await reader.read([former, right])
            stated[place] = (*stated[place], *_put_right(one, stated[place], before, after))
    return stated


def _meant(utterance: Utterance) -> Utterance:
    """Return what was meant: of a correction what it corrects, with the right words in it."""
    if utterance.corrects is None:
        return utterance
    former = _meant(utterance.corrects)
    text = put_right(former.content, utterance.content)
    return utterance if text is None else replace(former, content=text)


def _put_right(
    utterance: Utterance, own: Sequence[Statement], before: Sequence[Statement], after: Sequence[Statement]
) -> Iterator[Statement]:
    """Yield what a correction states by what it corrects, and what it takes back of that."""
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


def _key(statement: Statement) -> _Key:
    return normalise(statement.subject), statement.predicate, normalise(statement.object)
