"""How the user names a thing: where it stands in what they said, with what stands before it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ricordo.language.lemmas import noun
from ricordo.language.proper_nouns import is_proper_noun, starts_sentence
from ricordo.language.stop_words import stop_words
from ricordo.language.text import located_words, normalise
from ricordo.language.topics import topic_key

_LONGEST = 5  # words of a topic, those that say nothing included
_LONGEST_READ = 6_000


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where the user names a thing.

    Attributes:
        form: as it is said there, in lower case unless it is a name.
        before: the two words before it in its sentence, in lower case, the nearer one last; "" where there is
            none.
        plural: whether its form is one.
        is_name: whether it is capitalised where grammar does not ask for it.
    """

    form: str
    before: tuple[str, str]
    plural: bool
    is_name: bool


def occurrences(key: str, texts: Iterable[str], language: str) -> Iterator[Occurrence]:
    """Yield the places of `texts` where the thing of that topic key is named."""
    for text in texts:
        yield from _in(key, normalise(text)[:_LONGEST_READ], language)


def _in(key: str, text: str, language: str) -> Iterator[Occurrence]:
    tokens = located_words(text, language)
    for start, end in _spans(key, text, language):
        span = text[tokens[start].start : tokens[end - 1].end].removesuffix("'s")
        head = tokens[end - 1 if language == "en" else start].folded.removesuffix("'s")
        is_name = is_proper_noun(text, tokens[start])
        form = span if is_name else span.lower()
        yield Occurrence(form, _before(text, start, language), noun(head, language) != head, is_name)


def _spans(key: str, text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where the thing begins and ends, in words."""
    tokens = located_words(text, language)
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


def _before(text: str, start: int, language: str) -> tuple[str, str]:
    tokens = located_words(text, language)
    found = ["", ""]
    for back in (1, 2):
        if start - back < 0 or starts_sentence(text, tokens[start - back + 1].start):
            break
        found[-back] = tokens[start - back].folded
    return found[0], found[1]
