"""Joins nouns that name one thing: "job interview", "esame di statistica", "Rossi Costruzioni"."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ricordo.language.lemmas import noun, noun_behind
from ricordo.language.topics.tagged_text import Tag, TaggedText
from ricordo.language.topics.word_classes import is_person, is_relational

LONGEST: Final = 3  # words that say something
_NONE: Final = Tag.NONE
_NAMED, _TOGETHER, _DETERMINED, _BARE, _PERSON = 2.5, 2.2, 2.0, 1.0, 0.8


class Phrase(NamedTuple):
    """What a text may be about: its dictionary form, and how much it weighs."""

    form: str
    weight: float


def phrases(sentence: TaggedText, language: str) -> Iterator[Phrase]:
    """Yield the phrases of tagged words, in order."""
    past = 0
    for at, tag in enumerate(sentence.tags):
        if tag is _NONE or at < past or tag is Tag.RELATED:
            continue
        if tag is Tag.NAME:
            past = at + _name_length(sentence, at, language)
        else:
            past = at + (_italian_length(sentence, at) if language == "it" else _run(sentence, at, Tag.NOUN))
        yield Phrase(_form(sentence, at, past, language), _weight(sentence, at, past, language))


def _name_length(sentence: TaggedText, at: int, language: str) -> int:
    length = _run(sentence, at, Tag.NAME)
    if language == "en" and sentence.joined(at + length):
        length += _run(sentence, at + length, Tag.NOUN)  # "Coldplay concert", "German course"
    return min(length, LONGEST)


def _run(sentence: TaggedText, at: int, tag: Tag) -> int:
    """Return how many words of a tag stand together from a place on; one that possesses ends them."""
    if sentence.tags[at] is not tag:
        return 0
    length = 1
    while length < LONGEST and not sentence.possesses(at + length - 1):
        place = at + length
        if place == len(sentence) or sentence.tags[place] is not tag or not sentence.joined(place):
            break
        length += 1
    return length


def _italian_length(sentence: TaggedText, at: int) -> int:
    """Return how many words a noun takes with what belongs to it: "visita medica", "abito da sposa"."""
    length = 1 + _related(sentence, at + 1)
    link, second = at + length, at + length + 1
    if sentence.word(link) not in sentence.lists.linking or not (
        sentence.joined(link) and sentence.joined(second)
    ):
        return length
    if sentence.tags[second] is not Tag.NOUN:
        return length
    if is_person(sentence.words[second], "it"):
        return length  # "l'operazione di papà"
    return length + 2 + (_related(sentence, second + 1) if length == 1 else 0)


def _related(sentence: TaggedText, at: int) -> int:
    """Return whether the word at a place belongs to the noun before it: 1 or 0."""
    related = at < len(sentence) and sentence.tags[at] is Tag.RELATED
    return int(related and is_relational(sentence.words[at]))


def _form(sentence: TaggedText, at: int, past: int, language: str) -> str:
    """Return how a topic is written: its head in the singular, the rest as it was said."""
    if past - at == 1:
        word = sentence.words[at]
        named = sentence.tags[at] is Tag.NAME
        return word if named else noun_behind(word, sentence.word(at - 1), language)
    words = sentence.words[at:past]
    if language == "en" and sentence.tags[past - 1] is Tag.NOUN:
        words[-1] = noun(words[-1], "en")
    elif language == "it" and sentence.tags[at] is Tag.NOUN:
        single = noun_behind(words[0], sentence.word(at - 1), "it")
        if sentence.tags[at + 1] is Tag.RELATED and single != words[0]:
            words[1] = noun(words[1], "it")
        words[0] = single
    return _elided(words) if language == "it" else " ".join(words)


def _elided(words: Sequence[str]) -> str:
    """Join words, with an apostrophe behind what elision has cut: "prezzo dell'abbonamento"."""
    joined = " ".join(words).replace(" dell ", " dell'").replace(" d ", " d'")
    return joined.replace("sant ", "sant'", 1) if words[0] == "sant" else joined


def _weight(sentence: TaggedText, at: int, past: int, language: str) -> float:
    together = past - at > 1
    if sentence.tags[at] is Tag.NAME:
        return _NAMED if together else _DETERMINED
    if together:
        return _TOGETHER
    if is_person(sentence.words[at], language):
        return _PERSON
    return _DETERMINED if sentence.determined(at) else _BARE
