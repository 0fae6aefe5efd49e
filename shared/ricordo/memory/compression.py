"""Selects old, weak memories for condensation, and groups them by subject, time and meaning.

The groups are a function of the set of memories, whatever their order.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import MemorySource, Role
from ricordo.language.document import Document
from ricordo.language.reading import INFORMATIVE
from ricordo.language.small_talk import has_content
from ricordo.memory.model import Memory
from ricordo.memory.ranking.fixed_profiles import BudgetProfile
from ricordo.memory.ranking.signals import Signals

AGE: Final = dt.timedelta(days=90)
"""The least age of a memory."""
WORTH: Final = 3.0
"""The budget score below which a memory is weak."""
FEWEST: Final = 3
MOST: Final = 20
"""Memories of a group."""
ALIKE: Final = 0.5
"""The least cosine of each member of a group with its centre, for the models in process."""
BLOCK: Final = 512
"""Memories compared with each other at once: a megabyte of cosines."""

_DAY: Final = dt.timedelta(days=1)
_BUDGET: Final = BudgetProfile()

Cosines: TypeAlias = NDArray[np.int16]

_READ: Final = 1_000  # characters of a text that are checked for informative words


@dataclass(frozen=True, slots=True, eq=False)
class CompressionCandidate:
    """A weak memory, as grouping sees it.

    Attributes:
        about: case-folded participants other than the speaker.
        vector: float32 [d], unit norm, of one model in all.
    """

    id: UUID
    created_at: dt.datetime
    language: str
    about: tuple[str, ...]
    vector: NDArray[np.float32]


Period: TypeAlias = Callable[[CompressionCandidate], tuple[int, ...]]


def compression_cutoff(now: dt.datetime) -> dt.datetime:
    """Return the instant before which a memory must have been said."""
    return now - AGE


def is_weak(memory: Memory, now: dt.datetime) -> bool:
    """Whether a memory may be condensed: older than 90 days, with a budget score below 3.

    Excluded are pinned, verified, corrected, expiring and condensed memories, those without a message
    (summaries, reflections, syntheses, extracts), and what an assistant, a tool or the system said, or tells
    nothing. Archived memories are included: most weak ones are archived.
    """
    return (
        memory.message_id is not None
        and memory.role == Role.USER
        and memory.informative >= INFORMATIVE
        and not (memory.pinned or memory.verified or memory.compressed)
        and memory.source != MemorySource.USER_CORRECTION
        and memory.expires_at is None
        and memory.created_at < compression_cutoff(now)
        and budget_score(memory, now) < WORTH
    )


def budget_score(memory: Memory, now: dt.datetime) -> float:
    """Return the budget score of a memory."""
    signals = Signals(
        age_days=(now - memory.created_at) / _DAY,
        access_count=memory.access_count,
        importance=memory.importance,
        token_count=memory.token_count,
    )
    return float(_BUDGET.score(signals))


def subjects_of(participants: Iterable[str], speaker: str) -> tuple[str, ...]:
    """Return the case-folded participants other than the speaker."""
    folded = dict.fromkeys(one.casefold() for one in participants)
    return tuple(one for one in folded if one != speaker.casefold())


def group_memories(
    memories: Iterable[CompressionCandidate], alike: float = ALIKE
) -> list[tuple[CompressionCandidate, ...]]:
    """Group memories to be condensed together; each is in one group at most.

    They are separated by language and subject: of several people, the one that most of all memories are
    about. Then star clustering: repeatedly the memory with the most neighbours, with the nearest of these, as
    long as there are three. It runs within each quarter, then on the rest within each year, then on the rest
    of all. Blocks of 512 bound the cost to n * 512 comparisons and 512² space.

    Returns:
        Groups of 3 to 20 memories, each in order of time.
    """
    ordered = sorted(memories, key=lambda one: (one.created_at, one.id))
    found: list[tuple[CompressionCandidate, ...]] = []
    for left in _by_entity(ordered):
        for period in _PERIODS:
            left = _grouped(left, period, alike, found)  # noqa: PLW2901 - what is left after each
    return found


def _by_entity(ordered: Sequence[CompressionCandidate]) -> list[list[CompressionCandidate]]:
    known = Counter(name for one in ordered for name in one.about)
    apart: dict[tuple[str, str], list[CompressionCandidate]] = defaultdict(list)
    for one in ordered:
        name = min(one.about, key=lambda each: (-known[each], each), default="")
        apart[one.language, name].append(one)
    return list(apart.values())


def _quarter(memory: CompressionCandidate) -> tuple[int, ...]:
    said = memory.created_at.astimezone(dt.UTC)
    return said.year, (said.month - 1) // 3


_PERIODS: Final[tuple[Period, ...]] = (_quarter, lambda one: _quarter(one)[:1], lambda _: ())
"""Quarters, years, and all time."""


def _grouped(
    ordered: Sequence[CompressionCandidate],
    period: Period,
    alike: float,
    found: list[tuple[CompressionCandidate, ...]],
) -> list[CompressionCandidate]:
    """Add the groups of each period to `found`; return the other memories, in order."""
    if len(ordered) < FEWEST:
        return list(ordered)
    apart: dict[tuple[int, ...], list[CompressionCandidate]] = defaultdict(list)
    for one in ordered:
        apart[period(one)].append(one)
    left: list[CompressionCandidate] = []
    for within in apart.values():
        for start in range(0, len(within), BLOCK):
            block = within[start : start + BLOCK]
            taken: set[int] = set()
            for star in _stars(_cosines(block), round(alike * 1000)):
                found.append(tuple(block[at] for at in star))
                taken.update(star)
            left += [one for at, one in enumerate(block) if at not in taken]
    return left


def _cosines(block: Sequence[CompressionCandidate]) -> Cosines:
    vectors = np.stack([one.vector for one in block])
    cosines: Cosines = np.rint((vectors @ vectors.T) * 1000).astype(np.int16)
    return cosines


def _stars(cosines: Cosines, least: int) -> Iterator[list[int]]:
    near = cosines >= least
    np.fill_diagonal(near, val=True)
    company = near.sum(axis=1)
    while company.size and company.max() >= FEWEST:
        middle = int(company.argmax())  # of equals, the earliest
        around = np.flatnonzero(near[middle])
        distant = np.where(around == middle, np.int16(-2_000), -cosines[middle, around])
        star = sorted(around[np.argsort(distant, kind="stable")[:MOST]].tolist())
        yield star
        company -= near[:, star].sum(axis=1)
        near[star, :] = False
        near[:, star] = False
        company[star] = 0


def is_worth_condensing(contents: Sequence[tuple[str, str]]) -> bool:
    """Whether most of the texts, each with its language, are informative."""
    telling = sum(has_content(Document(text[:_READ], language)) for text, language in contents)
    return 2 * telling > len(contents)
