"""In a context a synthesis stands for its sources, as far as it says what is asked for."""

from collections.abc import Sequence
from dataclasses import replace

from ricordo.domain.context import without_condensed
from ricordo.domain.memory import Memory, MemoryKind
from ricordo.testing.factories import memory

SOURCES = [
    replace(memory("m-1", content="I had coffee with Anna in the square."), language="en"),
    replace(memory("m-2", content="Anna lent me her umbrella."), language="en"),
    replace(memory("m-3", content="I met Anna at the market."), language="en"),
]
OTHER = replace(memory("m-9", content="Marco has a dog."), language="en")
SYNTHESIS = replace(
    memory("s-1", content="I had coffee with Anna; I met Anna at the market.", kind=MemoryKind.SYNTHESIS),
    message_id=None,
    language="en",
    source_ids=tuple(one.id for one in SOURCES),
)


def _kept(memories: Sequence[Memory], about: str) -> list[Memory]:
    return without_condensed(memories, about)


def test_sources_behind_it_are_told_in_its_words() -> None:
    """Others stay."""
    ranked = [SYNTHESIS, SOURCES[0], OTHER, SOURCES[2]]
    assert _kept(ranked, "What do I do with Anna?") == [SYNTHESIS, OTHER]


def test_a_source_before_it_stays() -> None:
    """It is nearer to what is asked."""
    assert _kept([SOURCES[0], SYNTHESIS, SOURCES[2]], "Where is Anna?") == [SOURCES[0], SYNTHESIS]


def test_a_source_that_says_more_of_what_is_asked_stays() -> None:
    """The synthesis has no umbrella."""
    ranked = [SYNTHESIS, SOURCES[1], SOURCES[2]]
    assert _kept(ranked, "Who lent me umbrellas?") == [SYNTHESIS, SOURCES[1]]


def test_without_a_synthesis_nothing_changes() -> None:
    """Nor where only a summary has the same sources: it was never said to stand for them."""
    summary = replace(SYNTHESIS, kind=MemoryKind.SUMMARY)
    for ranked in (SOURCES, [summary, *SOURCES]):
        assert _kept(ranked, "Anna") == ranked
