"""One analysed text, which every reader takes: tokens, sentences and assertions are computed once.

A view of a text (without markup, in even spacing) is a `Document` of its own, and the same one where
nothing is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from ricordo.language import markup
from ricordo.language.assertion_scope import (
    Assertion,
    assertions_of,
    evenly_spaced,
    plain,
    plain_words,
    without_quotations,
)
from ricordo.language.data_files import LANGUAGES
from ricordo.language.text import collapse, normalise
from ricordo.language.tokenization import (
    Token,
    is_question,
    sentences_of,
    terms_of,
    without_stop_words,
    words_of,
)

T = TypeVar("T")


class _computed(Generic[T]):  # noqa: N801 - used like `property`
    """Computes an attribute once; unlike `cached_property` of Python 3.11, without a lock of all objects."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, document: "Document", owner: type) -> T:
        value = document.__dict__[self._compute.__name__] = self._compute(document)
        return value


@dataclass(frozen=True)
class Document:
    """A text and its language.

    Attributes:
        text: as written.
        language: ISO 639-1, "" where it is unknown. Only languages with a data folder have assertions.
    """

    text: str
    language: str = ""

    @_computed
    def composed(self) -> "Document":
        """The text in Unicode normal form C."""
        return self.with_text(normalise(self.text))

    @_computed
    def evenly_spaced(self) -> "Document":
        """The text in normal form C, with single spaces within lines."""
        return self.with_text(evenly_spaced(self.text))

    @_computed
    def visible(self) -> "Document":
        """The first 6,000 characters, in normal form C and without markup."""
        return self.with_text(markup.visible(self.text))

    @_computed
    def words(self) -> tuple[Token, ...]:
        """The words of a text in normal form C, with their offsets."""
        return tuple(words_of(self.text, self.language))

    @_computed
    def content_words(self) -> tuple[str, ...]:
        """The case-folded words that are not stop words; all of them if none would be left."""
        return tuple(without_stop_words([word.folded for word in self.composed.words], self.language))

    @_computed
    def stems(self) -> tuple[str, ...]:
        """The terms by which the content words are found, in order, with repetitions."""
        return tuple(terms_of(self.content_words, self.language))

    @_computed
    def sentences(self) -> tuple[str, ...]:
        """The sentences, stripped; an abbreviation does not end one, a line does."""
        return tuple(sentences_of(self.text))

    @_computed
    def statements(self) -> tuple[str, ...]:
        """The sentences that do not ask, each on one line, in lower case, apostrophes straight."""
        straight = self.with_text(self.composed.text.replace("\u2019", "'"))
        # Patterns that disregard case are several times slower than patterns on lower case.
        return tuple(collapse(one).lower() for one in straight.sentences if not is_question(one))

    @_computed
    def plain(self) -> str:
        """The text in lower case without accents, apostrophes straight; as long as the text."""
        return plain(self.text)

    @_computed
    def plain_words(self) -> frozenset[str]:
        """The different words of `plain`, cut at apostrophes."""
        return plain_words(self.plain)

    @_computed
    def assertions(self) -> tuple[Assertion, ...]:
        """What the text asserts, in order; nothing in a language without a data folder."""
        if self.language not in LANGUAGES:
            return ()
        if self.evenly_spaced is not self:
            return self.evenly_spaced.assertions
        unquoted = self.with_text(without_quotations(self.text))
        return assertions_of(unquoted.sentences, self.language)

    def with_text(self, text: str) -> "Document":
        """Return the document of another text in this language; itself where the text is the same."""
        return self if text == self.text else replace(self, text=text)


@lru_cache(maxsize=64)
def document_of(text: str, language: str = "") -> Document:
    """Return the document of a text that several readers take without a call chain between them."""
    return Document(text, language)
