"""How the user names a thing, and how a sentence about it names it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ricordo.language.document import Document
from ricordo.language.lemmas import noun
from ricordo.language.proper_nouns import is_proper_noun, starts_sentence
from ricordo.language.text import normalise, stop_words
from ricordo.language.topics import topic_key

_LONGEST = 5  # words of a topic, those that say nothing included
_LONGEST_READ = 6_000


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A mention of a thing by the user.

    Attributes:
        form: as written, in lower case unless it is a name.
        before: the two words before it in its sentence, in lower case, the nearer one last; "" for none.
        plural: whether it is plural.
        is_name: whether it is capitalised where grammar does not require it.
    """

    form: str
    before: tuple[str, str]
    plural: bool
    is_name: bool


def occurrences(key: str, texts: Iterable[str], language: str) -> Iterator[Occurrence]:
    """Yield the mentions in `texts` of the thing with that topic key."""
    for text in texts:
        yield from _in(key, Document(normalise(text)[:_LONGEST_READ], language))


def _in(key: str, document: Document) -> Iterator[Occurrence]:
    text, language, tokens = document.text, document.language, document.words
    for start, end in _spans(key, document):
        span = text[tokens[start].start : tokens[end - 1].end].removesuffix("'s")
        head = tokens[end - 1 if language == "en" else start].folded.removesuffix("'s")
        is_name = is_proper_noun(text, tokens[start])
        form = span if is_name else span.lower()
        yield Occurrence(form, _before(document, start), noun(head, language) != head, is_name)


def _spans(key: str, document: Document) -> Iterator[tuple[int, int]]:
    """Yield the spans of the thing, in words."""
    text, language, tokens = document.text, document.language, document.words
    ignored = stop_words(language)
    wanted = len(key.split())
    longest = 1 if wanted == 1 else _LONGEST
    for start in range(len(tokens)):
        for end in range(start + wanted, min(start + longest, len(tokens)) + 1):
            if tokens[start].folded in ignored or tokens[end - 1].folded in ignored:
                continue
            if topic_key(text[tokens[start].start : tokens[end - 1].end], language) == key:
                yield start, end
                break


def _before(document: Document, start: int) -> tuple[str, str]:
    text, tokens = document.text, document.words
    found = ["", ""]
    for back in (1, 2):
        if start - back < 0 or starts_sentence(text, tokens[start - back + 1].start):
            break
        found[-back] = tokens[start - back].folded
    return found[0], found[1]


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A person or thing as a sentence names it.

    Attributes:
        alone: as subject or object: "the exam", "l'esame".
        of: after the preposition "about": "the exam", "dell'esame".
    """

    alone: str
    of: str


@dataclass(frozen=True, slots=True)
class InsightPhrases:
    """The phrases of one language.

    Attributes:
        vague: nouns that are no topics, such as "day".
        feelings: a noun for each label of GoEmotions and for the two tones, as after "with".
        times: a time as at the end of a sentence.
        sentences: of each insight and its question, with `{who}`, `{what}`, `{of}`, `{feeling}`, `{Feeling}`
            and `{time}`.
        rider: the end of a sentence that also states a feeling.
        thing: names a thing as the user does; None where their words do not tell how.
        person: names a person.
        quoted: names a thing that the user never named so.
        with_article: a feeling as the subject of a sentence.
    """

    vague: frozenset[str]
    feelings: Mapping[str, str]
    times: Mapping[str, str]
    sentences: Mapping[str, str]
    rider: str
    thing: Callable[[Sequence[Occurrence]], NounPhrase | None]
    person: Callable[[str], NounPhrase]
    quoted: Callable[[str], NounPhrase]
    with_article: Callable[[str], str]
