"""Texts as the token numbers that MiniLM was trained on."""

from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

_FIRST_WINDOW = 2048
_GROWTH = 4


class _Pieces(Protocol):
    """What is read of an encoded text: its tokens, and the number of the word that each is a piece of."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> list[int | None]: ...


class MiniLmTokens:
    """MiniLM's tokenizer: WordPiece over lower-cased text without accents, control characters dropped.

    Args:
        definition: a `tokenizer.json`.
        limit: how many tokens the model reads, its two special ones included.
    """

    def __init__(self, definition: Path, limit: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(definition))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._room = limit - 2
        self._first = self._special("[CLS]")
        self._last = self._special("[SEP]")

    def ids(self, text: str) -> list[int]:
        """Return the tokens that the model reads of `text`: 2 to `limit` numbers, the special ones included.

        The tokenizer holds Python's global lock, so that a long text would stop the event loop. Only as much
        of the text is read as fills the model's window, which gives the same tokens.
        """
        return self.cut(text)[0]

    def cut(self, text: str) -> tuple[list[int], bool]:
        """Return the tokens that the model reads of `text`, as `ids` does, and whether it has more."""
        window = _FIRST_WINDOW
        while True:
            pieces = self._pieces(text[:window])
            if window >= len(text) or self._fills_the_room(pieces):
                ids = [self._first, *pieces.ids[: self._room], self._last]
                return ids, len(pieces.ids) > self._room
            window *= _GROWTH

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, without special tokens and without a limit."""
        return len(self._pieces(text).ids)

    def _fills_the_room(self, pieces: _Pieces) -> bool:
        """Tell whether the window ends before the last word, the only one that a cut may change."""
        words = pieces.word_ids
        return len(words) > self._room and words[self._room - 1] != words[-1]

    def _pieces(self, text: str) -> _Pieces:
        # A lone surrogate, which JSON can carry, has no UTF-8 form and so is not text to the tokenizer.
        readable = text.encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(readable, add_special_tokens=False)

    def _special(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer does not know {token}")
        return number
