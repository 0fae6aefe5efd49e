"""How much is told of a text: all of it, the sentences that matter, or a line."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final

from ricordo.domain.text import excerpt, sentences, stem, words

LONG_TOKENS: Final = 500
SHORT_TOKENS: Final = 150
LINE_LENGTH: Final = 160
_LONGEST_TOKEN: Final = 16  # characters
_CHUNK: Final = 2_000  # characters counted at a time
_GAP: Final = "…"

Count = Callable[[str], int]


def cost(text: str, count: Count) -> int:
    """Return what a text costs: its tokens, and no less than one for 16 characters.

    What a tokenizer drops, or takes for one unknown word, would otherwise be as long as it likes.
    """
    return max(count(text), -(-len(text) // _LONGEST_TOKEN))


def is_long(text: str, count: Count) -> bool:
    """Whether a text costs more than 500 tokens; of a long one, only the beginning is counted."""
    if len(text) > LONG_TOKENS * _LONGEST_TOKEN:
        return True
    left = LONG_TOKENS
    for chunk in _chunks(text):
        left -= cost(chunk, count)
        if left < 0:
            return True
    return False


def _chunks(text: str) -> Iterator[str]:
    """Cut a text between words, so that each part costs what it costs in the whole."""
    start = 0
    while len(text) - start > _CHUNK:
        end = text.rfind(" ", start, start + _CHUNK) + 1 or start + _CHUNK
        yield text[start:end]
        start = end
    yield text[start:]


class Digest:
    """The sentences of a text, those first that share words with what is asked, else in their order.

    Args:
        text: what is to be told.
        wanted: stems of the question.
        language: of the text.
    """

    def __init__(self, text: str, wanted: frozenset[str], language: str) -> None:
        self._sentences = sentences(text)
        beginnings = tuple({stemmed[:3].rstrip("iy") for stemmed in wanted})
        shared = [
            len(wanted & _stems(sentence, language)) if _may_share(sentence, beginnings) else 0
            for sentence in self._sentences
        ]
        self._order = sorted(range(len(shared)), key=lambda at: -shared[at])

    def within(self, limit: int, count: Count) -> str:
        """Return as many of the sentences as cost at most `limit` tokens, in the order of the text.

        Dots stand for what is left out between them. Of a single sentence that is longer, its beginning.
        """
        kept: list[int] = []
        left = limit
        for at in self._order:
            if len(self._sentences[at]) > left * _LONGEST_TOKEN:  # not even worth counting
                break
            left -= cost(f"{self._sentences[at]} {_GAP} ", count)
            if left < 0:
                break
            kept.append(at)
        if not kept:
            return _cut(self._sentences[self._order[0]], count, limit) if self._order else ""
        return "".join(self._joined(sorted(kept)))

    def line(self) -> str:
        """Return the sentence that matters most, shortened to a line."""
        return excerpt(self._sentences[self._order[0]], LINE_LENGTH) if self._order else ""

    def _joined(self, kept: list[int]) -> Iterator[str]:
        yield self._sentences[kept[0]]
        for before, at in pairwise(kept):
            yield " " if at == before + 1 else f" {_GAP} "
            yield self._sentences[at]


def _may_share(sentence: str, beginnings: Iterable[str]) -> bool:
    """Tell, at a tenth of the cost of its stems, whether a sentence can hold words that begin so."""
    folded = sentence.casefold()
    if not folded.isascii():  # stems have no diacritics
        folded = "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))
    return any(beginning in folded for beginning in beginnings)


def _stems(sentence: str, language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in words(sentence, language))


def _cut(text: str, count: Count, limit: int) -> str:
    most = limit * _LONGEST_TOKEN // 2
    kept = excerpt(text[: 2 * most], most)
    while len(kept) > 1 and (spent := cost(kept, count)) > limit:
        kept = excerpt(kept, max(1, int(len(kept) * 0.95 * limit / spent)))
    return kept
