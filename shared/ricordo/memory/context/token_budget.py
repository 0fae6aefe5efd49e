"""Counts tokens and divides a token budget between memories."""

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from threading import Lock
from typing import Final

from cachetools import LRUCache, cached

LONGEST_TOKEN: Final = 16  # characters
PATIENCE: Final = 8
"""What has no room, after which no more is tried."""

_CHUNK: Final = 500  # characters counted at a time

Count = Callable[[str], int]

MOST_BYTES: Final = 450_000
"""JSON bytes of a context: half of what a reply may have."""


def cost(text: str, count: Count) -> int:
    """Return the tokens of a text, at least one per 16 characters.

    The minimum bounds text that a tokenizer drops or takes for one unknown word.
    """
    return max(count(text), -(-len(text) // LONGEST_TOKEN))


def cost_within(text: str, most: int, count: Count) -> int:
    """Return the cost of a text; of one that costs more than `most`, only the beginning is counted."""
    if len(text) > most * LONGEST_TOKEN:
        return most + 1
    spent = 0
    for chunk in _chunks(text):
        spent += cost(chunk, count)
        if spent > most:
            break
    return spent


def _chunks(text: str) -> Iterator[str]:
    """Split a text between words, so that the costs of the chunks add up to that of the text."""
    start = 0
    while len(text) - start > _CHUNK:
        end = text.rfind(" ", start, start + _CHUNK) + 1 or start + _CHUNK
        yield text[start:end]
        start = end
    yield text[start:]


MOST_KEPT: Final = 16_384


def cached_token_counter(count: Count) -> Count:
    """Return a thread-safe counter with a cache of `MOST_KEPT` texts, which holds their hashes only."""

    def digest(text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    return cached(LRUCache[bytes, int](MOST_KEPT), key=digest, lock=Lock())(count)


FIRST_SHARES: Final = (0.35, 0.20, 0.15)
"""Caps on the first memories, as shares of the room; they are otherwise shown in full."""
LEAST: Final = 30
"""The fewest tokens worth showing of a memory: where the share is smaller, fewer memories are shown."""
LINE: Final = 8
"""Tokens of a mark, a name and a shared heading: the overhead of a memory."""


def share_caps(number: int, room: int, longest: int) -> list[int]:
    """Return the most tokens that each of `number` memories may take if there is room for all."""
    firsts = [max(LEAST, int(share * room)) for share in FIRST_SHARES[:number]]
    return [min(longest, most) for most in (*firsts, *[longest] * (number - len(firsts)))]


def fair_shares(costs: Sequence[int], room: int, whole: int = len(FIRST_SHARES)) -> list[int]:
    """Divide the room between memories (max-min fairness).

    The first ones get what they cost; the rest is levelled. Where not even a few words of each fit, the last
    ones get nothing.

    Args:
        whole: how many of the first get their full cost; fewer where there is no room.
    """
    spent = accumulate(cost + LINE for cost in costs[:whole])
    fitting = sum(total <= room for total in spent)
    firsts = list(costs[: max(fitting, len(FIRST_SHARES))])
    others = costs[len(firsts) :]
    left = room - sum(firsts) - LINE * len(firsts)
    for number in range(len(others), 0, -1):
        level = _level(others[:number], left - LINE * number)
        if level >= min(LEAST, max(others[:number])):
            shown = [min(cost, level) for cost in others[:number]]
            return [*firsts, *shown, *[0] * (len(others) - number)]
    return [*firsts, *[0] * len(others)]


def _level(costs: Sequence[int], room: int) -> int:
    """Return the largest cap under which all costs fit into the room."""
    if sum(costs) <= room:
        return max(costs)
    ascending = sorted(costs)
    for at, spent in enumerate(accumulate(ascending, initial=0)):
        level = (room - spent) // (len(ascending) - at)
        if level < ascending[at]:
            return max(0, level)
    return ascending[-1]


class TokenBudget:
    """Tokens that may still be spent.

    Args:
        count: tokens of a text. It must be additive across white space, since each piece is counted alone.
    """

    def __init__(self, tokens: int, count: Count) -> None:
        self.left = tokens
        self.counted = 0
        self._bytes = MOST_BYTES
        self._count = count

    def cost(self, *pieces: str) -> int:
        """Return the cost of pieces together."""
        return sum(cost(piece, self._count) for piece in pieces)

    def exchange(self, added: Sequence[str], removed: Sequence[str] = (), most: int | None = None) -> bool:
        """Pay for pieces and take others back, if the difference fits into what is left and `most`."""
        spent = self.cost(*added) - self.cost(*removed)
        size = sum(map(_in_json, added)) - sum(map(_in_json, removed))
        if spent > self.left or size > self._bytes or (most is not None and spent > most):
            return False
        self.left -= spent
        self.counted += sum(map(self._count, added)) - sum(map(self._count, removed))
        self._bytes -= size
        return True


def _in_json(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
