"""The tokenizer of MiniLM."""

from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from ricordo.models.encoder import encodable

_FIRST_WINDOW = 2048
_GROWTH = 4


class _Pieces(Protocol):
    """An encoded text: token ids, and the number of the word of each."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> list[int | None]: ...


class MiniLmTokens:
    """WordPiece over lower-cased text without accents and control characters.

    Args:
        definition: a `tokenizer.json`.
        limit: window of the model in tokens, its two special ones included.
    """

    def __init__(self, definition: Path, limit: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(definition))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._room = limit - 2
        self._first = self._special("[CLS]")
        self._last = self._special("[SEP]")

    def cut(self, text: str) -> tuple[list[int], bool]:
        """Return the token ids of `text` within the window, special ones included; and whether it is longer.

        The tokenizer holds Python's interpreter lock, so that a long text would block the event loop. Only as
        much of the text is read as fills the window, which gives the same tokens.
        """
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
        """Return whether the window ends before the last word, the only one that a cut may change."""
        words = pieces.word_ids
        return len(words) > self._room and words[self._room - 1] != words[-1]

    def _pieces(self, text: str) -> _Pieces:
        return self._tokenizer.encode(encodable(text), add_special_tokens=False)

    def _special(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer does not know {token}")
        return number
