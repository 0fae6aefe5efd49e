"""What goes into a context, and how: nothing twice, the best in full, the rest in short, all in budget."""

from collections.abc import Callable, Iterable, Sequence

from ricordo.domain.memory import Memory
from ricordo.domain.text import content_hash, excerpt, sentences, title_of
from ricordo.domain.working import SpokenTurn

IN_FULL = 5
LONG_TOKENS = 500
SHORT_LENGTH = 160

Count = Callable[[str], int]


def without_repeats(
    recent: Iterable[SpokenTurn], memories: Iterable[Memory]
) -> tuple[list[SpokenTurn], list[Memory]]:
    """Leave out what is there already, by message id, then by what it says; turns come before memories."""
    ids: set[str] = set()
    hashes: set[str] = set()
    turns = [turn for turn in recent if _is_new(turn.message_id, turn.content, ids, hashes)]
    kept = [memory for memory in memories if _is_new(memory.message_id, memory.content, ids, hashes)]
    return turns, kept


def _is_new(message_id: str | None, content: str, ids: set[str], hashes: set[str]) -> bool:
    digest = content_hash(content)
    if message_id in ids or digest in hashes:
        return False
    if message_id:
        ids.add(message_id)
    hashes.add(digest)
    return True


def forms(memory: Memory, rank: int, count: Count) -> list[str]:
    """Return the texts that may stand for a memory, the longest first.

    Args:
        memory: what is told of.
        rank: from 0; the first 5 are told in full, but over 500 tokens compressed; the others by their
            summary.
        count: tokens of a text.
    """
    brief = memory.summary or (memory.content if len(memory.content) <= SHORT_LENGTH else "")
    title = memory.title or title_of(memory.content)
    full = [_told_in_full(memory, count)] if rank < IN_FULL else []
    return list(dict.fromkeys(form for form in (*full, brief, title) if form))


def _told_in_full(memory: Memory, count: Count) -> str:
    if count(memory.content) <= LONG_TOKENS:
        return memory.content
    return memory.summary or compressed(memory.content, count)


def compressed(text: str, count: Count, limit: int = LONG_TOKENS) -> str:
    """Return the first sentences of `text` that fit into `limit` tokens, or as much of the first as does."""
    kept: list[str] = []
    left = limit
    for sentence in sentences(text):
        left -= count(sentence)
        if left < 0:
            break
        kept.append(sentence)
    return " ".join(kept) or _cut(text, count, limit)


def _cut(text: str, count: Count, limit: int) -> str:
    short, long = 1, len(text)
    while short < long:
        middle = (short + long + 1) // 2
        if count(excerpt(text, middle)) <= limit:
            short = middle
        else:
            long = middle - 1
    return excerpt(text, short)


class Allowance:
    """Tokens that are left; counted line by line, as lines stand apart in the text."""

    def __init__(self, tokens: int, count: Count) -> None:
        self.left = tokens
        self._count = count

    def take(self, text: str, within: int | None = None) -> bool:
        """Spend what `text` costs, if it is there; `within` bounds a single purchase further."""
        cost = self._count(text)
        if cost > self.left or (within is not None and cost > within):
            return False
        self.left -= cost
        return True


def fill(lines: Sequence[str], allowance: Allowance, most: int) -> list[str]:
    """Return the leading lines that fit into the allowance and into `most` tokens."""
    kept: list[str] = []
    floor = allowance.left - most
    for line in lines:
        if not allowance.take(line, within=allowance.left - floor):
            break
        kept.append(line)
    return kept


def fill_best(choices: Iterable[Sequence[str]], allowance: Allowance) -> list[str]:
    """Return for each choice its first form that fits; a choice none of whose forms fits is left out."""
    kept: list[str] = []
    for choice in choices:
        fitting = next((form for form in choice if allowance.take(form)), None)
        if fitting is not None:
            kept.append(fitting)
    return kept
