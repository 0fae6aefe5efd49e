"""Counting tokens once: what a bot is told in one turn, it is mostly told in the next one too."""

from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Final

from ricordo.language.lru import LruCache

MOST_KEPT: Final = 16_384


class CountOnce:
    """Counts the tokens of a text, and knows them when it is asked again.

    Texts are known by their hash: nothing that was said is kept, and so nothing outlives being forgotten. May
    be called from several threads.

    Args:
        count: tokens of a text.
        most: how many texts are known at the most; the longest unasked goes first.
    """

    def __init__(self, count: Callable[[str], int], most: int = MOST_KEPT) -> None:
        self._count = count
        self._known = LruCache[bytes, int](most)
        self._lock = Lock()

    def __call__(self, text: str) -> int:
        """Return the tokens of `text`."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return known
        tokens = self._count(text)
        with self._lock:
            self._known.put(key, tokens)
        return tokens
