"""The words of a text by their tokens, as arrays, so that all of them are looked at in one step."""

from collections.abc import Sequence

import numpy as np

from ricordo.language.reading import Span

Spans = Sequence[Span]
"""The characters of the text that each token stands for; (-1, -1) for none."""


class Words:
    """The words of a text, by the tokens of each; those that stand for no characters are of none.

    Attributes:
        tokens: of each word.
        joined: the tokens of all words, int [n].
        starts: where in `joined` each word begins, int [words].
        firsts: the first token of each word, int [words].
    """

    def __init__(self, text: str, spans: Spans) -> None:
        self.text = text
        self._spans = spans
        self.tokens: list[list[int]] = []
        end_of_last = -1
        for token, (start, end) in enumerate(spans):
            if not 0 <= start < end:
                continue
            if end_of_last == start and text[max(0, start - 1) : start + 1].isalnum():
                self.tokens[-1].append(token)
            else:
                self.tokens.append([token])
            end_of_last = end
        lengths = [len(one) for one in self.tokens]
        self.joined = np.array([token for one in self.tokens for token in one], dtype=np.intp)
        self.starts = np.cumsum([0, *lengths[:-1]]) if lengths else np.empty(0, dtype=np.intp)
        self.firsts = self.joined[self.starts]

    def span(self, tokens: Sequence[int]) -> Span:
        """Return the characters from the first to the last of some tokens."""
        return self._spans[tokens[0]][0], self._spans[tokens[-1]][1]
