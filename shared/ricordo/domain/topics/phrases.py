"""Nouns that name one thing together: "job interview", "esame di statistica", "Rossi Costruzioni"."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ricordo.domain.lemmas import noun
from ricordo.domain.topics.sentence import Tag, Tagged
from ricordo.domain.topics.word_classes import is_relational, lists

LONGEST: Final = 3  # words that say something
_OF: Final = frozenset("di d del dello della dell dei degli delle da".split())
_NAMED, _TOGETHER, _DETERMINED, _BARE, _PERSON = 2.5, 2.2, 2.0, 1.0, 0.8


class Phrase(NamedTuple):
    """What a text may be about: its dictionary form, and how much it weighs."""

    form: str
    weight: float


def phrases(found: Sequence[Tagged], language: str) -> Iterator[Phrase]:
    """Yield the phrases of tagged words, in order."""
    at = 0
    while at < len(found):
        length = 0
        if found[at].tag is Tag.NAME:
            length = _name_length(found, at, language)
        elif found[at].tag is Tag.NOUN:
            length = _italian_length(found, at) if language == "it" else _run(found, at, Tag.NOUN)
        if length:
            span = found[at : at + length]
            yield Phrase(_form(span, language), _weight(span, language))
        at += length or 1


def _name_length(found: Sequence[Tagged], at: int, language: str) -> int:
    length = _run(found, at, Tag.NAME)
    behind = at + length
    if language == "en" and behind < len(found) and found[behind].joined:
        length += _run(found, behind, Tag.NOUN)  # "Coldplay concert", "German course"
    return min(length, LONGEST)


def _run(found: Sequence[Tagged], at: int, tag: Tag) -> int:
    """Return how many words of a tag stand together from a place on; one that possesses ends them."""
    length = 0
    while at + length < len(found) and length < LONGEST:
        each = found[at + length]
        if each.tag is not tag or (length and not each.joined):
            break
        length += 1
        if each.word != each.token.folded:
            break
    return length


def _italian_length(found: Sequence[Tagged], at: int) -> int:
    """Return how many words a noun takes with what belongs to it: "visita medica", "abito da sposa"."""
    length = 1 + _related(found, at + 1)
    link, second = at + length, at + length + 1
    if second >= len(found) or not found[link].joined or found[link].word not in _OF:
        return length
    if found[second].tag is not Tag.NOUN or not found[second].joined:
        return length
    if noun(found[second].word, "it") in lists("it").persons:
        return length  # "l'operazione di papà"
    return length + 2 + (_related(found, second + 1) if length == 1 else 0)


def _related(found: Sequence[Tagged], at: int) -> int:
    """Say whether the word at a place belongs to the noun before it: 1 or 0."""
    return int(at < len(found) and found[at].tag is Tag.RELATED and is_relational(found[at].word))


def _form(span: Sequence[Tagged], language: str) -> str:
    """Return how a topic is written: its head in the singular, the rest as it was said."""
    words = [each.word for each in span]
    if language == "en" and span[-1].tag is Tag.NOUN:
        words[-1] = noun(words[-1], "en")
    elif language == "it" and span[0].tag is Tag.NOUN:
        single = noun(words[0], "it")
        if len(words) > 1 and span[1].tag is Tag.RELATED and single != words[0]:
            words[1] = noun(words[1], "it")
        words[0] = single
    return _elided(words) if language == "it" else " ".join(words)


def _elided(words: Sequence[str]) -> str:
    """Join words, with an apostrophe behind what elision has cut: "prezzo dell'abbonamento"."""
    return " ".join(words).replace(" dell ", " dell'").replace(" d ", " d'")


def _weight(span: Sequence[Tagged], language: str) -> float:
    if span[0].tag is Tag.NAME:
        return _NAMED if len(span) > 1 else _DETERMINED
    if len(span) > 1:
        return _TOGETHER
    if noun(span[0].word, language) in lists(language).persons:
        return _PERSON
    return _DETERMINED if span[0].determined else _BARE
