"""In a context a synthesis stands for its sources, where that saves room and loses nothing that is asked."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.language.text import stems
from ricordo.memory.model import Memory

NEAREST: Final = 3
"""Memories that are told as they are, whatever stands for them: the first of what is found."""
_AROUND: Final = 30  # tokens of a span, its date and who speaks
_CHARACTERS: Final = 4  # of a token, where they are not counted yet
_MOST_READ: Final = 1_000  # characters of a question


def in_their_place(ranked: Sequence[Memory], about: str, limit: int) -> list[Memory]:
    """Return memories, in their order, of which syntheses have taken the place of their sources.

    A synthesis does so where it is among the first three itself, or costs no more than what it replaces; else
    it is left out. The first three stay as they are, and so does a source with a word of the question that
    its synthesis lacks: what is asked for may be what was left out.

    Args:
        ranked: best first.
        about: the question.
        limit: how many are returned at the most, the best.
    """
    places = {memory.id: place for place, memory in enumerate(ranked)}
    gone: set[UUID] = set()
    for place, memory in enumerate(ranked):
        if memory.kind is not MemoryKind.SYNTHESIS:
            continue
        replaced = [one for one in _replaced(memory, ranked, places, about) if one.id not in gone]
        if place < NEAREST or sum(map(_cost, replaced)) >= _cost(memory):
            gone.update(one.id for one in replaced)
        else:
            gone.add(memory.id)
    return [one for one in ranked if one.id not in gone][:limit]


def _replaced(
    synthesis: Memory, ranked: Sequence[Memory], places: Mapping[UUID, int], about: str
) -> list[Memory]:
    found = [ranked[places[one]] for one in synthesis.source_ids if places.get(one, -1) >= NEAREST]
    told = _shared(synthesis, about) if found else frozenset()
    return [one for one in found if _shared(one, about) <= told]


def _shared(memory: Memory, about: str) -> AbstractSet[str]:
    """Return the words of the question that a memory has, in any form."""
    return {*stems(about[:_MOST_READ], memory.language)} & {*stems(memory.content, memory.language)}


def _cost(memory: Memory) -> int:
    return _AROUND + (memory.token_count or len(memory.content) // _CHARACTERS)
